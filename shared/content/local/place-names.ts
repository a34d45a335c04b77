/** How the name of a city or county in an address is compared with the names that tables and the postal service use. */
import { cityName } from '../location/city-name.ts';

const hasSameWord = /\b(SAINTE?|FORT|MOUNT|OF)\b/;
const sameWords: Readonly<Record<string, string>> = { SAINT: 'ST', SAINTE: 'STE', FORT: 'FT', MOUNT: 'MT' };

/** A name that was normalized by `cityName`, with `Saint`, `Fort` and `Mount` as `St`, `Ft` and `Mt`. */
export const plainName = (name: string): string => (hasSameWord.test(name) ? rewritten(name) : name);

const rewritten = (name: string): string =>
  name
    .replace(/^(CITY|TOWN|VILLAGE|TOWNSHIP) OF /, '')
    .split(' ')
    .map((word) => sameWords[word] ?? word)
    .join(' ');

const placeSuffix = / (CITY|TOWN|VILLAGE|TOWNSHIP|BOROUGH)$/;

/** Whether a name ends in the word for a kind of place: `Beecher City`. */
export const hasSuffix = (plain: string): boolean => placeSuffix.test(plain);

/** A plain name without that word: `Beecher`. */
export const withoutSuffix = (plain: string): string => plain.replace(placeSuffix, '');

/** What all readings of a place's name share: `BEECHER` of `Beecher`, `Beecher City` and `Village of Beecher`. */
export const baseName = (name: string): string => withoutSuffix(plainName(cityName(name) ?? ''));

const countyWords =
  /^(CITY AND BOROUGH|MUNICIPALITY|COUNTY|CITY) OF | (COUNTY|PARISH|BOROUGH|CENSUS AREA|MUNICIPIO|PLANNING REGION)$/g;

/** A county's name without the word for what it is: `Hennepin` of `Hennepin County`; `''` of nothing. */
export const countyKey = (text: string): string =>
  plainName(cityName(text) ?? '')
    .replaceAll(countyWords, '')
    .trim();
