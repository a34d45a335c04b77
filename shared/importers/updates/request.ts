/** One request to a publisher: where it may go. */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { type RequestOptions, request as requestHttps } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { assertPublicHost, lookupPublic } from './public-addresses.ts';

/** An address that no attempt may read. The message is a phrase without a subject. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export type Request = {
  readonly method: 'GET' | 'HEAD';
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
  /** The only origin that may have a private address or plain http: the mirror's. */
  readonly trusted: string | null;
};

/** A response that was received has a status. */
export type Response = IncomingMessage & { readonly statusCode: number };

const redirectsMax = 5;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** Send a request without following redirects. */
const send = (url: URL, { method, headers, signal, trusted }: Request): Promise<Response> => {
  const isTrusted = url.origin === trusted;
  if (!isTrusted) {
    if (url.protocol !== 'https:') throw new Refused(`leads to ${url.protocol} instead of https`);
    assertPublicHost(url);
  }
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // No connection is shared: each one goes to an address that was checked.
    const checked: RequestOptions = isTrusted ? {} : { lookup: lookupPublic };
    const options: RequestOptions = { ...checked, method, headers, signal, agent: false };
    const sent = start(url, options);
    sent.on('error', reject).on('response', (response) => resolve(response as Response));
    // Status 101. Without a listener the connection would end without an event.
    sent.on('upgrade', (response) => resolve(response as Response));
    sent.end();
  });
};

/**
 * Send a request, and follow at most five redirects. Without a trusted origin every address must be https and public, after
 * the name is resolved. Throws `Refused` or `NotPublic` for another one, and errors of the connection.
 */
export const request = async (address: string, options: Request): Promise<Response> => {
  let url = new URL(address);
  for (let followed = 0; followed <= redirectsMax; followed += 1) {
    const response = await send(url, options);
    const { location } = response.headers;
    if (!redirects.includes(response.statusCode) || location === undefined) return response;
    response.destroy();
    const next = URL.parse(location, url.href);
    if (next === null) throw new Refused('redirects to an address that is none');
    url = next;
  }
  throw new Refused(`redirects more than ${redirectsMax} times`);
};

const decoders = new Map(Object.entries({ gzip: createGunzip, br: createBrotliDecompress, deflate: createInflate }));

/** The body of a response, decoded if it was compressed although nobody requested that. Throws `Refused`. */
export const bodyOf = (response: Response): Readable => {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return response;
  const decoder = decoders.get(encoding);
  if (!decoder) throw new Refused(`is encoded as ${encoding}, which Levy cannot read`);
  // An error of one of the two is an error of the body.
  return pipeline(response, decoder(), () => {});
};
