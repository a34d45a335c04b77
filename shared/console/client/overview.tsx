import { daysBetween } from '../../base/calendar.ts';
import type { Levy, Schemas } from '../../client/client.ts';
import { DueReturns } from './due-returns.tsx';
import { counted, getStateLetters, isZero, money, percent, todayIn } from './format.ts';
import { GettingStarted } from './getting-started.tsx';
import { Fetch, Get, readData } from './load.tsx';
import { Amount, Instant, Panel, Status, TransactionLink } from './parts.tsx';
import { linkTo, type ViewProps } from './route.ts';
import { useSession } from './session.ts';
import { Report } from './sums.tsx';
import { Table } from './table.tsx';

const getStatus = ({ source, local }: Schemas['StateCoverage']) => {
  if (source.proposal !== null) return 'proposed release';
  if (source.stale) return 'stale';
  // The warning `local_rates_outdated` adds sales in states with outdated local rates to the review list.
  return isZero(local.share_outdated ?? '0') ? 'current' : 'outdated local rates';
};
const ageTones = { 'proposed release': 'warn', stale: 'bad', 'outdated local rates': 'warn', current: 'good' };

/** The age of the rates of the registered states, and the states that need a decision. */
const ContentAge = () => {
  const { account } = useSession();
  const today = todayIn(account.time_zone, Date.now());
  const registered = new Set(account.registrations.map(({ state }) => getStateLetters(state)));
  return (
    <Panel title="Tax content">
      <Get what="the coverage" path="/coverage">
        {({ states }) => (
          <Table
            caption="Age of the rates: registered states, and states with stale files or a proposed release"
            columns={[
              ['State', ({ state, name }) => <a href={linkTo(['coverage', state])}>{name}</a>],
              ['Status', (row) => <Status value={getStatus(row)} tone={ageTones[getStatus(row)]} />],
              [
                'Rates as of',
                ({ source: { as_of } }) => as_of && `${as_of}, ${counted(daysBetween(as_of, today), 'day')} ago`,
              ],
              ['Next file expected', ({ source }) => source.next_expected],
              [
                'Details',
                (row) => {
                  if (row.source.proposal) return `Release ${row.source.release} awaits a decision.`;
                  const outdated =
                    getStatus(row) === 'outdated local rates' && percent(row.local.share_outdated ?? '0');
                  return outdated
                    ? `Newer rates of ${outdated} of the places are due and have not been imported.`
                    : row.source.stale_reason;
                },
              ],
            ]}
            rows={states
              .filter((row) => registered.has(row.state) || row.source.proposal || row.source.stale)
              .toSorted((a, b) => Number(getStatus(a) === 'current') - Number(getStatus(b) === 'current'))}
            empty="No state has stale files or a proposed release."
          />
        )}
      </Get>
    </Panel>
  );
};

const hourMs = 60 * 60_000;

/**
 * Returns the drafts that expire within one hour, or within 4 or 24 hours if they fit on one page, sorted by expiry.
 * Lists start with the newest, so this selects drafts by creation time, one draft lifetime earlier.
 */
const expiringDrafts = async (levy: Levy, lifetimeHours: number, signal: AbortSignal) => {
  const oldestMs = Date.now() - lifetimeHours * hourMs;
  const at = (hours: number): string => new Date(oldestMs + hours * hourMs).toISOString();
  const within = async (hours: number) => {
    // The page's clock may differ from the service's. The service does not list a draft after its deadline.
    const created = { 'created_at[gte]': at(-1), 'created_at[lt]': at(hours) };
    const query = { status: 'draft', limit: 100, ...created } as const;
    const { data, has_more } = await readData(levy.get('/transactions', { query, signal }));
    return { rows: data.sort((a, b) => ((a.expires_at ?? '') < (b.expires_at ?? '') ? -1 : 1)), hours, has_more };
  };
  let found = await within(1);
  for (const hours of [4, 24]) {
    if (found.has_more) break;
    const more = await within(hours);
    found = more.has_more ? { ...found, has_more: true } : more;
  }
  return found;
};

/** The drafts that expire first. */
const Drafts = () => {
  const { account } = useSession();
  return (
    <Panel title="Drafts about to expire">
      <Fetch what="drafts" read={(levy, signal) => expiringDrafts(levy, account.draft_ttl_hours, signal)}>
        {({ rows, hours, has_more }) => (
          <>
            <Table
              caption={`Drafts that expire within ${counted(hours, 'hour')}`}
              columns={[
                ['Reference', (row) => <TransactionLink value={row} />],
                ['Expires', (row) => row.expires_at && <Instant value={row.expires_at} />],
                ['Total', (row) => <Amount value={row.total_amount} currency={row.currency} />, 'figure'],
              ]}
              rows={rows}
              empty={has_more ? 'No drafts found so far.' : `No draft expires within ${counted(hours, 'hour')}.`}
            />
            {has_more && (
              <p class="hint">
                There may be more: see <a href={linkTo(['transactions'], { status: 'draft' })}>all drafts</a>.
              </p>
            )}
          </>
        )}
      </Fetch>
    </Panel>
  );
};

type Advice = Schemas['StateRegistrationAdvice'];

/** The style of a status that needs attention. */
const tones: Record<string, string> = {
  reached: 'bad',
  registered_later: 'bad',
  upcoming: 'warn',
  approaching: 'warn',
};

const formatTerms = ({ from, to, frequency }: Schemas['Registration']): string =>
  `since ${from}${to === null ? '' : ` until ${to}`}, each ${frequency.replace('_', ' ')}`;

/** Formats the sales of the measuring period closest to the threshold, with the threshold. */
const measuredText = ({ periods, threshold: { transaction_count: most, sales_amount } }: Advice): string => {
  const [period] = periods.toSorted((a, b) => (a.share_reached < b.share_reached ? 1 : -1));
  if (!period) return '';
  const count = most === null ? '' : `, ${period.transaction_count} of ${counted(most, 'transaction')}`;
  const sales = `${money(period.sales_amount)} of ${money(sales_amount, 'USD')}`;
  return `${sales}${count} (${percent(period.share_reached)})`;
};

/** The states in which the account is registered, or its sales reach the economic nexus threshold. */
const Registrations = () => {
  const { account } = useSession();
  const registered = Map.groupBy(account.registrations, ({ state }) => state);
  const isAdvised = ({ status }: Advice) => status in tones;
  return (
    <Panel title="Registrations and economic nexus">
      <Get what="the advice" path="/registrations/advice">
        {({ data }) => (
          <Table
            caption="States where you are registered, or where your sales approach the threshold"
            columns={[
              [
                'State',
                ({ state, state_name }) => <a href={linkTo(['coverage', getStateLetters(state)])}>{state_name}</a>,
              ],
              ['Status', ({ status }) => <Status value={status} tone={tones[status] ?? ''} />],
              ['Registered', ({ state }) => (registered.get(state) ?? []).map(formatTerms).join('; ')],
              ['Sales in the measuring period', measuredText, 'figure'],
              ['What to do', (row) => row.advice],
            ]}
            rows={data
              .filter((row) => registered.has(row.state) || isAdvised(row))
              .toSorted((a, b) => Number(isAdvised(b)) - Number(isAdvised(a)))}
            empty="No state’s threshold is near."
          />
        )}
      </Get>
    </Panel>
  );
};

/** The start page. */
export const Overview = ({ query }: ViewProps) => {
  const { account } = useSession();
  return (
    <>
      <h1>Overview</h1>
      {account.collects_in === 'not_set' && (
        <p class="notice">
          Registrations are not set: Levy calculates tax in every state, and no period closes automatically. Set them in
          the <a href={linkTo(['settings'])}>settings</a>.
        </p>
      )}
      <GettingStarted />
      <DueReturns />
      <Report query={query} />
      <Registrations />
      <Drafts />
      <ContentAge />
    </>
  );
};
