import { useState } from 'preact/hooks';
import { orThrow, type Schemas } from '../../client/client.ts';
import { ActionButton, useAction } from './action.tsx';
import { certificatesFrom, reasons } from './certificates.ts';
import { Load, useLoad } from './load.tsx';
import { Field, valuesOf } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

type Stored = Schemas['StoredCustomer'];

const Certificates = ({ of }: { of: Stored }) => (
  <Table
    caption="Certificates"
    columns={[
      { name: 'Number', cell: (row) => row.certificate_number },
      { name: 'Reason', cell: (row) => row.reason.replaceAll('_', ' ') },
      { name: 'States', cell: (row) => row.states?.join(', ') ?? 'all' },
      { name: 'From', cell: (row) => row.valid_from },
      { name: 'To', cell: (row) => row.valid_to },
    ]}
    rows={of.exemptions}
    keyOf={(row) => JSON.stringify(row)}
    empty="No certificates."
  />
);

const CertificateFields = ({ of, at }: { of: Partial<Stored['exemptions'][number]>; at: number }) => (
  <fieldset>
    <legend>Certificate {at + 1}</legend>
    <Field name={`number-${at}`} label="Number" value={of.certificate_number ?? ''} />
    <Field
      name={`reason-${at}`}
      label="Reason"
      value={of.reason ?? ''}
      options={[['', 'No certificate'], ...reasons.map((name) => [name, name.replaceAll('_', ' ')] as const)]}
    />
    <Field name={`states-${at}`} label="States, such as MI, OH; empty for all" value={of.states?.join(', ') ?? ''} />
    <Field name={`from-${at}`} label="Valid from" type="date" value={of.valid_from ?? ''} />
    <Field name={`to-${at}`} label="Valid to" type="date" value={of.valid_to ?? ''} />
  </fieldset>
);

const Edit = ({ of, onDone }: { of: Stored; onDone: () => void }) => {
  const { levy } = useSession();
  const [body, setBody] = useState<Schemas['CustomerUpdate'] | null>(null);
  const action = useAction(
    async (idempotencyKey) =>
      orThrow(
        await levy.post('/customers/{id}', {
          path: { id: of.id },
          body: body as Schemas['CustomerUpdate'],
          idempotencyKey,
          headers: { 'If-Match': `"${of.version}"` },
        }),
      ),
    onDone,
    JSON.stringify(body),
  );
  const count = body?.exemptions?.length ?? 0;
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        const values = valuesOf(event.currentTarget);
        setBody({ name: values['name'] || null, exemptions: certificatesFrom(values, of.exemptions.length + 1) });
      }}
      onInput={() => setBody(null)}
    >
      <Field name="name" label="Name" value={of.name ?? ''} />
      {[...of.exemptions, {}].map((certificate, at) => (
        <CertificateFields key={at} of={certificate} at={at} />
      ))}
      {body === null ? (
        <button type="submit">Review the change</button>
      ) : (
        <>
          <p class="notice">
            {of.id} gets the name {body.name ?? '(none)'} and {count} certificates instead of {of.exemptions.length}.
            Sales from now on use them; recorded sales stay as they are.
          </p>
          <ActionButton action={action} label="Save" />
          {action.trouble?.kind === 'changed' && (
            <button type="button" onClick={onDone}>
              Load it again
            </button>
          )}
        </>
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
          <Certificates of={found} />
          {canWrite && <Edit key={found.version} of={found} onDone={customer.reload} />}
        </>
      )}
    </Load>
  );
};
