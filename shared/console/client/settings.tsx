import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { ReviewForm } from './actions.tsx';
import { addressFields, Field, Fields, type FieldsProps } from './fields.tsx';
import { getStateLetters, toWords } from './format.ts';
import { groupValues, splitList, type Values } from './forms.ts';
import { Fetch } from './load.tsx';
import { Actor, Facts, Instant, Panel } from './parts.tsx';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

type Account = Schemas['Account'];
type Update = Schemas['AccountUpdate'];

/** The account with the ETag of its settings, which a change must send. */
type Read = { readonly account: Account; readonly tag: string };

const readAccount = async (levy: Levy, signal: AbortSignal): Promise<Read> => {
  const response = await levy.get('/account', { signal });
  return { account: orThrow(response), tag: response.headers.get('ETag') ?? '' };
};

const elections: readonly Schemas['RemoteSellerElectionName'][] = [
  'simplified_sellers_use_tax',
  'single_local_use_tax',
];
const frequencies: readonly Schemas['FilingFrequency'][] = ['month', 'quarter', 'half_year', 'year', 'fiscal_year'];
const modes = [
  ['registered_states', 'In the registered states'],
  ['every_state', 'In every state'],
  ['not_set', 'Not set: in every state, with a warning'],
] as const;
const reminders = [
  ['sent', 'Before the due date and when overdue'],
  ['none', 'None'],
] as const;
const shipFromFields = [...addressFields, ['country', 'Country, such as US']] as const;
const orNull = (text: string | undefined): string | null => text || null;
/**
 * Returns a number, or the text itself if it is not a number, so that the API refuses it: JSON would write NaN as
 * `null`.
 */
const parseNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : (text as never));

/** The fields of a setting for a state. */
type StateRow = Readonly<Record<string, string | null>> & { readonly state: string };

/**
 * Returns the rows of a setting by state, in upper case. Leaves out a row without a state, except a new row with other
 * values, which the API refuses.
 */
const listRows = (values: Values, before: readonly StateRow[]): StateRow[] =>
  groupValues(values)
    .filter(({ state, from, to, number }, at) => state || (at >= before.length && (from || to || number)))
    .map((row) => ({ ...row, state: (row['state'] ?? '').toUpperCase(), to: orNull(row['to']) }));

/** The settings of an update that differ from the account's settings. */
const changed = (update: Update, account: Account): Update =>
  Object.fromEntries(
    Object.entries(update).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(account[name as keyof Account]),
    ),
  );

/** Writes an object of a setting without its empty fields: `state MI, from 2026-10-01, frequency month`. */
const entryText = (entry: unknown): string =>
  entry !== null && typeof entry === 'object'
    ? Object.entries(entry)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => `${toWords(name)} ${name === 'state' ? getStateLetters(value) : entryText(value)}`)
        .join(', ')
    : String(entry ?? 'none');

type Change = { readonly setting: string; readonly before: unknown; readonly after: unknown };

const isList = (value: unknown): value is object[] => Array.isArray(value) && typeof value[0] === 'object';

/** Shows a value of a setting. In a list of objects, it leaves out the entries that the other list also has. */
const Value = ({ value, other }: { value: unknown; other: unknown }) => {
  const texts = (Array.isArray(value) ? value : [value]).map(entryText);
  if (texts.length === 0) return 'none';
  const others = isList(value) && isList(other) ? other.map(entryText) : [];
  return texts.filter((text) => !others.includes(text)).map((text) => <div key={text}>{text}</div>);
};

const valueColumns = [
  ['Setting', (row: Change) => toWords(row.setting)],
  ['Before', ({ before, after }: Change) => <Value value={before} other={after} />],
  ['After', ({ before, after }: Change) => <Value value={after} other={before} />],
] as const;

/** Lists the changes of an update. Collecting in every state removes the registrations. */
const listChanges = ({ ...update }: Update, account: Account): Change[] => {
  if (update.collects_in && account.registrations.length > 0) update.registrations ??= [];
  return Object.entries(update).map(([setting, after]) => ({
    setting,
    before: account[setting as keyof Account] ?? null,
    after,
  }));
};

type SectionProps = {
  readonly title: string;
  readonly loaded: Read;
  /** Returns the settings that the values of the form change. */
  readonly update: (values: Values) => Update;
  readonly children: preact.ComponentChildren;
};

/** A form that changes some settings, if nobody else changed any since the page was loaded. */
const Section = ({ title, loaded: { account, tag }, update, children }: SectionProps) => (
  <Panel title={title}>
    <ReviewForm
      read={update}
      write={async (body, levy) => orThrow(await levy.post('/account', { body, headers: { 'If-Match': tag } }))}
      // Every view uses the account that was loaded at the start of the session.
      onDone={() => location.reload()}
      labels={[`Review the change of ${title.toLowerCase()}`, `Save ${title.toLowerCase()}`]}
      preview={(body) =>
        Object.keys(body).length === 0 ? (
          <p>No setting has changed.</p>
        ) : (
          <>
            <Table
              caption={`Changes of ${title.toLowerCase()}`}
              columns={valueColumns}
              rows={listChanges(body, account)}
            />
            <p>
              This applies to new calculations and returns within a minute. Recorded transactions and closed filings do
              not change.
              {body.registrations !== undefined &&
                ' If a registration includes earlier days, the overview names the sales of these days to record again.'}
            </p>
          </>
        )
      }
    >
      {children}
    </ReviewForm>
  </Panel>
);

type RowsProps = Pick<FieldsProps, 'fields'> & {
  readonly rows: readonly StateRow[];
  /** The number of groups for new rows. */
  readonly added?: number;
  readonly legend?: string;
  readonly newLegend: string;
  /** The hint of a field, such as `such as MI`. */
  readonly example: string;
};

/** A group of fields for each row of a setting by state, and for new rows. */
const StateRows = ({ rows, added = 1, legend = '', newLegend, example, fields }: RowsProps) => (
  <>
    {[...rows, ...Array.from({ length: added }, () => null)].map((row, at) => (
      <Fields
        key={at}
        legend={row ? `${legend}${getStateLetters(row.state)}` : newLegend}
        fields={[['state', row ? 'State; empty removes it' : `State, ${example}`], ...fields]}
        values={row ? { ...row, state: getStateLetters(row.state) } : {}}
        at={at}
      />
    ))}
  </>
);

const termFields = [
  ['from', 'First day', 'date'],
  ['to', 'Last day; empty without an end', 'date'],
] as const;

const Registrations = ({ loaded }: { loaded: Read }) => {
  const rows = loaded.account.registrations;
  const update = ({ collects_in: mode, ...values }: Values): Update =>
    mode === 'every_state' || mode === 'not_set'
      ? { collects_in: mode }
      : { registrations: listRows(values, rows) as Schemas['Registration'][] };
  return (
    <Section title="Registrations" loaded={loaded} update={update}>
      <Field field={['collects_in', 'Levy calculates tax', modes]} value={loaded.account.collects_in} />
      <StateRows
        rows={rows}
        added={2}
        newLegend="New registration"
        example="such as MI"
        fields={[...termFields, ['frequency', 'Returns', frequencies]]}
      />
    </Section>
  );
};

const calendarFields = [
  ['books_open_from', 'First day of the books; empty for the default', 'date'],
  ['review_days', 'Days until the schedule closes an ended period, 0 to 20. If empty, only requests close periods'],
  ['reminders', 'Reminders of returns', reminders],
  ['reminder_days', 'Days before the due date; empty for overdue returns only'],
] as const;
const policyFields = [
  ['incomplete_coverage', 'If rates are missing', ['warn', 'reject']],
  ['ambiguous_address', 'If an address fits several places', ['warn', 'reject', 'highest_rate']],
  ['retail_delivery_fee', 'If a retail delivery fee is due', ['warn', 'add', 'none']],
] as const;

const Business = ({ loaded }: { loaded: Read }) => {
  const { account } = loaded;
  const { ship_from: from } = account;
  const update = (values: Values): Update => {
    const parts = shipFromFields.map(([name]) => [name, orNull(values[name])] as const);
    const isPlaced = parts.some(([name, text]) => name !== 'country' && text !== null);
    const replaced = parts.filter(([name, text]) => text !== (from?.[name] ?? null));
    const update: Update = {
      ship_from: isPlaced ? { ...from, ...Object.fromEntries(replaced) } : null,
      time_zone: values['time_zone'] ?? '',
      books_open_from: orNull(values['books_open_from']),
      review_days: values['review_days'] ? parseNumber(values['review_days']) : null,
      filing_reminder_days: values['reminders'] === 'none' ? null : splitList(values['reminder_days']).map(parseNumber),
      ...Object.fromEntries(policyFields.map(([name]) => [name, values[name]])),
    };
    return changed(update, account);
  };
  const calendar = {
    books_open_from: account.books_open_from,
    review_days: account.review_days?.toString(),
    reminders: account.filing_reminder_days ? 'sent' : 'none',
    reminder_days: account.filing_reminder_days?.join(', '),
  };
  return (
    <Section title="Sales and calendar" loaded={loaded} update={update}>
      <Fields legend="Ship-from address" fields={shipFromFields} values={from ?? {}} />
      <Field field={['time_zone', 'Time zone, such as America/New_York']} value={account.time_zone} required />
      <Fields legend="Calendar" fields={calendarFields} values={calendar} />
      <Fields
        legend="Unclear sales"
        fields={policyFields}
        values={Object.fromEntries(policyFields.map(([name]) => [name, account[name]]))}
      />
    </Section>
  );
};

const Elections = ({ loaded }: { loaded: Read }) => {
  const rows = loaded.account.remote_seller_elections;
  const update = (values: Values): Update => ({
    remote_seller_elections: listRows(values, rows) as Schemas['RemoteSellerElection'][],
  });
  return (
    <Section title="Elections of a remote seller" loaded={loaded} update={update}>
      <StateRows
        rows={rows}
        newLegend="New election"
        example="AL or TX"
        fields={[['election', 'Election', elections], ...termFields]}
      />
    </Section>
  );
};

const identityFields = [
  ['legal_name', 'Legal name; empty removes the identity'],
  ['type', 'Kind of taxpayer number', ['FEIN', 'SSN', 'Foreign']],
  ['number', 'Taxpayer number, nine digits'],
  ['sst_id', 'Streamlined Sales Tax id, such as S12345678'],
] as const;

const Identity = ({ loaded }: { loaded: Read }) => {
  const identity = loaded.account.return_identity;
  const rows = Object.entries(identity?.state_ids ?? {}).map(([state, number]) => ({ state, number }));
  const update = (values: Values): Update => {
    const [name, number] = [values['legal_name'] ?? '', values['number'] ?? ''];
    const return_identity = {
      legal_name: name,
      tin: { type: values['type'] as 'FEIN', number: number.replaceAll('-', '') },
      sst_id: orNull(values['sst_id']),
      state_ids: Object.fromEntries(listRows(values, rows).map(({ state, number }) => [state, String(number)])),
    };
    return changed({ return_identity: name || number ? return_identity : null }, loaded.account);
  };
  return (
    <Section title="Identity on returns" loaded={loaded} update={update}>
      <Fields
        legend="Business"
        fields={identityFields}
        values={{ ...identity?.tin, legal_name: identity?.legal_name, sst_id: identity?.sst_id }}
      />
      <StateRows
        rows={rows}
        legend="Account number in "
        newLegend="New account number of a state"
        example="such as MN"
        fields={[['number', 'Account number, such as 1234567']]}
      />
    </Section>
  );
};

const Shown = ({ loaded: { account } }: { loaded: Read }) => (
  <Panel title="Settings">
    <p class="hint">Your credential cannot change settings. Ask the operator for a key with the scope settings.</p>
    <Facts
      value={{
        'Levy calculates tax': modes.find(([name]) => name === account.collects_in)?.[1],
        'Time zone': account.time_zone,
        'Days before a period closes': account.review_days?.toString() ?? 'closed only by request',
        'Reminders, days before the due date': account.filing_reminder_days?.join(', ') ?? 'none',
        'Ship-from': [account.ship_from?.city, account.ship_from?.state, account.ship_from?.postal_code]
          .filter(Boolean)
          .join(', '),
        'Identity on returns': account.return_identity?.legal_name,
      }}
    />
    <Table
      caption="Registrations"
      columns={[
        ['State', (row) => getStateLetters(row.state)],
        ['From', (row) => row.from],
        ['To', (row) => row.to],
        ['Returns', (row) => toWords(row.frequency)],
      ]}
      rows={account.registrations}
      empty="No registrations."
    />
  </Panel>
);

/** The settings that finance can change, and who changed them. */
export const Settings = () => {
  const { account } = useSession();
  return (
    <>
      <h1>Settings</h1>
      <Fetch what="the settings" read={readAccount}>
        {(read) => (
          <>
            {account.scopes.includes('settings') ? (
              <>
                <Registrations loaded={read} />
                <Business loaded={read} />
                <Identity loaded={read} />
                <Elections loaded={read} />
              </>
            ) : (
              <Shown loaded={read} />
            )}
            <Panel title="History">
              <Table
                caption="Changes of settings, newest first"
                columns={[
                  ['At', (row) => <Instant value={row.at} />],
                  ['By', (row) => <Actor value={row.by} />],
                  ...valueColumns,
                ]}
                rows={(read.account.changes ?? []).map((row) => ({
                  ...row,
                  before: JSON.parse(row.before) as unknown,
                  after: JSON.parse(row.after) as unknown,
                }))}
                empty="No setting has changed since the account was created."
              />
            </Panel>
          </>
        )}
      </Fetch>
    </>
  );
};
