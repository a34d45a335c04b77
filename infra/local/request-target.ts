export type RequestTarget = {
  /** The host and port of an absolute-form target (RFC 9112, 3.2.2), which outranks the Host header. */
  readonly authority: string | null;
  readonly path: string;
  readonly query: string;
};

/**
 * Split the target of a request without changing a byte.
 *
 * Not `new URL`: it resolves `..`, reads `//host/path` as a host, and throws on targets that a client may send.
 */
export const parseTarget = (target: string): RequestTarget => {
  const [, authority = null, rest = target] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  const queryAt = rest.indexOf('?');
  const path = queryAt < 0 ? rest : rest.slice(0, queryAt);
  return { authority, path: path || '/', query: queryAt < 0 ? '' : rest.slice(queryAt + 1) };
};
