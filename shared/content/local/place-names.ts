/** How the name of a city or county in an address is compared with the names that tables and the postal service use. */
import { cityName } from '../location/city-name.ts';

const needsRewriting = /^[NSEW] |\b(SAINTE?|FORT|MOUNT|OF)\b/;
const sameWords: Readonly<Record<string, string>> = { SAINT: 'ST', SAINTE: 'STE', FORT: 'FT', MOUNT: 'MT' };
const directions: Readonly<Record<string, string>> = { N: 'NORTH', S: 'SOUTH', E: 'EAST', W: 'WEST' };

/**
 * A name that was normalized by `cityName`, with `Saint`, `Fort` and `Mount` as `St`, `Ft` and `Mt`, and with a
 * direction as its first word spelled out: `N Little Rock` is `North Little Rock`.
 */
export const plainName = (name: string): string => (needsRewriting.test(name) ? rewritten(name) : name);

const rewritten = (name: string): string =>
  name
    .replace(/^(CITY|TOWN|VILLAGE|TOWNSHIP) OF /, '')
    .replace(/^[NSEW](?= )/, (letter) => directions[letter] ?? letter)
    .split(' ')
    .map((word) => sameWords[word] ?? word)
    .join(' ');

/** A plain name without spaces: the postal service splits words that the census joins (`Mc Cook`, `O Fallon`). */
export const joinedName = (plain: string): string => plain.replaceAll(' ', '');

const placeSuffix = / (CITY|TOWN|VILLAGE|TOWNSHIP|BOROUGH)$/;

/** Whether a name ends in the word for a kind of place: `Beecher City`. */
export const hasSuffix = (plain: string): boolean => placeSuffix.test(plain);

/** A plain name without that word: `Beecher`. */
export const withoutSuffix = (plain: string): string => plain.replace(placeSuffix, '');

/** A place's name without the word for a kind of place: `BEECHER` of `Beecher City` and of `Village of Beecher`. */
export const baseName = (name: string): string => withoutSuffix(plainName(cityName(name) ?? ''));

const joinedSuffixes = /(?<=.)(CITY|TOWN|VILLAGE|TOWNSHIP|BOROUGH)+$/;

/** The key that all readings of a place's name share: `LAKE` of `Lake`, `Lake City`, `Lakecity` and `La Ke`. */
export const nameKey = (name: string): string =>
  joinedName(plainName(cityName(name) ?? '')).replace(joinedSuffixes, '');

const countyPrefix = /^(CITY AND BOROUGH|CITY AND COUNTY|MUNICIPALITY|COUNTY|CITY) OF /;
const countySuffix =
  / (CITY AND BOROUGH|COUNTY|CNTY|CO|PARISH|BOROUGH|CENSUS AREA|MUNICIPALITY|MUNICIPIO|PLANNING REGION)$/;

/** A county's name without spaces and without the word for what it is: `DUPAGE` of `Du Page Co`; `''` of nothing. */
export const countyKey = (text: string): string =>
  joinedName(
    plainName((cityName(text) ?? '').replace(countyPrefix, ''))
      .replace(countySuffix, '')
      .trim(),
  );
