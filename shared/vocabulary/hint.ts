import { closest } from './closest.ts';
import { crosswalkRows, systemNames } from './crosswalk.ts';
import { appliesTo, codeFamily, codeLabel, vocabulary } from './vocabulary.ts';

/** A suggestion for a text that is not a product tax code. */
export type Hint = {
  readonly detail: string;
  /** At most ten product tax codes, the likeliest first. */
  readonly codes: readonly string[];
};

const codesMax = 10;

/** Codes of families, the same number of each; `query` selects them all in GET /product-tax-codes. */
const ofFamilies = (families: readonly string[], query: string): Hint => {
  const members = families.map((family) => vocabulary().codesByFamily.get(family) ?? []);
  const codes = members.flatMap((all) => all.slice(0, codesMax / families.length));
  const others = codes.length < members.flat().length ? ` or another code of GET /product-tax-codes?${query}` : '';
  return { detail: `Send one of ${codes.join(', ')}${others}.`, codes };
};

/** The codes for a code of another service. */
const ofCrosswalk = (text: string): Hint | undefined => {
  const rows = crosswalkRows(text);
  const [first] = rows;
  if (!first) return undefined;
  const { system, code, match } = first;
  const codes = rows.map(({ levyCode }) => levyCode);
  if (match === 'family') return ofFamilies(codes, `equivalent=${system}:${code}`);
  return { detail: `Send ${codes.join(' or ')} in place of ${code} of ${systemNames[system]}.`, codes };
};

/** A code with an attribute that lacks its dot or underscore: `HEALTH.DRUGS_PRESCRIPTION`. */
const withAttribute = (name: string): string | undefined => {
  for (const [known, path] of vocabulary().pathByName) {
    if (!name.startsWith(known)) continue;
    const attribute = vocabulary().attributeByCode.get(name.slice(known.length).replace(/^[._]/, '_'));
    if (attribute && appliesTo(attribute, codeLabel(path))) return `${path}.${attribute.code}`;
  }
  return undefined;
};

/** The path that a name most likely means, with an attribute attached. Within a family it may differ by two characters. */
const pathMeant = (name: string, isInFamily: boolean): string | undefined => {
  const { codesByFamily, pathByName } = vocabulary();
  const known = pathByName.get(codeLabel(name));
  if (known !== undefined || codesByFamily.has(name)) return known;
  return withAttribute(name) ?? pathByName.get(closest(name, pathByName.keys(), isInFamily ? 2 : 3) ?? '');
};

/**
 * Find a suggestion for a text in upper case: a code of another service, a code under another path, a code with an
 * attribute attached, a misspelled code, or a family with an unknown code or none.
 */
export const hintFor = (text: string): Hint | undefined => {
  const [name = '', ...attributes] = text.split('._');
  const translated = ofCrosswalk(name);
  if (translated) return translated;
  const { codesByFamily, attributeByCode } = vocabulary();
  const family = codeFamily(name);
  const isInFamily = codesByFamily.has(family);
  const path = pathMeant(name, isInFamily);
  if (path !== undefined) {
    const label = codeLabel(path.split('._')[0] as string);
    const fitting = attributes
      .map((name) => attributeByCode.get(`_${name}`))
      .filter((attribute) => attribute && appliesTo(attribute, label));
    const code = [path, ...fitting.map((attribute) => attribute?.code)].join('.');
    return { detail: `Send ${code}, the nearest product tax code.`, codes: [code] };
  }
  return isInFamily ? ofFamilies([family], `family=${family}`) : undefined;
};
