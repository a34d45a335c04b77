import { entityTag, matches } from './entity-tag.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './reply.ts';
import { bodyInVersion } from './versions/shape.ts';

/**
 * Reply with a strong ETag over the text and the service version, or with 304 if the client has it already.
 *
 * The client revalidates its copy each time, so a new release shows at once (decisions 7).
 */
export const taggedReply = (body: object, version: string, { headers, changes = [] }: Exchange): Reply => {
  // The tag covers the bytes that are sent.
  const text = JSON.stringify(bodyInVersion(body, changes));
  const tag = entityTag(version, text);
  const tagged = {
    ETag: tag,
    'Cache-Control': 'private, no-cache',
    // Without the header, the caller's account determines the version.
    Vary: 'Authorization, X-API-Key, Service-Version',
  };
  return matches(headers.get('if-none-match') ?? [], tag)
    ? { status: 304, body: '', headers: tagged, isShaped: true }
    : { status: 200, body: text, headers: tagged, isShaped: true };
};
