import { orThrow, type Schemas } from '../../client/client.ts';
import { ClosePeriod, type ToClose } from './close-period.tsx';
import { todayIn } from './days.ts';
import { type FilingData, FilingFigures, figuresText } from './filing-figures.tsx';
import { Load, useLoad } from './load.tsx';
import { lettersOf, periodName } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';

type Open = Schemas['FilingPeriod'] | undefined;

/** The button that closes a period, or why it cannot be closed now. `first` is the period of the state to close first. */
const Closing = ({ of, first }: { of: ToClose; first: Open }) => {
  const { account, canWrite } = useSession();
  if (!canWrite) return <p class="hint">Your credential may read only. Closing needs the scope write.</p>;
  if (of.periodEnd >= todayIn(account.time_zone, Date.now()))
    return <p class="hint">This period has not ended. It can be closed after {of.periodEnd}.</p>;
  if (first && first.period_end < of.periodEnd)
    return (
      <p class="hint">
        Periods close in order.{' '}
        <a href={linkTo(['filings', first.state, first.period_end])}>Close {periodName(first)} first</a>.
      </p>
    );
  if (first && first.period_end > of.periodEnd)
    return (
      <p class="hint">
        Levy files {lettersOf(of.state)} from {periodName(first)} on. File earlier periods outside of Levy.
      </p>
    );
  return <ClosePeriod of={of} />;
};

type ReadTotals = Parameters<typeof FilingFigures>[0]['readTotals'];
type DryRunProps = { of: FilingData; first: Open; reload: () => void; readTotals: ReadTotals };

const DryRun = ({ of, first, reload, readTotals }: DryRunProps) => {
  const { state, period_start: from, period_end: to } = of;
  return (
    <>
      <p class="hint">
        {from} to {to}. A dry run: the figures as they are now. Nothing is stored.
      </p>
      <FilingFigures of={of} readTotals={readTotals} />
      <p>
        <a href={linkTo(['transactions'], { state, from, to })}>
          Transactions of {lettersOf(state)} with a tax date in this period
        </a>
        . Late transactions of closed periods count here, too.
      </p>
      <p class="actions">
        <Closing of={{ state, periodEnd: to, name: periodName(of), figures: figuresText(of) }} first={first} />
        <button type="button" onClick={reload}>
          Run again
        </button>
      </p>
    </>
  );
};

/** A period: its dry run, and the button that closes it; or a link to its filing, which the API returns instead. */
export const FilingPeriod = ({ state, periodEnd }: { state: string; periodEnd: string }) => {
  const { levy } = useSession();
  const key = `${state} ${periodEnd}`;
  const body = { state, period_end: periodEnd, dry_run: true };
  const first = useLoad(key, async (signal) => {
    const { data } = orThrow(await levy.get('/filing-periods', { query: { state, limit: 1 }, signal }));
    return data[0] ?? null;
  });
  const dryRun = useLoad(key, async (signal) => orThrow(await levy.post('/filings', { body, signal })));
  const readTotals: ReadTotals = async (cursor, signal) =>
    orThrow(await levy.post('/filings', { body: { ...body, totals_starting_after: cursor }, signal }));
  const name = dryRun.value ? periodName(dryRun.value) : `${lettersOf(state)}, period to ${periodEnd}`;
  return (
    <>
      <h1>{name}</h1>
      <Load of={dryRun} what="the dry run">
        {(found) =>
          found.id === null ? (
            <DryRun of={found} first={first.value ?? undefined} reload={dryRun.reload} readTotals={readTotals} />
          ) : (
            <p class="notice">
              This period has a filing, which is {found.status}.{' '}
              <a href={linkTo(['filings', found.id])}>Open the filing</a>
            </p>
          )
        }
      </Load>
      {dryRun.trouble?.code === 'validation_too_many_entries' && (
        <p class="actions">
          <Closing of={{ state, periodEnd, name, figures: null }} first={first.value ?? undefined} />
        </p>
      )}
    </>
  );
};
