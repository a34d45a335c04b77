import { type LookupAddress, lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { type RequestOptions, request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/**
 * IPv4 ranges that are not on the public internet (IANA IPv4 Special-Purpose Address Registry, RFC 6890), and
 * multicast.
 */
const reserved =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3';
/** IPv6 addresses in 2000::/3 are public, except these: Teredo and other protocols, documentation, 6to4. */
const reservedOfGlobal = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';

const blocked = new BlockList();
for (const [nets, type] of [[reserved, 'ipv4'] as const, [reservedOfGlobal, 'ipv6'] as const])
  for (const net of nets.split(' ')) {
    const [address = '', bits] = net.split('/');
    blocked.addSubnet(address, Number(bits), type);
  }
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/** Returns whether an IP address is on the public internet. IPv4 addresses embedded in IPv6 are refused. */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 4) return !blocked.check(address, 'ipv4');
  return family === 6 && global.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
};

/** Thrown for a URL that must not be requested. The message is a phrase without a subject. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

const notPublic = (host: string, address: string): Refused =>
  new Refused(
    host === address ? `${host} is not a public address` : `${host} is ${address}, which is not a public address`,
  );

/** Throws if the host is an IP address outside of the public internet, for which no lookup is made. */
const assertPublicHost = ({ hostname }: URL): void => {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isPublicAddress(address)) throw notPublic(address, address);
};

/**
 * Resolves a host for a connection, which uses exactly the addresses checked here: DNS rebinding is impossible. Fails
 * with `Refused` if any address of the host is not public.
 */
const lookupPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const refused = error ? undefined : found.find(({ address }) => !isPublicAddress(address));
    const [first] = found ?? [];
    if (error || refused || !first) return done(error ?? notPublic(host, refused?.address ?? 'unknown'), '');
    if (options.all) return done(null, found);
    done(null, first.address, first.family);
  });
};

// One request to a publisher, to allowed addresses only.

type Request = {
  readonly method: 'GET' | 'HEAD';
  readonly headers: Record<string, string>;
  readonly abort: AbortController;
  /** Aborts the request if no data arrives for that long. */
  readonly stalledMs: number;
  /** The only origin that may have a private address or plain HTTP: the mirror. */
  readonly trusted: string | null;
};

/** A received response always has a status. */
export type Response = IncomingMessage & { readonly statusCode: number };

const redirectsMax = 5;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** Sends a request without following redirects. */
const send = (url: URL, { method, headers, abort, stalledMs, trusted }: Request): Promise<Response> => {
  const isTrusted = url.origin === trusted;
  if (!isTrusted) {
    if (url.protocol !== 'https:') throw new Refused(`leads to ${url.protocol} instead of https`);
    assertPublicHost(url);
  }
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // Connections are not pooled: each request opens one to a checked address.
    const options: RequestOptions = {
      ...(isTrusted ? {} : { lookup: lookupPublic }),
      method,
      headers,
      signal: abort.signal,
      timeout: stalledMs,
      agent: false,
    };
    const sent = start(url, options);
    sent.on('timeout', () => abort.abort(new Error(`no data for ${stalledMs / 1000} s`)));
    sent.on('error', reject).on('response', (response) => resolve(response as Response));
    // Status 101. Without a listener the connection would end without an event.
    sent.on('upgrade', (response) => resolve(response as Response));
    sent.end();
  });
};

/**
 * Sends a request and follows at most five redirects. Without a trusted origin, every URL must be https, and its
 * resolved address public. Throws `Refused` otherwise, and connection errors.
 */
export const request = async (address: string, options: Request): Promise<Response> => {
  let url = new URL(address);
  for (let followed = 0; followed <= redirectsMax; followed += 1) {
    const response = await send(url, options);
    const { location } = response.headers;
    if (!redirects.includes(response.statusCode) || location === undefined) return response;
    response.destroy();
    const next = URL.parse(location, url.href);
    if (next === null) throw new Refused('redirects to an invalid URL');
    url = next;
  }
  throw new Refused(`redirects more than ${redirectsMax} times`);
};

const decoders = new Map(Object.entries({ gzip: createGunzip, br: createBrotliDecompress, deflate: createInflate }));

/**
 * Returns the body of a response, decoded if it is compressed although the request does not accept compression. Throws
 * `Refused`.
 */
export const getBody = (response: Response): Readable => {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return response;
  const decoder = decoders.get(encoding);
  if (!decoder) throw new Refused(`is encoded as ${encoding}, which Levy cannot read`);
  // An error in either stream ends the body with that error.
  return pipeline(response, decoder(), () => {});
};
