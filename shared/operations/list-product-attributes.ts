import { entityTag, matches } from '../http/entity-tag.ts';
import { operation } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { accept } from '../result.ts';
import { attributesFor } from '../vocabulary/applicability.ts';
import { attributePage } from '../vocabulary/attribute-page.ts';
import { ProductAttributesQuery } from '../vocabulary/query.ts';
import { vocabulary } from '../vocabulary/vocabulary.ts';

const reply = (text: string, version: string, ifNoneMatch: readonly string[]): Reply => {
  const tag = entityTag(version, text);
  const headers = {
    ETag: tag,
    // Kept by the client and asked for again: a new release of the vocabulary shows at once (decisions 7).
    'Cache-Control': 'private, no-cache',
    // The caller's account decides the version when no header does.
    Vary: 'Authorization, X-API-Key, Service-Version',
  };
  return matches(ifNoneMatch, tag) ? { status: 304, body: '', headers } : { status: 200, body: text, headers };
};

export const serve = operation({
  query: ProductAttributesQuery,
  run: ({ query, version, exchange }) => {
    const attributes = query.ptc === undefined ? accept(vocabulary().productAttributes) : attributesFor(query.ptc);
    if (!attributes.ok) return attributes;
    // The tag is of the very text that is sent.
    const text = JSON.stringify(attributePage(attributes.value, query.limit, query.starting_after));
    return accept(reply(text, version, exchange.headers.get('if-none-match') ?? []));
  },
});
