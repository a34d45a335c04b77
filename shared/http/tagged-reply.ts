import { entityTag, matches } from './entity-tag.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './reply.ts';
import { askedBody } from './versions/shape.ts';

/**
 * Answer with a strong ETag over the text and the service version, or with 304 to a client that has it already.
 *
 * Kept by the client and asked for again each time: what a new release changes shows at once (decisions 7).
 */
export const taggedReply = (body: object, version: string, { headers, changes = [] }: Exchange): Reply => {
  // The tag is of the very text that is sent.
  const text = JSON.stringify(askedBody(body, changes));
  const tag = entityTag(version, text);
  const tagged = {
    ETag: tag,
    'Cache-Control': 'private, no-cache',
    // The caller's account decides the version when no header does.
    Vary: 'Authorization, X-API-Key, Service-Version',
  };
  return matches(headers.get('if-none-match') ?? [], tag)
    ? { status: 304, body: '', headers: tagged, isShaped: true }
    : { status: 200, body: text, headers: tagged, isShaped: true };
};
