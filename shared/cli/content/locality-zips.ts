/** `content check --zips`: ZIPs of localities, for releases that know no place by its name. */
import { InvalidArgumentError } from 'commander';
import { cityName } from '../../content/location/city-name.ts';
import { CommandError } from '../terminal/errors.ts';
import { type Case, isUnreadable, type UnreadableCase } from './cases.ts';

/** Read `Minneapolis=55401,Saint Paul=55101`: five-digit ZIPs, or ZIP+4, by the localities' names as `cityName` has them. */
export const readZips = (text: string): ReadonlyMap<string, string> => {
  const zips = new Map<string, string>();
  for (const pair of text.split(',')) {
    const { name, zip } = /^(?<name>[^=]+)=\s*(?<zip>\d{5}(?:-?\d{4})?)\s*$/.exec(pair)?.groups ?? {};
    const city = cityName(name ?? '');
    if (city === null || zip === undefined)
      throw new InvalidArgumentError('Send a ZIP for each locality: "Minneapolis=55401,Saint Paul=55101".');
    if (zips.has(city)) throw new InvalidArgumentError(`${city} has two ZIPs. Send one for each locality.`);
    zips.set(city, zip);
  }
  return zips;
};

/** Give the cases that name a locality and no ZIP the ZIP of that locality. Refused is one that no such case names. */
export const withZips = (
  cases: readonly (Case | UnreadableCase)[],
  zips: ReadonlyMap<string, string>,
): readonly (Case | UnreadableCase)[] => {
  const unused = new Set(zips.keys());
  const completed = cases.map((one) => {
    if (isUnreadable(one)) return one;
    const city = cityName(one.locality ?? '');
    const zip = city === null || one.zip ? undefined : zips.get(city);
    if (city === null || zip === undefined) return one;
    unused.delete(city);
    return { ...one, zip };
  });
  if (unused.size > 0)
    throw new CommandError(`No case names ${[...unused].join(' or ')} without a ZIP. Correct --zips, or leave it out.`);
  return completed;
};
