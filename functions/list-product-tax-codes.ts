import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { taggedResponse } from '../shared/api/entity-tag.ts';
import { assert } from '../shared/base/assert.ts';
import { toDay } from '../shared/base/calendar.ts';
import { accept } from '../shared/base/result.ts';
import { builtInRelease } from '../shared/catalog/built-in.ts';
import { now } from '../shared/config/clock.ts';
import { activeReleases } from '../shared/coverage/releases.ts';
import { findTaxability } from '../shared/coverage/taxability.ts';
import { readActiveReleases, readContent } from '../shared/store/content/content-reads.ts';
import { contentReads } from '../shared/store/table-access.ts';
import { catalog, selectItems } from '../shared/vocabulary/catalog.ts';
import { stateJurisdiction } from '../shared/vocabulary/jurisdiction.ts';
import { ProductTaxCodesQuery } from '../shared/vocabulary/query.ts';
import { ProductTaxCodeList } from '../shared/vocabulary/schema.ts';
import { resultsMax } from '../shared/vocabulary/search.ts';
import { listPage } from '../shared/vocabulary/vocabulary.ts';

const ports = { readActive: readActiveReleases, readContent };

export const { endpoint, handler } = defineEndpoint({
  name: 'list-product-tax-codes',
  method: 'GET',
  path: '/product-tax-codes',
  scope: 'read',
  access: { actions: contentReads },
  query: ProductTaxCodesQuery,
  run: async ({ query, version, context }) => {
    const items = selectItems(query);
    const { q, state, starting_after } = query;
    const limit = q === undefined ? query.limit : Math.min(query.limit, resultsMax);
    const page = listPage('/product-tax-codes', items, limit, starting_after);
    const jurisdiction = state === undefined ? null : stateJurisdiction(state);
    const [release] = jurisdiction === null ? [] : await activeReleases(jurisdiction, ports);
    const day = toDay(now());
    const data = release
      ? page.data.map((item) => ({ ...item, taxability: findTaxability(release, item.code, day) }))
      : page.data;
    // Search results have no next page.
    const has_more = q === undefined && page.has_more;
    return accept(taggedResponse({ ...page, has_more, data }, version, context));
  },
});

/** An example page with one of many product tax codes. */
const exampleList = () => {
  const minnesota = builtInRelease('MN');
  assert(minnesota !== undefined, 'Minnesota must have a built-in release.');
  return {
    object: 'list',
    url: '/product-tax-codes',
    has_more: true,
    data: catalog()
      .filter(({ code }) => code === 'CLOTHING.SWIMWEAR')
      .map((item) => ({ ...item, taxability: findTaxability(minnesota, item.code, '2026-11-22') })),
  };
};

export const documentation = (): Documentation => ({
  summary: 'List or search product tax codes',
  description:
    'Returns the product tax codes, sorted by code, each with its description, examples, and the equivalent codes of Stripe, TaxJar and Avalara. `q` searches by keywords. `state` adds how a state taxes each product, and which attributes change its taxation. Filters are ANDed. The default page size returns the whole list in one call.',
  response: { description: 'A page of product tax codes.', schema: ProductTaxCodeList, example: exampleList },
  notModified: 'The page matches `If-None-Match`.',
});
