import type { Levy, Schemas } from '../../client/client.ts';
import { ConfirmButton } from './actions.tsx';
import { Check, Field } from './fields.tsx';
import { getSum, grouped, isZero, money, negative } from './format.ts';
import type { Values } from './forms.ts';
import { Fetch, readData } from './load.tsx';
import { Warnings } from './parts.tsx';
import { useSession } from './session.ts';

type Document = Schemas['RetrievedTransaction'];
type Props = { readonly transaction: Document; readonly onChange: () => void };

/** Changes the version that is on the page. A change by somebody else in the meantime is refused. */
const update =
  ({ id, version }: Document) =>
  (body: Schemas['TransactionUpdate'], levy: Levy, idempotencyKey: string) => {
    const headers = { 'If-Match': `"${version}"` };
    return readData(levy.post('/transactions/{id}', { path: { id }, body, idempotencyKey, maxTries: 4, headers }));
  };

const getName = ({ type, reference_id, id }: Document): string => `${type} ${reference_id ?? id}`;

const Void = ({ transaction, onChange }: Props) => (
  <ConfirmButton
    title="Void"
    label={`Void the ${transaction.type}`}
    cancelLabel={`Keep the ${transaction.type}`}
    body={({ reason }) => ({ status: 'void', void_reason: reason || null }) as const}
    missing={({ reason }) => !reason && 'Enter the reason.'}
    write={update(transaction)}
    onDone={onChange}
  >
    <p>
      This voids the {getName(transaction)} of {money(transaction.total_amount, transaction.currency)}, with its tax of{' '}
      {money(transaction.tax_amount)}. It is removed from the return of its period. This cannot be undone. After the
      period is closed, record a credit instead.
    </p>
    <Field field={['reason', 'Reason']} maxLength={500} />
  </ConfirmButton>
);

/** The key of a transaction's metadata that contains a note of the finance team. */
const noteKey = 'note';

const Note = ({ transaction, onChange }: Props) => {
  const known = transaction.metadata[noteKey] ?? '';
  return (
    <ConfirmButton
      title={known ? 'Change the note' : 'Add a note'}
      label="Save the note"
      cancelLabel="Discard"
      body={({ note }) => ({ metadata: { [noteKey]: note || null } })}
      missing={({ note = '' }) => note === known && 'Enter a new text.'}
      write={update(transaction)}
      onDone={onChange}
    >
      <p>
        The note is stored with the {transaction.type}, as the metadata key “note”. The history shows who changed it and
        when.
      </p>
      <Field field={['note', 'Note']} value={known} maxLength={500} />
    </ConfirmButton>
  );
};

/**
 * Returns zero discounts for a line, because an entered amount is after discounts. Otherwise, Levy would subtract a
 * share of the sale's discounts.
 */
const withoutDiscounts = (line: Document['line_items'][number]) => {
  const coupon = line.applied_third_party_discount_amount;
  const deductions = [line.applied_discount_amount, coupon, line.net_amount].map(negative);
  const isAfterCoupon = !isZero(coupon) && isZero(getSum([line.amount, ...deductions]));
  return { discount_amount: '0', ...(isAfterCoupon && { third_party_discount_amount: '0' }) };
};

/** A line without an amount, which a credit of only shipping needs. */
const emptyLines = ({ line_items }: Document) => {
  const line = { quantity: '1', unit_price: '0', discount_amount: '0', third_party_discount_amount: '0' };
  const goods = line_items.filter(({ unit_price }) => !unit_price.startsWith('-'));
  return goods.slice(0, 1).map(({ id }) => ({ id, ...line }));
};

/**
 * The lines and the shipping charges of a credit, as the request has them. A form field contains the quantity or the
 * amount of the charge whose id it names. The amount includes tax if the sale's prices do. Levy refuses text that is
 * not a number.
 */
const creditedParts = (sale: Document, values: Values) => {
  const line_items = sale.line_items.flatMap((line) => {
    const { id } = line;
    const [quantity, amount] = [values[`quantity-${id}`], values[`amount-${id}`]];
    if (amount) return [{ id, quantity: '1', unit_price: amount, ...withoutDiscounts(line) }];
    return quantity ? [{ id, quantity }] : [];
  });
  const shipping = [sale.shipping ?? []].flat().flatMap(({ id }) => {
    const amount = values[`amount-${id}`];
    return amount ? [{ id, amount, discount_amount: '0' }] : [];
  });
  if (shipping.length === 0) return { line_items };
  return { line_items: line_items.length > 0 ? line_items : emptyLines(sale), shipping };
};

const Preview = ({ body }: { body: Schemas['CalculationRequest'] }) => (
  <Fetch
    query={JSON.stringify(body)}
    what="the amounts"
    read={(levy, signal) => readData(levy.post('/calculations', { body, signal }))}
  >
    {({ total_amount, tax_amount, currency, warnings }) => (
      <>
        <p role="status">
          The credit is {money(total_amount, currency)}, with a tax of {money(tax_amount)}.
        </p>
        <Warnings value={warnings} />
      </>
    )}
  </Fetch>
);

/** Clears the other field of a line, because a credit takes a quantity or an amount. */
const clearOther = (event: { readonly currentTarget: HTMLElement; readonly target: EventTarget | null }) => {
  for (const input of event.currentTarget.querySelectorAll('input')) if (input !== event.target) input.value = '';
};

const CreditParts = ({ sale }: { sale: Document }) => {
  // Prices that include the tax are credited with it.
  const basis = sale.tax_included ? 'with tax' : 'before tax';
  return (
    <>
      {sale.line_items.map(({ id, description, product_tax_code, quantity, net_amount }) => (
        <fieldset key={id} onInput={clearOther}>
          <legend>
            {description ?? product_tax_code ?? id}: quantity {quantity}, {grouped(net_amount)} {basis}
          </legend>
          <Field field={[`quantity-${id}`, 'Quantity']} inputMode="decimal" />
          <Field field={[`amount-${id}`, `or amount ${basis}`]} inputMode="decimal" />
        </fieldset>
      ))}
      {[sale.shipping ?? []].flat().map(({ id, net_amount }) => (
        <fieldset key={id}>
          <legend>
            {Array.isArray(sale.shipping) ? `Shipping ${id}` : 'Shipping'}: {grouped(net_amount)} {basis}
          </legend>
          <Field field={[`amount-${id}`, `Amount ${basis}`]} inputMode="decimal" />
        </fieldset>
      ))}
    </>
  );
};

const isParts = ({ extent }: Values): boolean => extent === 'parts';
const isEmpty = (values: Values): boolean =>
  isParts(values) && !Object.entries(values).some(([name, text]) => /^(quantity|amount)-/.test(name) && text);

const Credit = ({ transaction, onChange }: Props) => {
  const calculated = (values: Values) => ({
    type: 'credit' as const,
    parent_transaction_id: transaction.id,
    ...(isParts(values) ? creditedParts(transaction, values) : { credit_remaining: true }),
  });
  return (
    <ConfirmButton
      title="Credit"
      label="Record the credit"
      cancelLabel="Do not credit"
      body={(values) =>
        ({ ...calculated(values), status: 'finalized', reference_id: values['reference'] || null }) as const
      }
      missing={(values) => isEmpty(values) && 'Enter a quantity or an amount.'}
      write={(body, levy, idempotencyKey) =>
        readData(levy.post('/transactions', { body, idempotencyKey, maxTries: 4 }))
      }
      onDone={onChange}
    >
      {(values) => (
        <>
          <p>
            This records a finalized credit of the {getName(transaction)}, with the tax that was recorded. It counts in
            the return of today’s period. It does not pay money back.
          </p>
          <Check name="extent" radio="whole" isChecked>
            The whole remaining amount
          </Check>
          <Check name="extent" radio="parts">
            Parts of it
          </Check>
          {/* Hidden instead of removed, so that the entered values remain. */}
          <div hidden={!isParts(values)}>
            <CreditParts sale={transaction} />
          </div>
          <Field field={['reference', 'Reference of the credit (optional)']} maxLength={255} />
          {!isEmpty(values) && <Preview body={calculated(values)} />}
        </>
      )}
    </ConfirmButton>
  );
};

/** The actions on a transaction. Each action shows its effect before it runs. */
export const TransactionActions = ({ transaction, onChange }: Props) => {
  const { canWrite } = useSession();
  if (!canWrite) return null;
  const isOpen = transaction.status === 'draft' || transaction.status === 'finalized';
  const isCreditable =
    transaction.type === 'sale' &&
    (transaction.status === 'finalized' || transaction.status === 'filed') &&
    transaction.refund_status !== 'full';
  return (
    <div class="actions">
      {isCreditable && <Credit transaction={transaction} onChange={onChange} />}
      {isOpen && transaction.refund_status === 'none' && <Void transaction={transaction} onChange={onChange} />}
      {transaction.status !== 'void' && (
        <Note key={transaction.version} transaction={transaction} onChange={onChange} />
      )}
    </div>
  );
};
