import { useState } from 'preact/hooks';
import { orThrow, type Schemas } from '../../client/client.ts';
import { titleAt } from './charges.ts';
import { Load, useLoad } from './load.tsx';
import { Message, wordsOf } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';

type Step = Schemas['ExplanationStep'];
type Document = Schemas['RetrievedTransaction'];

const Steps = ({ steps, of }: { steps: readonly Step[]; of: Document }) => (
  <ol class="steps">
    {steps.map(({ step, pointer, text, citation }, at) => (
      <li key={at}>
        <span class="step">{wordsOf(step)}</span> {pointer && <code>{titleAt(pointer, of)}</code>} <Message of={text} />
        {citation && <cite>{citation}</cite>}
      </li>
    ))}
  </ol>
);

/** The inputs of a document, to calculate it again with an explanation. */
const inputsOf = (of: Document) => ({
  currency: of.currency,
  tax_date: of.tax_date,
  customer: of.customer,
  ship_from: of.ship_from,
  discount_amount: of.discount_amount,
  third_party_discount_amount: of.third_party_discount_amount,
  tax_included: of.tax_included,
  collected_by: of.collected_by,
  discount_applies_to: of.discount_applies_to,
  shipping: [of.shipping ?? []].flat().map((charge) => ({
    id: charge.id,
    amount: charge.amount,
    discount_amount: charge.discount_amount,
    product_tax_code: charge.product_tax_code,
    line_item_ids: charge.line_item_ids,
    ship_to: charge.ship_to,
    ship_from: charge.ship_from,
  })),
  line_items: of.line_items.map((line) => ({
    id: line.id,
    parent_line_item_id: line.parent_line_item_id,
    product_tax_code: line.product_tax_code,
    quantity: line.quantity,
    unit_price: line.unit_price,
    discount_amount: line.discount_amount,
    third_party_discount_amount: line.third_party_discount_amount,
    customer: line.customer,
    ship_from: line.ship_from,
    fulfillment: line.fulfillment,
  })),
  type: of.type,
  explain: true,
});

const Recalculated = ({ of }: { of: Document }) => {
  const { levy } = useSession();
  const calculation = useLoad(of.id, async (signal) =>
    orThrow(await levy.post('/calculations', { body: inputsOf(of) as Schemas['CalculationRequest'], signal })),
  );
  return (
    <Load of={calculation} what="the explanation">
      {({ explanation, tax_amount }) => (
        <>
          {tax_amount !== of.calculated_tax_amount && (
            <p class="notice">
              Today’s content gives {tax_amount}, the recorded calculation {of.calculated_tax_amount}. These are the
              reasons of today. Replay compares with the recorded content.
            </p>
          )}
          <Steps steps={explanation ?? []} of={of} />
        </>
      )}
    </Load>
  );
};

/**
 * Why each figure is what it is, with citations: as it was recorded, or calculated again on request. A credit of a sale cannot
 * be calculated again, because it counts as credited already.
 */
export const Explanation = ({ of }: { of: Document }) => {
  const [isAsked, setAsked] = useState(false);
  const { explanation: recorded, parent_transaction_id: parent } = of;
  return (
    <section class="panel" aria-labelledby="explanation">
      <h2 id="explanation">Explanation</h2>
      {recorded && <Steps steps={recorded} of={of} />}
      {!recorded && parent && (
        <p>
          A credit returns the tax of <a href={linkTo(['transactions', parent])}>the sale</a>, which has the
          explanation.
        </p>
      )}
      {!recorded && !parent && isAsked && <Recalculated of={of} />}
      {!recorded && !parent && !isAsked && (
        <button type="button" onClick={() => setAsked(true)}>
          Explain the tax
        </button>
      )}
    </section>
  );
};
