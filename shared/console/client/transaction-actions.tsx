import { useState } from 'preact/hooks';
import type { Levy, Schemas } from '../../client/client.ts';
import { grouped, isZero } from './format.ts';
import { ConfirmButton, Fetch, readData } from './load.tsx';
import { Amount, Check, Input, Warnings } from './parts.tsx';
import { useSession } from './session.ts';

type Document = Schemas['RetrievedTransaction'];
type Props = { readonly transaction: Document; readonly onChange: () => void };

/** Changes the version that is on the page. A change by somebody else in the meantime is refused. */
const update =
  ({ id, version }: Document, body: Schemas['TransactionUpdate']) =>
  (levy: Levy, idempotencyKey: string) =>
    readData(
      levy.post('/transactions/{id}', {
        path: { id },
        body,
        idempotencyKey,
        maxTries: 4,
        headers: { 'If-Match': `"${version}"` },
      }),
    );

const getName = ({ type, reference_id, id }: Document): string => `${type} ${reference_id ?? id}`;

const Void = ({ transaction, onChange }: Props) => {
  const [reason, setReason] = useState('');
  const body = { status: 'void', void_reason: reason.trim() || null } as const;
  return (
    <ConfirmButton
      title="Void"
      label={`Void the ${transaction.type}`}
      cancelLabel={`Keep the ${transaction.type}`}
      write={update(transaction, body)}
      onOpen={() => setReason('')}
      onDone={onChange}
      content={JSON.stringify(body)}
      missing={reason.trim() === '' ? 'Enter the reason.' : ''}
    >
      <p>
        This voids the {getName(transaction)} of{' '}
        <Amount value={transaction.total_amount} currency={transaction.currency} />, with its tax of{' '}
        <Amount value={transaction.tax_amount} />. It is removed from the return of its period. This cannot be undone.
        After the period is closed, record a credit instead.
      </p>
      <Input label="Reason" value={reason} onInput={setReason} most={500} />
    </ConfirmButton>
  );
};

/** The key of a transaction's metadata that holds a note of the finance team. */
const noteKey = 'note';

const Note = ({ transaction, onChange }: Props) => {
  const known = transaction.metadata[noteKey] ?? '';
  const [note, setNote] = useState(known);
  const body = { metadata: { [noteKey]: note.trim() || null } };
  return (
    <ConfirmButton
      title={known ? 'Change the note' : 'Add a note'}
      label="Save the note"
      cancelLabel="Discard"
      write={update(transaction, body)}
      onOpen={() => setNote(known)}
      onDone={onChange}
      content={JSON.stringify(body)}
      missing={note.trim() === known ? 'Enter a new text.' : ''}
    >
      <p>
        The note is stored with the {transaction.type}, as the metadata key “note”. The history shows who changed it and
        when.
      </p>
      <Input label="Note" value={note} onInput={setNote} most={500} />
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

const CreditParts = ({
  transaction,
  parts,
  onInput,
}: {
  transaction: Document;
  parts: Parts;
  onInput: (parts: Parts) => void;
}) => {
  const set = (id: string, change: Partial<Part>) =>
    onInput({ ...parts, [id]: { ...nothing, ...parts[id], ...change } });
  // Prices that include the tax are credited with it.
  const basis = transaction.tax_included ? 'with tax' : 'before tax';
  return (
    <>
      {transaction.line_items.map(({ id, description, product_tax_code, quantity, net_amount }) => (
        <fieldset key={id}>
          <legend>
            {description ?? product_tax_code ?? id}: quantity {quantity}, {grouped(net_amount)} {basis}
          </legend>
          <Input
            label="Quantity"
            value={parts[id]?.quantity ?? ''}
            onInput={(quantity) => set(id, { quantity, amount: '' })}
            isDecimal
          />
          <Input
            label={`or amount ${basis}`}
            value={parts[id]?.amount ?? ''}
            onInput={(amount) => set(id, { amount, quantity: '' })}
            isDecimal
          />
        </fieldset>
      ))}
      {[transaction.shipping ?? []].flat().map(({ id, net_amount }) => (
        <fieldset key={id}>
          <legend>
            {Array.isArray(transaction.shipping) ? `Shipping ${id}` : 'Shipping'}: {grouped(net_amount)} {basis}
          </legend>
          <Input
            label={`Amount ${basis}`}
            value={parts[id]?.amount ?? ''}
            onInput={(amount) => set(id, { amount })}
            isDecimal
          />
        </fieldset>
      ))}
    </>
  );
};

const Credit = ({ transaction, onChange }: Props) => {
  const [isWhole, setWhole] = useState(true);
  const [parts, setParts] = useState<Parts>({});
  const [reference, setReference] = useState('');
  const parent = { type: 'credit', parent_transaction_id: transaction.id } as const;
  const requested = { ...parent, ...(isWhole ? { credit_remaining: true } : creditedParts(transaction, parts)) };
  const isEmpty = !isWhole && !Object.values(parts).some(isTaken);
  const body = { ...requested, status: 'finalized', reference_id: reference.trim() || null } as const;
  const reset = () => {
    setWhole(true);
    setParts({});
    setReference('');
  };
  return (
    <ConfirmButton
      title="Credit"
      label="Record the credit"
      cancelLabel="Do not credit"
      write={(levy, idempotencyKey) => readData(levy.post('/transactions', { body, idempotencyKey, maxTries: 4 }))}
      onOpen={reset}
      onDone={onChange}
      content={JSON.stringify(body)}
      missing={isEmpty ? 'Enter a quantity or an amount.' : ''}
    >
      <p>
        This records a finalized credit of the {getName(transaction)}, with the tax that was recorded. It counts in the
        return of today’s period. It does not pay money back.
      </p>
      <Check type="radio" isChecked={isWhole} onChange={() => setWhole(true)}>
        The whole remaining amount
      </Check>
      <Check type="radio" isChecked={!isWhole} onChange={() => setWhole(false)}>
        Parts of it
      </Check>
      {!isWhole && <CreditParts transaction={transaction} parts={parts} onInput={setParts} />}
      <Input label="Reference of the credit (optional)" value={reference} onInput={setReference} />
      {!isEmpty && <Preview body={requested} />}
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
