import type { Levy, Schemas } from '../../client/client.ts';
import { grouped, isZero } from './format.ts';
import { ConfirmButton, Fetch, readData } from './load.tsx';
import { Amount, Check, Input, Warnings } from './parts.tsx';
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
    initial={{ reason: '' }}
    body={({ reason }) => ({ status: 'void', void_reason: reason.trim() || null }) as const}
    missing={({ reason }) => reason.trim() === '' && 'Enter the reason.'}
    write={update(transaction)}
    onDone={onChange}
  >
    {({ reason }, set) => (
      <>
        <p>
          This voids the {getName(transaction)} of{' '}
          <Amount value={transaction.total_amount} currency={transaction.currency} />, with its tax of{' '}
          <Amount value={transaction.tax_amount} />. It is removed from the return of its period. This cannot be undone.
          After the period is closed, record a credit instead.
        </p>
        <Input label="Reason" value={reason} onInput={(reason) => set({ reason })} most={500} />
      </>
    )}
  </ConfirmButton>
);

/** The key of a transaction's metadata that holds a note of the finance team. */
const noteKey = 'note';

const Note = ({ transaction, onChange }: Props) => {
  const known = transaction.metadata[noteKey] ?? '';
  return (
    <ConfirmButton
      title={known ? 'Change the note' : 'Add a note'}
      label="Save the note"
      cancelLabel="Discard"
      initial={{ note: known }}
      body={({ note }) => ({ metadata: { [noteKey]: note.trim() || null } })}
      missing={({ note }) => note.trim() === known && 'Enter a new text.'}
      write={update(transaction)}
      onDone={onChange}
    >
      {({ note }, set) => (
        <>
          <p>
            The note is stored with the {transaction.type}, as the metadata key “note”. The history shows who changed it
            and when.
          </p>
          <Input label="Note" value={note} onInput={(note) => set({ note })} most={500} />
        </>
      )}
    </ConfirmButton>
  );
};

/**
 * What a credit takes from a line item or a shipping charge: a quantity, or an amount that includes tax if the sale's
 * prices do.
 */
type Part = { readonly quantity: string; readonly amount: string };
type Parts = Readonly<Record<string, Part>>;
const nothing: Part = { quantity: '', amount: '' };

const isTaken = ({ quantity, amount }: Part): boolean => quantity.trim() !== '' || amount.trim() !== '';

/** The lines and the shipping charges of a credit, as the request has them. Levy refuses what is not a number. */
const creditedParts = (sale: Document, parts: Parts) => {
  const getPart = (id: string) => parts[id] ?? nothing;
  const charges = [sale.shipping ?? []].flat().filter(({ id }) => isTaken(getPart(id)));
  return {
    line_items: sale.line_items
      .filter(({ id }) => isTaken(getPart(id)))
      .map(({ id }) => {
        const { quantity, amount } = getPart(id);
        return amount.trim() ? { id, quantity: '1', unit_price: amount.trim() } : { id, quantity: quantity.trim() };
      }),
    ...(charges.length > 0 && { shipping: charges.map(({ id }) => ({ id, amount: getPart(id).amount.trim() })) }),
  };
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
          The credit is <Amount value={total_amount} currency={currency} />, with a tax of <Amount value={tax_amount} />
          .
        </p>
        <Warnings value={warnings} />
      </>
    )}
  </Fetch>
);

type PartsProps = { readonly sale: Document; readonly parts: Parts; readonly onInput: (parts: Parts) => void };

const CreditParts = ({ sale, parts, onInput }: PartsProps) => {
  // Prices that include the tax are credited with it.
  const basis = sale.tax_included ? 'with tax' : 'before tax';
  const field = (id: string, name: keyof Part, label: string) => (
    <Input
      label={label}
      value={parts[id]?.[name] ?? ''}
      onInput={(text) => onInput({ ...parts, [id]: { ...nothing, [name]: text } })}
      isDecimal
    />
  );
  return (
    <>
      {sale.line_items.map(({ id, description, product_tax_code, quantity, net_amount }) => (
        <fieldset key={id}>
          <legend>
            {description ?? product_tax_code ?? id}: quantity {quantity}, {grouped(net_amount)} {basis}
          </legend>
          {field(id, 'quantity', 'Quantity')}
          {field(id, 'amount', `or amount ${basis}`)}
        </fieldset>
      ))}
      {[sale.shipping ?? []].flat().map(({ id, net_amount }) => (
        <fieldset key={id}>
          <legend>
            {Array.isArray(sale.shipping) ? `Shipping ${id}` : 'Shipping'}: {grouped(net_amount)} {basis}
          </legend>
          {field(id, 'amount', `Amount ${basis}`)}
        </fieldset>
      ))}
    </>
  );
};

type CreditInput = { readonly isWhole: boolean; readonly parts: Parts; readonly reference: string };
const isEmpty = ({ isWhole, parts }: CreditInput): boolean => !isWhole && !Object.values(parts).some(isTaken);

const Credit = ({ transaction, onChange }: Props) => {
  const calculated = ({ isWhole, parts }: CreditInput) => ({
    type: 'credit' as const,
    parent_transaction_id: transaction.id,
    ...(isWhole ? { credit_remaining: true } : creditedParts(transaction, parts)),
  });
  return (
    <ConfirmButton
      title="Credit"
      label="Record the credit"
      cancelLabel="Do not credit"
      initial={{ isWhole: true, parts: {}, reference: '' } as CreditInput}
      body={(input) =>
        ({ ...calculated(input), status: 'finalized', reference_id: input.reference.trim() || null }) as const
      }
      missing={(input) => isEmpty(input) && 'Enter a quantity or an amount.'}
      write={(body, levy, idempotencyKey) =>
        readData(levy.post('/transactions', { body, idempotencyKey, maxTries: 4 }))
      }
      onDone={onChange}
    >
      {(input, set) => (
        <>
          <p>
            This records a finalized credit of the {getName(transaction)}, with the tax that was recorded. It counts in
            the return of today’s period. It does not pay money back.
          </p>
          <Check type="radio" isChecked={input.isWhole} onChange={() => set({ isWhole: true })}>
            The whole remaining amount
          </Check>
          <Check type="radio" isChecked={!input.isWhole} onChange={() => set({ isWhole: false })}>
            Parts of it
          </Check>
          {!input.isWhole && <CreditParts sale={transaction} parts={input.parts} onInput={(parts) => set({ parts })} />}
          <Input
            label="Reference of the credit (optional)"
            value={input.reference}
            onInput={(reference) => set({ reference })}
          />
          {!isEmpty(input) && <Preview body={calculated(input)} />}
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
      {isOpen && isZero(transaction.credited_amount) && <Void transaction={transaction} onChange={onChange} />}
      {transaction.status !== 'void' && (
        <Note key={transaction.version} transaction={transaction} onChange={onChange} />
      )}
    </div>
  );
};
