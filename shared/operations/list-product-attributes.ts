import { operation } from '../http/operation.ts';
import { taggedReply } from '../http/tagged-reply.ts';
import { accept } from '../result.ts';
import { attributesFor } from '../vocabulary/applicability.ts';
import { pageOf } from '../vocabulary/page.ts';
import { ProductAttributesQuery } from '../vocabulary/query.ts';
import { vocabulary } from '../vocabulary/vocabulary.ts';

export const serve = operation({
  query: ProductAttributesQuery,
  run: ({ query, version, exchange }) => {
    const attributes = query.ptc === undefined ? accept(vocabulary().productAttributes) : attributesFor(query.ptc);
    if (!attributes.ok) return attributes;
    const page = pageOf('/product-attributes', attributes.value, query.limit, query.starting_after);
    return accept(taggedReply(page, version, exchange));
  },
});
