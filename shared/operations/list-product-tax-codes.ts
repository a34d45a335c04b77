import { operation } from '../http/operation.ts';
import { taggedReply } from '../http/tagged-reply.ts';
import { accept } from '../result.ts';
import { selectItems } from '../vocabulary/catalog.ts';
import { pageOf } from '../vocabulary/page.ts';
import { ProductTaxCodesQuery } from '../vocabulary/query.ts';

export const serve = operation({
  query: ProductTaxCodesQuery,
  run: ({ query, version, exchange }) => {
    const page = pageOf('/product-tax-codes', selectItems(query), query.limit, query.starting_after);
    return accept(taggedReply(page, version, exchange));
  },
});
