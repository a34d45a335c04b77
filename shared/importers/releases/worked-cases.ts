import * as z from 'zod/mini';
import { defaultSettings } from '../../accounts/account.ts';
import { currentVersion } from '../../api/versions.ts';
import { CommandError, jsonOrRefuse } from '../../base/command-error.ts';
import { asObject } from '../../base/json.ts';
import { calculate, type Outcome } from '../../calculations/calculate.ts';
import { day, decimalString, productTaxCode, quantity } from '../../calculations/fields.ts';
import type { CalculationInput } from '../../calculations/request.ts';
import type { ReleaseFor } from '../../catalog/content.ts';
import { type PostalAddress, readAddress, type TaxAddress } from '../../catalog/location/address.ts';
import type { Release } from '../../catalog/release.ts';
import { getSum, isZero, negative } from '../../money/currency.ts';
import { loadContent } from '../../store/content/load-content.ts';
import { stateCode, stateJurisdiction, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';

const stateAdvice = 'Use a two-letter state code.';

/** One line of a worked case. A line of the family SHIPPING is the shipping charge. */
const CaseLine = z.looseObject({
  id: z.optional(z.string()),
  ptc: productTaxCode,
  quantity,
  unit_price: decimalString,
  discount: z.optional(decimalString),
  third_party_discount: z.optional(decimalString),
});
type CaseLine = z.infer<typeof CaseLine>;

/**
 * A worked case: a sale whose tax is known from a source other than Levy. A file contains an array of cases, or an object
 * with the array as `cases`.
 *
 * ```json
 * {
 *   "id": "minneapolis-general",
 *   "state": "MN",
 *   "zip": "55401",
 *   "date": "2026-04-15",
 *   "input": { "lines": [{ "ptc": "GENERAL", "quantity": "1", "unit_price": "100.00" }] },
 *   "expected": { "tax_total": "9.03" }
 * }
 * ```
 *
 * The destination: `zip` (five digits, or ZIP+4), `locality` (a city in the release; any other city also needs a `zip`,
 * or an entry of the option `--zips`), or neither for the state alone. `date` is the tax day and defaults to today.
 * Amounts are decimal strings of US dollars. `discount` is paid for by the seller and `third_party_discount` by a third
 * party; both apply to the whole line. With `tax_total: null`, the tax is not compared. The parts of the tax
 * (`components`) only show whether local taxes are expected. Other fields of the case, such as its source, are ignored.
 * A check cannot calculate a case with other fields in `input` or its lines.
 */
export const WorkedCase = z.looseObject({
  id: z.string().check(z.minLength(1)),
  title: z.optional(z.string()),
  country: z.nullish(z.string()),
  state: z.nullish(z.string().check(z.refine((text) => text === '' || stateCode(text) !== null, stateAdvice))),
  locality: z.nullish(z.string()),
  zip: z.nullish(z.string().check(z.regex(/^\d{5}(-?\d{4})?$/, 'Use a ZIP code of five digits, or ZIP+4.'))),
  date: z.nullish(day),
  input: z.looseObject({ lines: z.optional(z.array(CaseLine)) }),
  expected: z.looseObject({
    tax_total: z.nullish(decimalString),
    components: z.optional(z.array(z.looseObject({ level: z.optional(z.string()) }))),
  }),
});
export type WorkedCase = z.infer<typeof WorkedCase>;

/** A case that the schema rejects, and the problems of its fields. */
type UnreadableCase = { readonly id: string; readonly state: string | null; readonly problem: string };

export type ListedCase = WorkedCase | UnreadableCase;

export const isUnreadable = (worked: ListedCase): worked is UnreadableCase => !('expected' in worked);

const getField = (value: unknown, field: string): string | null => {
  const found = asObject(value)?.[field];
  return typeof found === 'string' && found !== '' ? found : null;
};

const readCase = (value: unknown, index: number): ListedCase => {
  const { success, data, error } = WorkedCase.safeParse(value);
  if (success) return data;
  return {
    id: getField(value, 'id') ?? `case ${index + 1}`,
    state: getField(value, 'state'),
    problem: error.issues.map(({ path, message }) => `${path.join('.') || 'the case'}: ${message}`).join(' '),
  };
};

/** Reads a file of worked cases. Throws if the file has no list of cases. */
export const readCases = (text: string): readonly ListedCase[] => {
  const read = jsonOrRefuse(text, 'The cases are');
  const list = Array.isArray(read) ? read : asObject(read)?.['cases'];
  if (!Array.isArray(list) || list.length === 0)
    throw new CommandError('The cases cannot be read: expected an array of cases, or an object with them as "cases".');
  return list.map(readCase);
};

export type CaseResult = {
  readonly id: string;
  readonly outcome: 'pass' | 'fail' | 'not_applicable';
  /** The expected tax, and the tax calculated with the release. */
  readonly expected: string | null;
  readonly got: string | null;
  /** The reason why the case does not apply, or why there is no tax to compare. */
  readonly reason: string | null;
};

const inputFields = new Set(['lines', 'use']);
const lineFields = new Set(['id', 'ptc', 'quantity', 'unit_price', 'discount', 'third_party_discount']);

const listOthers = (value: object, known: ReadonlySet<string>): readonly string[] =>
  Object.keys(value).filter((field) => !known.has(field));

const isShipping = ({ ptc }: CaseLine): boolean => ptc === 'SHIPPING' || ptc.startsWith('SHIPPING.');

const localLevels = new Set(['local', 'county', 'city', 'district']);

/** Returns the destination of a case. */
const toAddress = ({ state, zip, locality }: WorkedCase): PostalAddress => ({
  state: state ?? null,
  postal_code: zip ?? null,
  city: locality ?? null,
});

/** Returns whether the case expects local taxes without a place, so that it cannot be checked. */
const expectsUnnamedPlace = ({ zip, locality, expected }: WorkedCase, release: Release): boolean => {
  if (zip || locality) return false;
  const levels = (expected.components ?? []).map(({ level }) => level ?? '');
  return levels.some((level) => localLevels.has(level) || (level === 'combined' && release.coverage === 'partial'));
};

export const isOfState = ({ country, state }: Pick<WorkedCase, 'country' | 'state'>, release: Release): boolean =>
  (country ?? 'US') === 'US' && stateJurisdiction(state ?? '') === release.state;

/** Returns the reason why the case does not apply to the release, or `null`. */
const inapplicable = (worked: WorkedCase, release: Release): string | null => {
  if (!isOfState(worked, release)) return `it is not about ${release.name}`;
  const { tax_total } = worked.expected;
  if (tax_total === null || tax_total === undefined) return 'it expects no tax_total';
  const lines = worked.input.lines ?? [];
  if (!lines.some((line) => !isShipping(line))) return 'it has only shipping lines';
  const others = [...listOthers(worked.input, inputFields), ...lines.flatMap((line) => listOthers(line, lineFields))];
  if (others.length > 0) return `it uses ${[...new Set(others)].join(', ')}, which a check cannot calculate`;
  if (lines.filter(isShipping).length > 1) return 'it has several shipping charges';
  if (expectsUnnamedPlace(worked, release)) return 'it expects local taxes, but has no place: add a zip';
  return null;
};

const buildRequest = (worked: WorkedCase, today: string): CalculationInput => {
  const lines = worked.input.lines ?? [];
  const shipping = lines.find(isShipping);
  const use = worked.input['use'];
  return {
    tax_date: worked.date ?? today,
    customer: { address: toAddress(worked), use: use === 'business' || use === 'personal' ? use : null },
    line_items: lines
      .filter((line) => !isShipping(line))
      .map(({ id, ptc, quantity, unit_price, discount, third_party_discount }) => ({
        id,
        product_tax_code: ptc,
        quantity,
        unit_price,
        discount_amount: discount,
        third_party_discount_amount: third_party_discount,
      })),
    shipping: shipping ? { amount: shipping.unit_price, product_tax_code: shipping.ptc } : null,
  };
};

const isSameAmount = (a: string, b: string): boolean => isZero(getSum([a, negative(b)]));

/** Returns whether the release has the place of the case, if the case has only its name. */
const knowsPlace = ({ zip, locality }: WorkedCase, address: TaxAddress, release: Release | undefined): boolean =>
  Boolean(zip) || !locality || (release?.locations ?? []).some(({ cities }) => cities.includes(address.city ?? ''));

/** Loads the content of one release for the cases, active or not, as a calculation loads a pinned release. */
export const releaseForCases = (head: Release, cases: readonly ListedCase[]): Promise<ReleaseFor> => {
  const addresses = cases
    .flatMap((worked) => (isUnreadable(worked) ? [] : [readAddress(toAddress(worked), '')]))
    .flatMap((read) => (read.ok && read.value.state === stateOfJurisdiction(head.state) ? [read.value] : []));
  return loadContent(addresses, { [head.state]: head.id });
};

/** Compares a worked case with the API's calculation. Days are `YYYY-MM-DD`. */
export const runCase = (worked: ListedCase, head: Release, releaseFor: ReleaseFor, today: string): CaseResult => {
  const { id } = worked;
  if (isUnreadable(worked))
    return { id, outcome: 'not_applicable', expected: null, got: null, reason: `it cannot be read: ${worked.problem}` };
  const expected = worked.expected.tax_total ?? null;
  const result = (outcome: CaseResult['outcome'], got: string | null, reason: string | null): CaseResult => ({
    id,
    outcome,
    expected,
    got,
    reason,
  });
  const reason = inapplicable(worked, head);
  if (reason !== null || expected === null) return result('not_applicable', null, reason);
  const address = readAddress(toAddress(worked), '');
  if (!address.ok) return result('fail', null, address.problems[0].detail);
  if (!knowsPlace(worked, address.value, releaseFor(address.value)))
    return result(
      'not_applicable',
      null,
      `the release has no place named ${worked.locality}: add a zip to the case, or pass --zips "${worked.locality}=…"`,
    );
  const context = { settings: defaultSettings(currentVersion), releaseFor, now: Date.parse(`${today}T12:00:00Z`) };
  const calculated = calculate(buildRequest(worked, today), context, []);
  if (!calculated.ok) return result('fail', null, calculated.problems[0].detail);
  const { tax_amount } = calculated.value;
  const day = worked.date ?? today;
  const uncovered = getWarning(calculated.value, ['not_covered']);
  if (uncovered !== null && isOutside(day, head)) return result('not_applicable', tax_amount, uncovered);
  if (isSameAmount(tax_amount, expected)) return result('pass', tax_amount, null);
  return result('fail', tax_amount, getWarning(calculated.value, explainingCodes));
};

// The warnings that explain most differences.
const explainingCodes = [
  'not_covered',
  'local_rates_missing',
  'local_rates_approximate',
  'address_ambiguous',
  'postal_code_unknown',
];

const getWarning = ({ warnings }: Outcome, codes: readonly string[]): string | null =>
  warnings.find(({ code }) => codes.includes(code))?.message ?? null;

/** Returns whether the day is outside of the days on which the release is established. */
const isOutside = (day: string, { established_from, established_to }: Release): boolean =>
  day < established_from || (established_to !== null && established_to < day);
