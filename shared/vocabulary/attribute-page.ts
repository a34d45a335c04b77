import type { ProductAttribute } from './vocabulary.ts';

/** The envelope of specification 2.3. */
export type AttributePage = {
  readonly object: 'list';
  readonly url: '/product-attributes';
  readonly has_more: boolean;
  readonly data: readonly ProductAttribute[];
};

/**
 * Cut a page out of sorted attributes: those after a code, at most `limit`.
 *
 * The code is compared as a string and need not exist, so a cursor outlives its attribute (interface decisions 7).
 */
export const attributePage = (
  attributes: readonly ProductAttribute[],
  limit: number,
  startingAfter: string | undefined,
): AttributePage => {
  const rest = startingAfter === undefined ? attributes : attributes.filter(({ code }) => code > startingAfter);
  return { object: 'list', url: '/product-attributes', has_more: rest.length > limit, data: rest.slice(0, limit) };
};
