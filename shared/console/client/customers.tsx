import { dayMs } from '../../base/calendar.ts';
import type { Schemas } from '../../client/client.ts';
import { ReviewForm } from './actions.tsx';
import { jsonPage, pickColumns } from './export-file.ts';
import { Field, Fields, SearchForm } from './fields.tsx';
import { getStateLetters, todayIn, toWords } from './format.ts';
import { certificatesFrom, reasons, removed } from './forms.ts';
import { List } from './list.tsx';
import { Get, readData } from './load.tsx';
import { Status } from './parts.tsx';
import { linkTo, pickParameters, type ViewProps } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

type Stored = Schemas['StoredCustomer'];

/** A link to a file outside of Levy. The API accepts only https, but the preview of a change shows the typed text. */
const DocumentLink = ({ address }: { address: string }) =>
  address.startsWith('https://') ? (
    <a href={address} target="_blank" rel="noopener noreferrer">
      Open the document
    </a>
  ) : (
    address
  );

/** The last day of a certificate, with a mark if it has passed. */
const LastDay = ({ day }: { day: string | null | undefined }) => {
  const today = todayIn(useSession().account.time_zone, Date.now());
  return (
    <>
      {day} {day && day < today && <Status value="expired" tone="bad" />}
    </>
  );
};

const firstToExpire = ({ exemptions }: Stored): string | undefined =>
  exemptions.flatMap(({ valid_to }) => valid_to ?? []).sort()[0];

type CertificatesProps = { readonly certificates: readonly Schemas['CertificateRequest'][]; readonly caption: string };

const Certificates = ({ certificates, caption }: CertificatesProps) => (
  <Table
    caption={caption}
    columns={[
      ['Number', (row) => row.certificate_number],
      ['Reason', (row) => toWords(row.reason)],
      ['States', (row) => row.states?.join(', ') ?? 'all'],
      ['From', (row) => row.valid_from],
      ['To', (row) => <LastDay day={row.valid_to} />],
      ['Document', ({ document_url: url }) => url && <DocumentLink address={url} />],
    ]}
    rows={certificates}
    empty="No certificates."
  />
);

const choices = [['', 'Choose a reason'], ...reasons, [removed, 'Remove this certificate']] as const;
const certificateFields = [
  ['certificate_number', 'Number'],
  ['document_url', 'Link to the document, https://…'],
  ['reason', 'Reason', choices],
  ['states', 'States, such as MI, OH; empty for all'],
  ['valid_from', 'Valid from', 'date'],
  ['valid_to', 'Valid to', 'date'],
] as const;

type EditProps = { readonly customer: Stored | null; readonly onDone: (saved: Stored) => void };

/** The form of a customer, or of a new one. It shows the effect of the change before it is saved. */
const Edit = ({ customer, onDone }: EditProps) => {
  const { exemptions = [], name = null } = customer ?? {};
  return (
    <ReviewForm
      read={(values) => {
        const certificates = certificatesFrom(values);
        if (typeof certificates === 'string') return certificates;
        return { id: customer?.id ?? values['id'] ?? '', name: values['name'] || null, exemptions: certificates };
      }}
      write={({ id, ...change }, levy, idempotencyKey) => {
        if (!customer) return readData(levy.post('/customers', { body: { id, ...change }, idempotencyKey }));
        const headers = { 'If-Match': `"${customer.version}"` };
        return readData(levy.post('/customers/{id}', { path: { id }, body: change, idempotencyKey, headers }));
      }}
      onDone={onDone}
      labels={[`Review the ${customer ? 'change' : 'customer'}`, 'Save']}
      preview={(body) => (
        <>
          <p>
            {body.id} gets the name {body.name ?? '(none)'} and these certificates. Sales from now on use them; recorded
            sales do not change.
          </p>
          <Certificates certificates={body.exemptions} caption="Certificates after the change" />
        </>
      )}
    >
      {customer && <h2>Edit</h2>}
      {!customer && <Field field={['id', 'Id of the customer in your system']} required />}
      <Field field={['name', 'Name']} value={name} />
      {[...exemptions, null].map((row, at) => (
        <Fields
          key={at}
          legend={row ? `Certificate ${at + 1}` : 'New certificate'}
          fields={certificateFields}
          values={{ ...row, states: row?.states?.join(', ') }}
          at={at}
        />
      ))}
    </ReviewForm>
  );
};

const NewCustomer = () => (
  <>
    <h1>New customer</h1>
    {useSession().canWrite ? (
      <Edit customer={null} onDone={({ id }) => location.assign(linkTo(['customers', id]))} />
    ) : (
      <p class="hint">Your credential is read-only. Creating a customer requires the scope write.</p>
    )}
  </>
);

/** A customer with its certificates. */
const Customer = ({ id }: { id: string }) => {
  const { canWrite } = useSession();
  return (
    <Get what="the customer" path="/customers/{id}" id={id}>
      {(found, reload) => (
        <>
          <h1>{found.name ?? id}</h1>
          <p>
            {id} · <a href={linkTo(['transactions'], { customer_id: id })}>Transactions</a>
          </p>
          <Certificates certificates={found.exemptions} caption="Certificates" />
          {canWrite && <Edit key={found.version} customer={found} onDone={reload} />}
        </>
      )}
    </Get>
  );
};

const unique = (texts: readonly string[]): string => [...new Set(texts)].sort().join(', ');

const certificateColumns = certificateFields.map(([name]) => name);
const exportColumns = ['id', 'name', ...certificateColumns] as const;

/** Returns a row for each certificate, or one for a customer without any, as `npm run customers -- put` reads them. */
const exportRows = ({ id, name, exemptions }: Stored) =>
  (exemptions.length > 0 ? exemptions : [null]).map((row) => ({
    id,
    name,
    ...pickColumns(certificateColumns, row && { ...row, states: row.states?.join(';') ?? 'all' }),
  }));

const Links = () => {
  const { account, canWrite } = useSession();
  const inSixtyDays = todayIn(account.time_zone, Date.now() + 60 * dayMs);
  return (
    <div class="actions">
      <a href={linkTo(['customers'], { expiring_before: inSixtyDays })}>Certificates that expire within 60 days</a>
      {canWrite && <a href={linkTo(['customers'], { new: 'yes' })}>New customer</a>}
    </div>
  );
};

/** The list of customers and their exemption certificates, or a single customer. */
export const Customers = ({ path: [id], query }: ViewProps) => {
  if (query.has('new')) return <NewCustomer />;
  if (id) return <Customer key={id} id={id} />;
  const filters = pickParameters(query, ['search', 'expiring_before', 'state']);
  return (
    <>
      <h1>Customers</h1>
      <SearchForm
        to={(values) => linkTo(['customers'], values)}
        fields={[
          ['search', 'Name or id contains'],
          ['expiring_before', 'With a certificate that expires before', 'date'],
          ['state', 'State'],
        ]}
        values={filters}
        button="Find"
      />
      <SearchForm
        to={({ id = '' }) => linkTo(['customers', id])}
        fields={[['id', 'Customer id']]}
        button="Open"
        isRequired
      />
      <Links />
      <List
        view="customers"
        query={query}
        filters={filters}
        get={(levy, input) => levy.get('/customers', input)}
        toRows={(row) => [row]}
        readCsv={async (levy, input) => jsonPage(exportColumns, exportRows, await levy.get('/customers', input))}
        caption="Customers with certificates"
        columns={[
          ['Id', (row) => <a href={linkTo(['customers', row.id])}>{row.id}</a>, '', (row) => row.id],
          ['Name', ({ name }) => name],
          ['Certificates', ({ exemptions }) => exemptions.length, 'figure'],
          ['Reasons', ({ exemptions }) => unique(exemptions.map(({ reason }) => toWords(reason)))],
          [
            'States',
            ({ exemptions }) => unique(exemptions.flatMap(({ states }) => states?.map(getStateLetters) ?? ['all'])),
          ],
          ['First to expire', (row) => <LastDay day={firstToExpire(row)} />, '', firstToExpire],
        ]}
      />
    </>
  );
};
