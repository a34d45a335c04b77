// A fast path for most names, because a state has thousands of names.
const plainWords = /^[A-Za-z]+(?: [A-Za-z]+)*$/;

/**
 * Normalizes a city's name: upper case, without accents and punctuation, one space between words. `Winston-Salem`
 * becomes equal to `Winston Salem`, and `Cañon City` to `Canon City`. `null` for an empty name.
 */
export const cityName = (text: string): string | null =>
  plainWords.test(text) ? text.toUpperCase() : normalized(text);

const normalized = (text: string): string | null =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll('&', ' AND ')
    .replaceAll(/[\p{Pd}\s]+/gu, ' ')
    .replaceAll(/[^\p{L}\p{N} ]/gu, '')
    .replaceAll(/ +/g, ' ')
    .trim() || null;

/**
 * Returns a name as part of a jurisdiction code: `Round Rock` becomes `ROUND-ROCK`, `Cañon City` becomes `CANON-CITY`.
 */
export const codePart = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/['’.]/g, '')
    .replaceAll(/[^A-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

// Compares the name of a city or county in an address with the names in tables and postal data.

/** Words with several spellings in addresses: the form used for comparison, then the others. */
const spellings = `
ST SAINT, STE SAINTE, FT FORT, MT MOUNT, BEACH BCH, BROOK BRK, CANYON CYN, CENTER CTR, CITY CTY CY, CREEK CRK,
ESTATES EST ESTS, FALLS FLS, GARDENS GDNS, GROVE GRV, HARBOR HBR, HEIGHTS HGTS HTS, HILLS HLS, ISLAND IS, JUNCTION JCT,
LAKE LK, LANDING LNDG, MEADOWS MDWS, MILLS MLS, MOUNTAIN MTN, PARK PK, PLAINS PLNS, POINT PT, RANCH RNCH, RIDGE RDG,
SHORES SHRS, SPRINGS SPGS SPRGS, STATION STA, TERRACE TER, TOWNSHIP TWP, UNIVERSITY UNIV, VALLEY VLY, VILLAGE VLG`;
const sameWords: ReadonlyMap<string, string> = new Map(
  spellings.split(',').flatMap((line) => {
    const [compared = '', ...others] = line.trim().split(' ');
    return others.map((word) => [word, compared] as const);
  }),
);
const directions: Readonly<Record<string, string>> = { N: 'NORTH', S: 'SOUTH', E: 'EAST', W: 'WEST' };
const needsRewriting = new RegExp(`^([NSEW]|NO|SO) |\\b(OF|AND|INDEPENDENT|${[...sameWords.keys()].join('|')})\\b`);

const government = '(CONSOLIDATED )?(CITY|TOWN|VILLAGE|TOWNSHIP|BOROUGH|MUNICIPALITY)( AND (BOROUGH|COUNTY))?';
const governmentPrefix = new RegExp(`^(THE )?${government} OF `);
const governmentSuffix = new RegExp(` (${government} OF|CITY AND (BOROUGH|COUNTY))$`);

/**
 * Returns a `cityName` with one form of each word that has an abbreviation, and with a direction in the first word
 * spelled out: `N Little Rock` becomes `North Little Rock`, and `College Sta` becomes `College Station`.
 */
export const plainName = (name: string): string =>
  name.includes(' ') && needsRewriting.test(name) ? rewritten(name) : name;

/** Returns the plain name of a city or county in any spelling; `''` for an empty name. */
export const plainCityName = (text: string): string => plainName(cityName(text) ?? '');

const rewritten = (name: string): string =>
  name
    .replace(governmentPrefix, '')
    .replace(governmentSuffix, '')
    .replace(/ INDEPENDENT(?= CITY$)/, '')
    .replace(/^([NSEW]|[NS]O)(?= )/, (word) => directions[word.charAt(0)] ?? word)
    .split(' ')
    .map((word) => sameWords.get(word) ?? word)
    .join(' ');

/**
 * Returns a plain name without spaces. The postal service splits words that the census joins (`Mc Cook`, `O Fallon`).
 */
export const joinedName = (plain: string): string => (plain.includes(' ') ? plain.replaceAll(' ', '') : plain);

/**
 * Returns the key by which place names are compared: `OFALLON` for `O'Fallon` and `O Fallon`; `''` for an empty name.
 */
export const placeKey = (name: string): string => joinedName(plainCityName(name));

const placeSuffix = / (CITY|TOWN|VILLAGE|TOWNSHIP|BOROUGH)$/;

/** Returns whether a name ends in the word for a kind of place: `Beecher City`. */
export const hasSuffix = (plain: string): boolean => placeSuffix.test(plain);

/** Removes the word for a kind of place: `Beecher City` becomes `Beecher`. */
export const withoutSuffix = (plain: string): string => plain.replace(placeSuffix, '');

/** Returns the key shared by all readings of a plain name: `LAKE` for `Lake`, `Lake City`, `Lakecity` and `La Ke`. */
export const nameKey = (plain: string): string => {
  const joined = joinedName(plain);
  const shorter = joined.replace(/\B(CITY|TOWN|VILLAGE|TOWNSHIP|BOROUGH)$/, '');
  return shorter === joined ? joined : nameKey(shorter);
};

const countyPrefix = /^(THE )?((COUNTY|PARISH) OF|MUNICIPIO (AUTONOMO )?DE) /;
const countySuffix = / (COUNTY|CNTY|CO|PARISH|BOROUGH|CENSUS AREA|MUNICIPALITY|MUNICIPIO|PLANNING REGION)$/;

/**
 * Returns a county's name without spaces and without the word for its type: `DUPAGE` for `Du Page Co`; `''` for an
 * empty name.
 */
export const countyKey = (text: string): string =>
  joinedName(plainCityName(text).replace(countyPrefix, '').replace(countySuffix, '').trim());
