import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { Load, useLoad } from './load.tsx';
import { Amount, counted } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

const hourMs = 60 * 60_000;

type Found = {
  /** The first to expire first. */
  readonly rows: Schemas['TransactionList']['data'];
  readonly hours: number;
  /** Whether there may be others: later ones, or some that were not found. */
  readonly has_more: boolean;
};

/**
 * The drafts that expire first, within a day or less. Lists begin with the newest, so this reads those of the hours that are one
 * lifetime ago: of more hours while they fit one page.
 */
const expiringDrafts = async (levy: Levy, signal: AbortSignal): Promise<Found> => {
  const page = async (created: { readonly 'created_at[gte]'?: string; readonly 'created_at[lt]'?: string }) =>
    orThrow(await levy.get('/transactions', { query: { status: 'draft', limit: 100, ...created }, signal }));
  const newest = await page({});
  const [draft] = newest.data;
  if (!draft?.expires_at) return { rows: [], hours: 24, has_more: newest.has_more };
  const oldestMs = Date.now() - (Date.parse(draft.expires_at) - Date.parse(draft.created_at));
  const at = (hours: number): string => new Date(oldestMs + hours * hourMs).toISOString();
  let found: Found = { rows: [], hours: 0, has_more: false };
  for (const hours of [1, 4, 24]) {
    // A draft whose deadline has just passed is not a draft any more.
    const { data, has_more } = await page({ 'created_at[gte]': at(-1), 'created_at[lt]': at(hours) });
    if (has_more && found.rows.length > 0) return { ...found, has_more };
    found = { rows: data.sort((a, b) => ((a.expires_at ?? '') < (b.expires_at ?? '') ? -1 : 1)), hours, has_more };
    if (has_more) return found;
  }
  return found;
};

/** The drafts that expire first. */
export const Drafts = () => {
  const { levy } = useSession();
  const drafts = useLoad('drafts', (signal) => expiringDrafts(levy, signal));
  return (
    <section aria-labelledby="drafts">
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
                { name: 'Expires', cell: (row) => row.expires_at },
                {
                  name: 'Total',
                  isFigure: true,
                  cell: (row) => <Amount of={row.total_amount} currency={row.currency} />,
                },
              ]}
              rows={rows}
              keyOf={({ id }) => id}
              empty={has_more ? 'None was found.' : `No draft expires within ${counted(hours, 'hour')}.`}
            />
            {has_more && (
              <p class="hint">
                There may be others: see <a href={linkTo(['transactions'], { status: 'draft' })}>all drafts</a>.
              </p>
            )}
          </>
        )}
      </Load>
    </section>
  );
};
