import { createHash } from 'node:crypto';
import type { RequestContext } from './request-context.ts';
import type { EndpointResponse } from './response.ts';

/** Computes a strong ETag from the parts that determine the bytes of a response. */
export const entityTag = (...parts: readonly string[]): string => {
  const hash = createHash('sha256');
  // Lengths come first, so ('ab', 'c') and ('a', 'bc') get different tags.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return `"${hash.digest('base64url')}"`;
};

// RFC 9110, 8.8.3: a quoted tag may contain commas, but no quotes, spaces or control characters, and has no escapes.
const listedTag = /[ \t,]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)/gy;

/**
 * Whether If-None-Match contains a tag, by weak comparison (RFC 9110, 13.1.2): lists, several lines, `*`, weak forms.
 *
 * A syntax error ends the parsing of its line. At worst, the client downloads a response that it already has.
 */
export const matches = (ifNoneMatch: readonly string[], tag: string): boolean => {
  const opaque = tag.slice(tag.indexOf('"') + 1, -1);
  return ifNoneMatch.some(
    (value) => value.trim() === '*' || value.matchAll(listedTag).some(([, listed]) => listed === opaque),
  );
};

/**
 * Returns the quoted tags of If-Match, or `null` without the header; `*` means any version (RFC 9110, 13.1.1).
 *
 * The comparison is strong: a weak tag matches no version.
 */
export const readIfMatch = (values: readonly string[] | undefined): readonly string[] | null =>
  values
    ? values.flatMap((value) =>
        value
          .split(',')
          .map((tag) => tag.trim())
          .filter((tag) => tag === '*' || /^"[^"]*"$/.test(tag)),
      )
    : null;

/** Responds with this text and its strong ETag, or with 304 if the client's copy is current. Both have all headers. */
export const textOr304 = (
  text: string,
  tag: string,
  headers: Readonly<Record<string, string>>,
  context: RequestContext,
): EndpointResponse =>
  matches(context.headers.get('if-none-match') ?? [], tag)
    ? { status: 304, body: '', headers: { ...headers, ETag: tag } }
    : { status: 200, body: text, headers: { ...headers, ETag: tag } };

/**
 * Responds with a strong ETag over the text and the service version, or with 304 if the client's copy is current. The
 * client revalidates its copy each time, so a new release is visible immediately.
 */
export const taggedResponse = (body: object, version: string, context: RequestContext): EndpointResponse => {
  const text = JSON.stringify(body);
  // Without the header Service-Version, the caller's account determines the version.
  const headers = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization, X-API-Key, Service-Version' };
  return textOr304(text, entityTag(version, text), headers, context);
};
