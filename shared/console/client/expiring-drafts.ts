import { type Levy, orThrow, type Schemas } from '../../client/client.ts';

const hourMs = 60 * 60_000;

type Drafts = {
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
export const expiringDrafts = async (levy: Levy, signal: AbortSignal): Promise<Drafts> => {
  const page = async (created: { readonly 'created_at[gte]'?: string; readonly 'created_at[lt]'?: string }) =>
    orThrow(await levy.get('/transactions', { query: { status: 'draft', limit: 100, ...created }, signal }));
  const newest = await page({});
  const [draft] = newest.data;
  if (!draft?.expires_at) return { rows: [], hours: 24, has_more: newest.has_more };
  const oldestMs = Date.now() - (Date.parse(draft.expires_at) - Date.parse(draft.created_at));
  const at = (hours: number): string => new Date(oldestMs + hours * hourMs).toISOString();
  let found: Drafts = { rows: [], hours: 0, has_more: false };
  for (const hours of [1, 4, 24]) {
    // A draft whose deadline has just passed is not a draft any more.
    const { data, has_more } = await page({ 'created_at[gte]': at(-1), 'created_at[lt]': at(hours) });
    if (has_more && found.rows.length > 0) return { ...found, has_more };
    found = { rows: data.sort((a, b) => ((a.expires_at ?? '') < (b.expires_at ?? '') ? -1 : 1)), hours, has_more };
    if (has_more) return found;
  }
  return found;
};
