import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * IPv4 ranges that are not of the public internet (IANA IPv4 Special-Purpose Address Registry, RFC 6890), and
 * multicast.
 */
const reserved: readonly (readonly [net: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
/** IPv6 addresses in 2000::/3 are public, except these: Teredo and other protocols, documentation, 6to4. */
const reservedOfGlobal: typeof reserved = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const blocked = new BlockList();
for (const [net, bits] of reserved) blocked.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of reservedOfGlobal) blocked.addSubnet(net, bits, 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address belongs to the public internet. IPv4 addresses inside of IPv6 ones are refused. */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 4) return !blocked.check(address, 'ipv4');
  return family === 6 && global.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
};

/** A host that is, or resolves to, an address outside of the public internet. */
export class NotPublic extends Error {
  override readonly name = 'NotPublic';

  constructor(host: string, address: string) {
    super(
      host === address ? `${host} is not a public address` : `${host} is ${address}, which is not a public address`,
    );
  }
}

/** Refuse a host that is an IP address outside of the public internet: no look-up is made for it. */
export const assertPublicHost = ({ hostname }: URL): void => {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isPublicAddress(address)) throw new NotPublic(address, address);
};

/**
 * Resolve a host for a connection, which goes to the addresses that are checked here: a name cannot change its address
 * between the two. Fails with `NotPublic` if any address of the host is not public.
 */
export const lookupPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const refused = error ? undefined : found.find(({ address }) => !isPublicAddress(address));
    const [first] = found ?? [];
    if (error || refused || !first) return done(error ?? new NotPublic(host, refused?.address ?? 'unknown'), '');
    if (options.all) return done(null, found);
    done(null, first.address, first.family);
  });
};
