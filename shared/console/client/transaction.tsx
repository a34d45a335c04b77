import { useState } from 'preact/hooks';
import { everyItem, orThrow, type Schemas } from '../../client/client.ts';
import { creditedOf, grouped, percent } from './amounts.ts';
import { brokenVersion } from './history-chain.ts';
import { ActionButton, Load, useAction, useCall, useLoad } from './load.tsx';
import {
  Amount,
  counted,
  Facts,
  Instant,
  lettersOf,
  Message,
  Status,
  Table,
  TransactionLink,
  Warnings,
  wordsOf,
} from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';

/** A line or a shipping charge, as people read it. */
export type Charge = {
  readonly id: string;
  readonly title: string;
  /** Such as the quantity and the price. */
  readonly details: readonly string[];
  readonly net: string;
  readonly tax: string;
  readonly taxes: readonly Schemas['TaxRow'][];
};

/** An address on one line. Redaction leaves the city, the state and the ZIP code. */
export const addressText = (address: Schemas['Customer']['address'] | undefined): string | null =>
  address
    ? [address.line1, address.city, address.state, address.postal_code, address.country].filter(Boolean).join(', ')
    : null;

/** A detail with its name, or nothing. */
const detail = (name: string, text: string | null): string[] => (text ? [`${name} ${text}`] : []);
const discount = (name: string, amount: string): string[] =>
  /[1-9]/.test(amount) ? detail(name, grouped(amount)) : [];

const titleOf = (line: Document['line_items'][number]): string => line.description ?? line.product_tax_code ?? line.id;

type Titles = ReadonlyMap<string, string>;

/** The discounts of a line; what it reduces, if its price is negative. */
const discountsOf = (line: Document['line_items'][number], titles: Titles): string[] => {
  const { unit_price, parent_line_item_id: parent } = line;
  if (unit_price.startsWith('-')) return [`discount of ${parent ? (titles.get(parent) ?? parent) : 'other charges'}`];
  return [
    ...discount('discount', line.applied_discount_amount),
    ...discount('third-party discount', line.applied_third_party_discount_amount),
  ];
};

const lineCharge = (line: Document['line_items'][number], tax_included: boolean, titles: Titles): Charge => ({
  id: line.id,
  title: titleOf(line),
  details: [
    ...(line.description && line.product_tax_code ? [line.product_tax_code] : []),
    ...detail('fulfillment:', line.fulfillment),
    ...detail('from', addressText(line.ship_from?.address)),
    ...detail('to', addressText(line.customer?.address)),
    `${line.quantity} × ${grouped(line.unit_price)}${tax_included ? ' with tax' : ''}`,
    ...discountsOf(line, titles),
  ],
  net: line.net_amount,
  tax: line.tax_amount,
  taxes: line.taxes,
});

/** The lines of a document, and its shipping charges. Charges of a list have their ids in their titles. */
export const chargesOf = (document: Document): Charge[] => {
  const { line_items, shipping, tax_included } = document;
  const titles = new Map(line_items.map((line) => [line.id, titleOf(line)]));
  return [
    ...line_items.map((line) => lineCharge(line, tax_included, titles)),
    ...[shipping ?? []].flat().map((charge) => ({
      id: charge.id,
      title: Array.isArray(shipping) ? `Shipping ${charge.id}` : 'Shipping',
      details: [
        ...(charge.product_tax_code ? [charge.product_tax_code] : []),
        ...detail('for', charge.line_item_ids?.map((id) => titles.get(id) ?? id).join(', ') ?? null),
        ...detail('from', addressText(charge.ship_from?.address)),
        ...detail('to', addressText(charge.ship_to?.address)),
        grouped(charge.amount),
        ...discount('discount', charge.applied_discount_amount),
      ],
      net: charge.net_amount,
      tax: charge.tax_amount,
      taxes: charge.taxes,
    })),
  ];
};

/** The title of the charge that a JSON Pointer of the document begins with; otherwise the pointer. */
const titleAt = (pointer: string, document: Document): string => {
  const [, field, index = '0'] = /^\/(line_items|shipping)(?:\/(\d+))?/.exec(pointer) ?? [];
  if (!field) return pointer;
  const charges = chargesOf(document);
  const at = Number(index) + (field === 'shipping' ? document.line_items.length : 0);
  return charges[at]?.title ?? pointer;
};

type Step = Schemas['ExplanationStep'];

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
  const calculation = useCall(of.id, (levy, signal) =>
    levy.post('/calculations', { body: inputsOf(of) as Schemas['CalculationRequest'], signal }),
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

/** All changes of a transaction, and whether the chain of their hashes is intact. */
export const History = ({ id, version }: { id: string; version: number }) => {
  const { levy } = useSession();
  const history = useLoad(`${id} ${version}`, async (signal) => {
    const page = async (cursor: object) =>
      orThrow(await levy.get('/transactions/{id}/history', { path: { id }, query: { limit: 100, ...cursor }, signal }));
    const entries = await Array.fromAsync(everyItem(page));
    const oldestFirst = entries.toSorted((a, b) => a.version - b.version);
    return { entries, broken: await brokenVersion(id, oldestFirst, version) };
  });
  return (
    <section class="panel" aria-labelledby="history">
      <h2 id="history">History</h2>
      <Load of={history} what="the history">
        {({ entries, broken }) => (
          <>
            <p class={broken === null ? 'notice good' : 'notice bad'} role="status">
              {broken === null
                ? `The chain of hashes is intact, in ${counted(entries.length, 'version')}: this page computed the hash of each entry, and each names the one before. To prove the figures above, run npm run ledger -- verify.`
                : `The chain is broken at version ${broken}. Run npm run ledger -- verify, and keep the evidence.`}
            </p>
            <Table
              caption="Changes"
              columns={[
                ['Version', (row) => row.version, 'figure'],
                ['At', (row) => <Instant of={row.at} />],
                ['By', (row) => row.by],
                ['Status', (row) => (row.from === row.to ? row.to : `${row.from ?? 'new'} → ${row.to}`)],
                ['Fields', (row) => row.fields.join(', ')],
                ['Hash', (row) => <code>{row.hash.slice(0, 12)}…</code>],
              ]}
              rows={entries}
              keyOf={(row) => String(row.version)}
              empty="No entries."
            />
          </>
        )}
      </Load>
    </section>
  );
};

type Replayed = Schemas['Replay'];

const Outcome = ({ of }: { of: Replayed }) => (
  <>
    <p role="status" class={of.match === false ? 'notice bad' : 'notice'}>
      {of.match === true && 'The same figures with the recorded content.'}
      {of.match === false && `${of.difference_count} figures differ.`}
      {of.match === null && `Not comparable: ${of.detail ?? of.reason}`}
    </p>
    {of.match === false && (
      <Table
        caption="Differences"
        columns={[
          ['Field', (row) => <code>{row.pointer}</code>],
          ['Recorded', (row) => row.recorded, 'figure'],
          ['Replayed', (row) => row.replayed, 'figure'],
        ]}
        rows={of.differences}
        keyOf={({ pointer }) => pointer}
        empty=""
      />
    )}
  </>
);

/** Calculate a recorded document again with the content that it was recorded with. Stores nothing. */
export const Replay = ({ id, version }: { id: string; version: number }) => {
  const { levy } = useSession();
  const [outcome, setOutcome] = useState<Replayed | null>(null);
  const action = useAction(
    async () => orThrow(await levy.post('/transactions/{id}/replay', { path: { id } })),
    setOutcome,
  );
  return (
    <section class="panel" aria-labelledby="replay">
      <h2 id="replay">Replay of version {version}</h2>
      <ActionButton action={action} label="Replay" isPlain />
      {outcome && <Outcome of={outcome} />}
    </section>
  );
};

/** The base of a tax. A fee has none. */
const Base = ({ of }: { of: Charge['taxes'][number] }) =>
  of.tax_type === 'fee' ? (
    <>(fee)</>
  ) : (
    <>
      ({percent(of.rate)} of <Amount of={of.taxable_amount} />
      {/[1-9]/.test(of.exempt_amount) && (
        <>
          , <Amount of={of.exempt_amount} /> exempt
        </>
      )}
      )
    </>
  );

const Taxes = ({ of }: { of: Charge['taxes'] }) =>
  of.length === 0 ? (
    <p>No jurisdiction taxes this line.</p>
  ) : (
    <ul>
      {of.map((row) => (
        <li key={row.jurisdiction_code + row.taxability_reason + row.rate}>
          {row.jurisdiction_name}: <Amount of={row.tax_amount} /> <Base of={row} />. {wordsOf(row.taxability_reason)}
          {row.rule_id && (
            <>
              , rule <code>{row.rule_id}</code>
            </>
          )}
        </li>
      ))}
    </ul>
  );

const pageSize = 50;

/** Lines, their jurisdictions and reasons. Long documents show fifty lines, and more on request. */
const TaxTree = ({ charges }: { charges: readonly Charge[] }) => {
  const [shown, setShown] = useState(pageSize);
  const rest = charges.length - shown;
  return (
    <section class="panel" aria-labelledby="lines">
      <h2 id="lines">Lines</h2>
      {charges.slice(0, shown).map((charge) => (
        <details key={charge.id} open={charges.length <= 5}>
          <summary>
            <strong>{charge.title}</strong>
            {charge.details.map((detail) => ` · ${detail}`)} · net <Amount of={charge.net} /> · tax{' '}
            <Amount of={charge.tax} />
          </summary>
          <Taxes of={charge.taxes} />
        </details>
      ))}
      {rest > 0 && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(rest, pageSize)} more of {rest} lines
        </button>
      )}
    </section>
  );
};

type Document = Schemas['RetrievedTransaction'];

const isZero = (amount: string): boolean => !/[1-9]/.test(amount);

const Discounts = ({ of }: { of: Document }) => (
  <>
    <Amount of={of.applied_discount_amount} />
    {of.discount_applies_to === 'line_items_and_shipping' && ' on lines and shipping'}
  </>
);

const Summary = ({ of }: { of: Document }) => (
  <Facts
    of={[
      ['Status', <Status key="status" of={of.status} />],
      ['Type', of.type],
      // The first ten characters of an instant are the tax day in the account's time zone.
      ['Tax date', of.tax_date.slice(0, 10)],
      [
        'Customer',
        of.customer?.id && (
          <a key="customer" href={linkTo(['transactions'], { customer_id: of.customer.id })}>
            {of.customer.id}
          </a>
        ),
      ],
      ['Ship to', addressText(of.customer?.address)],
      ['Ship from', addressText(of.ship_from?.address)],
      ['Subtotal', <Amount key="subtotal" of={of.subtotal_amount} />],
      ['Discounts', isZero(of.applied_discount_amount) ? null : <Discounts key="discounts" of={of} />],
      ['Shipping', <Amount key="shipping" of={of.shipping_amount} />],
      ['Taxable', <Amount key="taxable" of={of.taxable_amount} />],
      ['Tax collected', <Amount key="tax" of={of.tax_amount} />],
      ['Calculated tax', <Amount key="calculated" of={of.calculated_tax_amount} />],
      ['Total', <Amount key="total" of={of.total_amount} currency={of.currency} />],
      ['Refunds', of.refund_status === 'none' ? null : of.refund_status],
      ['Created', <Instant key="created" of={of.created_at} />],
      ['Expires', of.status === 'draft' && of.expires_at ? <Instant key="expires" of={of.expires_at} /> : null],
      ['Void reason', of.void_reason],
      ['Content', Object.values(of.content_releases).join(', ')],
      ['Filings', of.filings.length > 0 ? <FilingLinks key="filings" of={of} /> : 'none'],
    ]}
  />
);

const FilingLinks = ({ of }: { of: Document }) => (
  <>
    {of.filings.map(({ id, state, status }) => (
      <a key={id} href={linkTo(['filings', id])}>
        {lettersOf(state)} ({status}){' '}
      </a>
    ))}
  </>
);

const Credits = ({ of }: { of: Document }) => {
  const { levy } = useSession();
  const credits = useLoad(of.id, (signal) =>
    Array.fromAsync(levy.list('/transactions', { query: { parent_transaction_id: of.id, limit: 100 }, signal })),
  );
  const { credited, left } = creditedOf(of);
  return (
    <section class="panel" aria-labelledby="credits">
      <h2 id="credits">Credits</h2>
      {(of.status === 'finalized' || of.status === 'filed') && (
        <p>
          Credited <Amount of={credited} currency={of.currency} />, left <Amount of={left} currency={of.currency} />.
          {/[1-9]/.test(of.applied_third_party_discount_amount) && ' Both exclude third-party discounts.'}
        </p>
      )}
      <Load of={credits} what="credits">
        {(rows) => (
          <Table
            caption="Credits of this sale"
            columns={[
              ['Reference', (row) => <TransactionLink of={row} />],
              ['Status', (row) => <Status of={row.status} />],
              ['Tax', (row) => <Amount of={row.tax_amount} />, 'figure'],
              ['Total', (row) => <Amount of={row.total_amount} />, 'figure'],
            ]}
            rows={rows}
            keyOf={({ id }) => id}
            empty="No credits."
          />
        )}
      </Load>
    </section>
  );
};

const Jurisdictions = ({ of }: { of: Document }) => (
  <Table
    caption="Tax by jurisdiction"
    columns={[
      ['Jurisdiction', (row) => `${row.jurisdiction_name} (${row.jurisdiction_code})`],
      // A flat fee has no rate.
      ['Rate', (row) => (isZero(row.rate) && !isZero(row.tax_amount) ? 'fee' : percent(row.rate)), 'figure'],
      ['Taxable', (row) => <Amount of={row.taxable_amount} />, 'figure'],
      ['Exempt', (row) => <Amount of={row.exempt_amount} />, 'figure'],
      ['Tax', (row) => <Amount of={row.tax_amount} />, 'figure'],
    ]}
    rows={of.tax_summary}
    keyOf={(row) => row.jurisdiction_code + row.rate}
    empty="No jurisdiction taxes this document."
  />
);

const Body = ({ of }: { of: Document }) => (
  <>
    <h1>
      {of.type === 'sale' ? 'Sale' : 'Credit'} {of.reference_id ?? of.id}
    </h1>
    {of.parent_transaction_id && (
      <p>
        Of the sale <a href={linkTo(['transactions', of.parent_transaction_id])}>{of.parent_transaction_id}</a>
      </p>
    )}
    <Warnings of={of.warnings} />
    <Summary of={of} />
    <Jurisdictions of={of} />
    <TaxTree charges={chargesOf(of)} />
    {of.type === 'sale' && <Credits of={of} />}
    <Explanation of={of} />
    <Replay id={of.id} version={of.version} />
    <History id={of.id} version={of.version} />
  </>
);

/** A document with the reasons of its tax. */
export const Transaction = ({ id }: { id: string }) => {
  const document = useCall(id, (levy, signal) => levy.get('/transactions/{id}', { path: { id }, signal }));
  return (
    <Load of={document} what="the transaction">
      {(found) => <Body of={found} />}
    </Load>
  );
};
