import { useState } from 'preact/hooks';
import { concurrently } from '../../base/collections.ts';
import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { listPeriods } from './filings.tsx';
import { amountsDue, counted, getTone, soonDays, totalDue } from './format.ts';
import { Fetch, Load, useLoad } from './load.tsx';
import { Amounts, Button, Cards, DueDate, Panel, PeriodLink, Status } from './parts.tsx';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

type Filing = Schemas['Filing'];
type Period = Pick<Filing, 'state' | 'period_start' | 'period_end' | 'due_date' | 'days_until_due'>;

/** A period that is over and not filed. `filing` is `null` if the period is not closed. */
type Due = Period & { readonly filing: Schemas['FilingList']['data'][number] | null };

/** Ended periods that are not filed yet, sorted by due date. */
const readDue = async (levy: Levy, signal: AbortSignal): Promise<Due[]> => {
  const [periods, ...filings] = await Promise.all([
    listPeriods(levy, signal),
    ...(['closing', 'closed', 'marking'] as const).map((status) =>
      Array.fromAsync(levy.list('/filings', { query: { status, limit: 100 }, signal })),
    ),
  ]);
  return [
    ...periods.filter(({ is_over }) => is_over).map((period) => ({ ...period, filing: null })),
    ...filings.flat().map((filing) => ({ ...filing, filing })),
  ].sort((a, b) => ((a.due_date ?? '9') < (b.due_date ?? '9') ? -1 : 1));
};

/** The amounts of a return from a dry run or a closed filing; `too_large` if the period is too large for a dry run. */
type Known = Pick<Filing, 'summary' | 'vendor_discount' | 'exceptions' | 'review'> | 'too_large';

const getKey = ({ state, period_end }: Period): string => `${state} ${period_end}`;

const dryRun = async ({ state, period_end }: Period, levy: Levy, signal: AbortSignal): Promise<Known> => {
  const response = await levy.post('/filings', { body: { state, period_end, dry_run: true }, signal });
  return !response.ok && response.refusal.code === 'validation_too_many_entries' ? 'too_large' : orThrow(response);
};

const atOnce = 4;
// A dry run reads all entries of its period.
const dryRunsMax = 24;

/** Runs several dry runs concurrently, and stores each result as it arrives. */
const useDryRuns = (periods: readonly Period[]) => {
  const [known, setKnown] = useState<ReadonlyMap<string, Known>>(new Map());
  const loaded = useLoad(periods.map(getKey).join(), async (levy, signal) => {
    const left = periods.filter((period) => !known.has(getKey(period)));
    const work = async (period: Period) => {
      const found = await dryRun(period, levy, signal);
      setKnown((last) => new Map(last).set(getKey(period), found));
    };
    await concurrently(left, work, atOnce);
    return true;
  });
  return { known, loaded };
};

type Row = Due & { readonly known: Known | undefined };

const AmountDue = ({ row: { known, filing } }: { row: Row }) => {
  if (known === undefined) return <>{filing ? 'closing' : 'not calculated'}</>;
  if (known === 'too_large') return <>close the period to see it</>;
  return known.summary.length === 0 ? <>no sales</> : <Amounts value={amountsDue(known.summary)} />;
};

const getFigures = ({ known }: Row) => (known === 'too_large' ? undefined : known);

const DueCards = ({ rows }: { rows: readonly Row[] }) => {
  const count = (tone: string) => rows.filter(({ days_until_due }) => getTone(days_until_due) === tone).length;
  const known = rows.flatMap((row) => getFigures(row) ?? []);
  const amounts = known.flatMap(({ summary }) => amountsDue(summary));
  const refundable = totalDue(amounts, 'refundable');
  const getSum = (list: 'exceptions' | 'review') => known.reduce((sum, row) => sum + (row[list]?.count ?? 0), 0);
  const [exceptions, review] = [getSum('exceptions'), getSum('review')];
  const part = known.length === rows.length ? '' : `, ${known.length} of ${counted(rows.length, 'return')}`;
  const next = rows.find(({ days_until_due: days }) => days !== null && days >= 0)?.due_date;
  const payable = totalDue(amounts, 'payable');
  return (
    <Cards
      value={[
        [`Amount due${part}`, payable.length > 0 ? <Amounts key="payable" value={payable} /> : '0'],
        refundable.length > 0 && [`Credit of states${part}`, <Amounts key="refundable" value={refundable} />],
        next !== undefined && ['Next due date', next],
        ['Overdue', count('bad'), count('bad') > 0 && 'bad'],
        [`Due within ${soonDays} days`, count('warn'), count('warn') > 0 && 'warn'],
        ['Due later, or not established', count('')],
        [`Exceptions${part}`, exceptions, exceptions > 0 && 'warn'],
        [`To review${part}`, review, review > 0 && 'warn'],
      ]}
    />
  );
};

/** Whether running instances may still use the settings from before a recent change. */
const isFresh = (changedAt: string | null): boolean =>
  changedAt !== null && Date.now() - Date.parse(changedAt) < 60_000;

const DueTable = ({ due }: { due: readonly Due[] }) => {
  const { account } = useSession();
  const [most, setMost] = useState(dryRunsMax);
  const open = due.filter(({ filing }) => filing === null);
  const { known, loaded } = useDryRuns(open.slice(0, most));
  const rows = due.map((row) => ({
    ...row,
    known: row.filing === null ? known.get(getKey(row)) : row.filing.status === 'closing' ? undefined : row.filing,
  }));
  const rest = open.length - most;
  return (
    <>
      {rows.length > 0 && <DueCards rows={rows} />}
      <Table
        caption="Periods that are over and not filed, earliest due date first"
        columns={[
          ['Period', (row) => <PeriodLink value={{ ...row, id: row.filing?.id ?? null }} />],
          ['Status', ({ filing }) => <Status value={filing?.status ?? 'open'} />],
          ['Due', (row) => <DueDate value={row} />],
          ['Amount due', (row) => <AmountDue row={row} />, 'figure'],
          ['Exceptions', (row) => getFigures(row)?.exceptions?.count, 'figure'],
          ['To review', (row) => getFigures(row)?.review?.count, 'figure'],
          ['Vendor discount', (row) => getFigures(row)?.vendor_discount],
        ]}
        rows={rows}
        empty={
          account.collects_in === 'registered_states'
            ? isFresh(account.settings_changed_at)
              ? 'The settings have just changed. Reload the page in a minute to see the returns.'
              : 'Nothing is due.'
            : 'There is no calendar, because the account has no list of registrations.'
        }
      />
      {rows.length > 0 && (
        <p class="hint">
          The amount due is the calculated tax and the over-collected tax, before the vendor discount and prepayments.
          Amounts of open periods come from a dry run, and can change until the period is closed.
        </p>
      )}
      <Load loaded={loaded} what="amounts of open periods">
        {() =>
          rest > 0 && (
            <Button onClick={() => setMost(most + dryRunsMax)}>
              Calculate {Math.min(rest, dryRunsMax)} more of {counted(rest, 'period')}
            </Button>
          )
        }
      </Load>
    </>
  );
};

/** The returns to file with their amounts, and the days left. */
export const DueReturns = () => (
  <Panel title="Returns to file">
    <Fetch what="periods" read={readDue}>
      {(rows) => <DueTable due={rows} />}
    </Fetch>
  </Panel>
);
