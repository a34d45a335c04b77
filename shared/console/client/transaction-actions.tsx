import { useState } from 'preact/hooks';
import type { Levy, Schemas } from '../../client/client.ts';
import { grouped, isZero } from './format.ts';
import { ConfirmButton, Fetch, readData } from './load.tsx';
import { Amount, Check, Input, Warnings } from './parts.tsx';
import { useSession } from './session.ts';

type Document = Schemas['RetrievedTransaction'];
type Props = { readonly of: Document; readonly onChange: () => void };

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

const Void = ({ of, onChange }: Props) => {
  const [reason, setReason] = useState('');
  const body = { status: 'void', void_reason: reason.trim() || null } as const;
  return (
    <ConfirmButton
      title="Void"
      label={`Void the ${of.type}`}
      cancelLabel={`Keep the ${of.type}`}
      write={update(of, body)}
      onOpen={() => setReason('')}
      onDone={onChange}
      content={JSON.stringify(body)}
      missing={reason.trim() === '' ? 'Enter the reason.' : ''}
    >
      <p>
        This voids the {getName(of)} of <Amount of={of.total_amount} currency={of.currency} />, with its tax of{' '}
        <Amount of={of.tax_amount} />. It is removed from the return of its period. This cannot be undone. After the
        period is closed, record a credit instead.
      </p>
      <Input label="Reason" value={reason} onInput={setReason} most={500} />
    </ConfirmButton>
  );
};

/** The key of a transaction's metadata that holds a note of the finance team. */
const noteKey = 'note';

const Note = ({ of, onChange }: Props) => {
  const known = of.metadata[noteKey] ?? '';
  const [note, setNote] = useState(known);
  const body = { metadata: { [noteKey]: note.trim() || null } };
  return (
    <ConfirmButton
      title={known ? 'Change the note' : 'Add a note'}
      label="Save the note"
      cancelLabel="Discard"
      write={update(of, body)}
      onOpen={() => setNote(known)}
      onDone={onChange}
      content={JSON.stringify(body)}
      missing={note.trim() === known ? 'Enter a new text.' : ''}
    >
      <p>
        The note is stored with the {of.type}, as the metadata key “note”. The history shows who changed it and when.
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
    of={JSON.stringify(body)}
    what="the amounts"
    read={(levy, signal) => readData(levy.post('/calculations', { body, signal }))}
  >
    {({ total_amount, tax_amount, currency, warnings }) => (
      <>
        <p role="status">
          The credit is <Amount of={total_amount} currency={currency} />, with a tax of <Amount of={tax_amount} />.
        </p>
        <Warnings of={warnings} />
      </>
    )}
  </Fetch>
);

const CreditParts = ({ of, parts, onInput }: { of: Document; parts: Parts; onInput: (parts: Parts) => void }) => {
  const set = (id: string, change: Partial<Part>) =>
    onInput({ ...parts, [id]: { ...nothing, ...parts[id], ...change } });
  // Prices that include the tax are credited with it.
  const basis = of.tax_included ? 'with tax' : 'before tax';
  return (
    <>
      {of.line_items.map(({ id, description, product_tax_code, quantity, net_amount }) => (
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
      {[of.shipping ?? []].flat().map(({ id, net_amount }) => (
        <fieldset key={id}>
          <legend>
            {Array.isArray(of.shipping) ? `Shipping ${id}` : 'Shipping'}: {grouped(net_amount)} {basis}
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

const Credit = ({ of, onChange }: Props) => {
  const [isWhole, setWhole] = useState(true);
  const [parts, setParts] = useState<Parts>({});
  const [reference, setReference] = useState('');
  const parent = { type: 'credit', parent_transaction_id: of.id } as const;
  const requested = { ...parent, ...(isWhole ? { credit_remaining: true } : creditedParts(of, parts)) };
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
        This records a finalized credit of the {getName(of)}, with the tax that was recorded. It counts in the return of
        today’s period. It does not pay money back.
      </p>
      <Check type="radio" isChecked={isWhole} onChange={() => setWhole(true)}>
        The whole remaining amount
      </Check>
      <Check type="radio" isChecked={!isWhole} onChange={() => setWhole(false)}>
        Parts of it
      </Check>
      {!isWhole && <CreditParts of={of} parts={parts} onInput={setParts} />}
      <Input label="Reference of the credit (optional)" value={reference} onInput={setReference} />
      {!isEmpty && <Preview body={requested} />}
    </ConfirmButton>
  );
};

/** The actions on a transaction. Each action shows its effect before it runs. */
export const TransactionActions = ({ of, onChange }: Props) => {
  const { canWrite } = useSession();
  if (!canWrite) return null;
  const isOpen = of.status === 'draft' || of.status === 'finalized';
  const isCreditable =
    of.type === 'sale' && (of.status === 'finalized' || of.status === 'filed') && of.refund_status !== 'full';
  return (
    <div class="actions">
      {isCreditable && <Credit of={of} onChange={onChange} />}
      {isOpen && isZero(of.credited_amount) && <Void of={of} onChange={onChange} />}
      {of.status !== 'void' && <Note key={of.version} of={of} onChange={onChange} />}
    </div>
  );
};
