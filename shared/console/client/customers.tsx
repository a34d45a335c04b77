import { useState } from 'preact/hooks';
import { orThrow, type Schemas } from '../../client/client.ts';
import { certificatesFrom, reasons, removed } from './certificates.ts';
import { dayMs, todayIn } from './days.ts';
import { type Action, ActionButton, Load, useAction, useCall } from './load.tsx';
import { Field, SearchForm, Table, valuesOf, wordsOf } from './parts.tsx';
import { linkTo, parametersOf, queryOf, type ViewProps } from './route.ts';
import { useSession } from './session.ts';

type Stored = Schemas['StoredCustomer'];

const Certificates = ({ of, caption }: { of: readonly Schemas['CertificateRequest'][]; caption: string }) => (
  <Table
    caption={caption}
    columns={[
      ['Number', (row) => row.certificate_number],
      ['Reason', (row) => wordsOf(row.reason)],
      ['States', (row) => row.states?.join(', ') ?? 'all'],
      ['From', (row) => row.valid_from],
      ['To', (row) => row.valid_to],
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
  const { canWrite } = useSession();
  const customer = useCall(id, (levy, signal) => levy.get('/customers/{id}', { path: { id }, signal }));
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

const List = ({ query }: Pick<ViewProps, 'query'>) => {
  const filters = parametersOf(query, ['expiring_before', 'state', 'starting_after']);
  const list = useCall(JSON.stringify(filters), (levy, signal) =>
    levy.get('/customers', { query: { ...filters, limit: 50 }, signal }),
  );
  return (
    <Load of={list} what="customers">
      {({ data, next_cursor }) => (
        <>
          <Table
            caption="Customers with certificates"
            columns={[
              ['Id', ({ id }) => <a href={linkTo(['customers', id])}>{id}</a>],
              ['Name', ({ name }) => name],
              ['Certificates', ({ exemptions }) => exemptions.length, 'figure'],
              ['First to expire', ({ exemptions }) => exemptions.flatMap(({ valid_to }) => valid_to ?? []).sort()[0]],
            ]}
            rows={data}
            keyOf={({ id }) => id}
            empty={next_cursor ? 'No customer matches on this page.' : 'No customer matches.'}
          />
          <div class="pages">
            {query.get('starting_after') && (
              <a href={linkTo(['customers'], { ...queryOf(query), starting_after: '' })}>First page</a>
            )}
            {next_cursor && (
              <a href={linkTo(['customers'], { ...queryOf(query), starting_after: next_cursor })}>Next page</a>
            )}
          </div>
        </>
      )}
    </Load>
  );
};

/** Customers and their exemption certificates. */
export const Customers = ({ path, query }: ViewProps) => {
  const { account } = useSession();
  const inSixtyDays = todayIn(account.time_zone, Date.now() + 60 * dayMs);
  const [id] = path;
  if (id) return <Customer key={id} id={id} />;
  return (
    <>
      <h1>Customers</h1>
      <SearchForm to={(values) => linkTo(['customers'], values)}>
        <Field
          name="expiring_before"
          label="With a certificate that expires before"
          type="date"
          value={query.get('expiring_before')}
        />
        <Field name="state" label="State" value={query.get('state')} />
        <button type="submit">Find</button>
      </SearchForm>
      <SearchForm to={(values) => linkTo(['customers', values['id'] ?? ''])}>
        <Field name="id" label="Customer id" isRequired />
        <button type="submit">Open</button>
      </SearchForm>
      <p>
        <a href={linkTo(['customers'], { expiring_before: inSixtyDays })}>Certificates that expire within 60 days</a>
      </p>
      <List query={query} />
    </>
  );
};
