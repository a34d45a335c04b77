/** The envelope of specification 2.3. */
export type Page<Url extends string, Item> = {
  readonly object: 'list';
  readonly url: Url;
  readonly has_more: boolean;
  readonly data: readonly Item[];
};

/**
 * Cut a page out of items that are sorted by code: those after a code, at most `limit`.
 *
 * The code is compared as a string and need not exist, so a cursor outlives its item (interface decisions 7).
 */
export const pageOf = <Url extends string, Item extends { readonly code: string }>(
  url: Url,
  items: readonly Item[],
  limit: number,
  startingAfter: string | undefined,
): Page<Url, Item> => {
  const rest = startingAfter === undefined ? items : items.filter(({ code }) => code > startingAfter);
  return { object: 'list', url, has_more: rest.length > limit, data: rest.slice(0, limit) };
};
