export type RequestTarget = {
  /** The host and port of an absolute-form target (RFC 9112, 3.2.2), which outranks the Host header. */
  readonly authority: string | null;
  readonly path: string;
  readonly query: string;
};

/**
 * Take a request's target apart without changing a byte of it.
 *
 * Not `new URL`: it resolves `..`, takes `//host/path` for a host and throws at what a client may well send.
 */
export const parseTarget = (target: string): RequestTarget => {
  const [, authority = null, rest = target] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  const queryAt = rest.indexOf('?');
  const path = queryAt < 0 ? rest : rest.slice(0, queryAt);
  return { authority, path: path || '/', query: queryAt < 0 ? '' : rest.slice(queryAt + 1) };
};
