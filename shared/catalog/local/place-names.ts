// A fast path for most names, because a state has thousands.
const plainWords = /^[A-Za-z]+(?: [A-Za-z]+)*$/;

/**
 * Normalize a city's name: upper case, without accents and punctuation, one space between words. `Winston-Salem` and
 * `Winston Salem` are equal, and so are both spellings of `Cañon City`. `null` for an empty name.
 */
export const cityName = (text: string): string | null =>
  plainWords.test(text) ? text.toUpperCase() : normalized(text);

const normalized = (text: string): string | null =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/[\p{Pd}\s]+/gu, ' ')
    .replaceAll(/[^\p{L}\p{N} ]/gu, '')
    .replaceAll(/ +/g, ' ')
    .trim() || null;

/** A name as the part of a jurisdiction code: `Round Rock` is `ROUND-ROCK`, `Cañon City` is `CANON-CITY`. */
export const codePart = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/['’.]/g, '')
    .replaceAll(/[^A-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

// How the name of a city or county in an address is compared with the names that tables and the postal service use.

/** Words that the postal service abbreviates, and how the names of tables are compared: `Fort` as `Ft`, `Hts` as `Heights`. */
const sameWords: Readonly<Record<string, string>> = {
  ...{ SAINT: 'ST', SAINTE: 'STE', FORT: 'FT', MOUNT: 'MT' },
  ...{ BCH: 'BEACH', BRK: 'BROOK', CRK: 'CREEK', CTR: 'CENTER', CTY: 'CITY', CY: 'CITY', CYN: 'CANYON' },
  ...{ EST: 'ESTATES', ESTS: 'ESTATES', FLS: 'FALLS', GDNS: 'GARDENS', GRV: 'GROVE', HBR: 'HARBOR' },
  ...{ HGTS: 'HEIGHTS', HTS: 'HEIGHTS', HLS: 'HILLS', IS: 'ISLAND', JCT: 'JUNCTION', LK: 'LAKE', LNDG: 'LANDING' },
  ...{ MDWS: 'MEADOWS', MLS: 'MILLS', MTN: 'MOUNTAIN', PK: 'PARK', PLNS: 'PLAINS', PT: 'POINT', RDG: 'RIDGE' },
  ...{ RNCH: 'RANCH', SHRS: 'SHORES', SPGS: 'SPRINGS', SPRGS: 'SPRINGS', STA: 'STATION', TER: 'TERRACE' },
  ...{ TWP: 'TOWNSHIP', UNIV: 'UNIVERSITY', VLG: 'VILLAGE', VLY: 'VALLEY' },
};
const directions: Readonly<Record<string, string>> = { N: 'NORTH', S: 'SOUTH', E: 'EAST', W: 'WEST' };
const needsRewriting = new RegExp(`^([NSEW]|NO|SO) |\\b(OF|${Object.keys(sameWords).join('|')})\\b`);

/**
 * A name that was normalized by `cityName`, with one form of each word that has an abbreviation, and with a direction as
 * its first word spelled out: `N Little Rock` is `North Little Rock`, and `College Sta` is `College Station`.
 */
export const plainName = (name: string): string =>
  name.includes(' ') && needsRewriting.test(name) ? rewritten(name) : name;

const rewritten = (name: string): string =>
  name
    .replace(/^(CITY|TOWN|VILLAGE|TOWNSHIP) OF /, '')
    .replace(/^([NSEW]|[NS]O)(?= )/, (word) => directions[word.charAt(0)] ?? word)
    .split(' ')
    .map((word) => sameWords[word] ?? word)
    .join(' ');

/** A plain name without spaces: the postal service splits words that the census joins (`Mc Cook`, `O Fallon`). */
export const joinedName = (plain: string): string => (plain.includes(' ') ? plain.replaceAll(' ', '') : plain);

/** The key by which names of places are equal: `OFALLON` of `O'Fallon` and of `O Fallon`; `''` of nothing. */
export const placeKey = (name: string): string => joinedName(plainName(cityName(name) ?? ''));

const placeSuffix = / (CITY|TOWN|VILLAGE|TOWNSHIP|BOROUGH)$/;

/** Whether a name ends in the word for a kind of place: `Beecher City`. */
export const hasSuffix = (plain: string): boolean => placeSuffix.test(plain);

/** A plain name without that word: `Beecher`. */
export const withoutSuffix = (plain: string): string => plain.replace(placeSuffix, '');

const joinedSuffixes = ['CITY', 'TOWN', 'VILLAGE', 'TOWNSHIP', 'BOROUGH'];

/** The key that all readings of a plain name share: `LAKE` of `Lake`, `Lake City`, `Lakecity` and `La Ke`. */
export const nameKey = (plain: string): string => {
  const joined = joinedName(plain);
  let end = joined.length;
  const suffixAt = () => joinedSuffixes.find((suffix) => end > suffix.length && joined.endsWith(suffix, end));
  for (let suffix = suffixAt(); suffix !== undefined; suffix = suffixAt()) end -= suffix.length;
  return joined.slice(0, end);
};

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
