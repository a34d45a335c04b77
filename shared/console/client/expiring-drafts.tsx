import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { Load, useLoad } from './load.tsx';
import { Amount, counted, Instant } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

const hourMs = 60 * 60_000;

type Found = {
  /** Sorted by expiry. */
  readonly rows: Schemas['TransactionList']['data'];
  readonly hours: number;
  readonly has_more: boolean;
};

/**
 * The drafts that expire within an hour, or within four or 24 hours while they fit one page. Lists begin with the newest, so
 * this selects drafts by their creation, one draft lifetime earlier.
 */
const expiringDrafts = async (levy: Levy, lifetimeHours: number, signal: AbortSignal): Promise<Found> => {
  const oldestMs = Date.now() - lifetimeHours * hourMs;
  const at = (hours: number): string => new Date(oldestMs + hours * hourMs).toISOString();
  const within = async (hours: number): Promise<Found> => {
    // The clocks of page and service differ. The service does not list a draft after its deadline.
    const created = { 'created_at[gte]': at(-1), 'created_at[lt]': at(hours) };
    const page = await levy.get('/transactions', { query: { status: 'draft', limit: 100, ...created }, signal });
    const { data, has_more } = orThrow(page);
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
export const Drafts = () => {
  const { levy, account } = useSession();
  const drafts = useLoad('drafts', (signal) => expiringDrafts(levy, account.draft_ttl_hours, signal));
  return (
    <section class="panel" aria-labelledby="drafts">
      <h2 id="drafts">Drafts about to expire</h2>
      <Load of={drafts} what="drafts">
        {({ rows, hours, has_more }) => (
          <>
            <Table
              caption={`Drafts that expire within ${counted(hours, 'hour')}`}
              columns={[
                {
                  name: 'Reference',
                  cell: (row) => <a href={linkTo(['transactions', row.id])}>{row.reference_id ?? row.id}</a>,
                },
                { name: 'Expires', cell: (row) => row.expires_at && <Instant of={row.expires_at} /> },
                {
                  name: 'Total',
                  isFigure: true,
                  cell: (row) => <Amount of={row.total_amount} currency={row.currency} />,
                },
              ]}
              rows={rows}
              keyOf={({ id }) => id}
              empty={has_more ? 'No drafts found so far.' : `No draft expires within ${counted(hours, 'hour')}.`}
            />
            {has_more && (
              <p class="hint">
                There may be more: see <a href={linkTo(['transactions'], { status: 'draft' })}>all drafts</a>.
              </p>
            )}
          </>
        )}
      </Load>
    </section>
  );
};
