import { useState } from 'preact/hooks';
import { orThrow, type Schemas } from '../../client/client.ts';
import { type Action, ActionButton, useAction } from './action.tsx';
import { certificatesFrom, reasons, removed } from './certificates.ts';
import { Load, useLoad } from './load.tsx';
import { Field, valuesOf, wordsOf } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

type Stored = Schemas['StoredCustomer'];

const Certificates = ({ of, caption }: { of: readonly Schemas['CertificateRequest'][]; caption: string }) => (
  <Table
    caption={caption}
    columns={[
      { name: 'Number', cell: (row) => row.certificate_number },
      { name: 'Reason', cell: (row) => wordsOf(row.reason) },
      { name: 'States', cell: (row) => row.states?.join(', ') ?? 'all' },
      { name: 'From', cell: (row) => row.valid_from },
      { name: 'To', cell: (row) => row.valid_to },
    ]}
    rows={of}
    keyOf={(row) => JSON.stringify(row)}
    empty="No certificates."
  />
);

const choices = [
  ['', 'Choose a reason'],
  ...reasons.map((name) => [name, wordsOf(name)] as const),
  [removed, 'Remove this certificate'],
] as const;

const CertificateFields = ({ of, at }: { of: Partial<Stored['exemptions'][number]>; at: number }) => (
  <fieldset>
    <legend>{of.reason ? `Certificate ${at + 1}` : 'New certificate'}</legend>
    <Field name={`number-${at}`} label="Number" value={of.certificate_number ?? ''} />
    <Field name={`reason-${at}`} label="Reason" value={of.reason ?? ''} options={choices} />
    <Field name={`states-${at}`} label="States, such as MI, OH; empty for all" value={of.states?.join(', ') ?? ''} />
    <Field name={`from-${at}`} label="Valid from" type="date" value={of.valid_from ?? ''} />
    <Field name={`to-${at}`} label="Valid to" type="date" value={of.valid_to ?? ''} />
  </fieldset>
);

type Change = { readonly name: string | null; readonly exemptions: Schemas['CertificateRequest'][] };

/** The effect of the change, before it is saved. */
const Review = ({ id, body, action, reload }: { id: string; body: Change; action: Action; reload: () => void }) => (
  <div class="review">
    <p>
      {id} gets the name {body.name ?? '(none)'} and these certificates. Sales from now on use them; recorded sales stay
      as they are.
    </p>
    <Certificates of={body.exemptions} caption="Certificates after the change" />
    <ActionButton action={action} label="Save" />
    {action.trouble?.kind === 'changed' && (
      <button type="button" onClick={reload}>
        Load it again
      </button>
    )}
  </div>
);

const Edit = ({ of, onDone }: { of: Stored; onDone: () => void }) => {
  const { levy } = useSession();
  const [body, setBody] = useState<Change | null>(null);
  const [problem, setProblem] = useState('');
  const headers = { 'If-Match': `"${of.version}"` };
  const action = useAction(
    async (idempotencyKey) =>
      orThrow(await levy.post('/customers/{id}', { path: { id: of.id }, body: body ?? {}, idempotencyKey, headers })),
    onDone,
    JSON.stringify(body),
  );
  const review = (values: Record<string, string>) => {
    const found = certificatesFrom(values, of.exemptions.length + 1);
    setProblem(found.ok ? '' : found.problem);
    if (found.ok) setBody({ name: values['name'] || null, exemptions: found.certificates });
  };
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        review(valuesOf(event.currentTarget));
      }}
      onInput={() => setBody(null)}
    >
      <h2>Edit</h2>
      <Field name="name" label="Name" value={of.name ?? ''} />
      {[...of.exemptions, {}].map((certificate, at) => (
        <CertificateFields key={at} of={certificate} at={at} />
      ))}
      {problem && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {body ? (
        <Review id={of.id} body={body} action={action} reload={onDone} />
      ) : (
        <button type="submit">Review the change</button>
      )}
    </form>
  );
};

/** A customer with its certificates. */
export const Customer = ({ id }: { id: string }) => {
  const { levy, canWrite } = useSession();
  const customer = useLoad(id, async (signal) => orThrow(await levy.get('/customers/{id}', { path: { id }, signal })));
  return (
    <Load of={customer} what="the customer">
      {(found) => (
        <>
          <h1>{found.name ?? found.id}</h1>
          <p>
            {found.id} · <a href={linkTo(['transactions'], { customer_id: found.id })}>Transactions</a>
          </p>
          <Certificates of={found.exemptions} caption="Certificates" />
          {canWrite && <Edit key={found.version} of={found} onDone={customer.reload} />}
        </>
      )}
    </Load>
  );
};
