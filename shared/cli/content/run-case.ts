import { defaultSettings } from '../../accounts/account.ts';
import { calculate, type Outcome } from '../../calculations/calculate.ts';
import type { CalculationInput } from '../../calculations/request.ts';
import type { ReleaseFor } from '../../content/content.ts';
import { readAddress, type TaxAddress } from '../../content/location/address.ts';
import type { PostalAddress } from '../../content/location/postal-address.ts';
import type { Release } from '../../content/release.ts';
import { currentVersion } from '../../http/versions.ts';
import { stateJurisdiction } from '../../jurisdiction.ts';
import { decimal, rescale } from '../../money/decimal.ts';
import type { Case, CaseLine } from './cases.ts';

export type CaseResult = {
  readonly id: string;
  readonly outcome: 'pass' | 'fail' | 'not_applicable';
  /** The tax, as the case expects it and as the release has it. */
  readonly expected: string | null;
  readonly got: string | null;
  /** Why the case does not apply, or why there is no tax to compare. */
  readonly reason: string | null;
};

const inputFields = new Set(['lines', 'use']);
const lineFields = new Set(['id', 'ptc', 'quantity', 'unit_price', 'discount', 'third_party_discount']);

const othersOf = (value: object, known: ReadonlySet<string>): readonly string[] =>
  Object.keys(value).filter((field) => !known.has(field));

const isShipping = ({ ptc }: CaseLine): boolean => ptc === 'SHIPPING' || ptc.startsWith('SHIPPING.');

const localLevels = new Set(['local', 'county', 'city', 'district']);

/** Where the goods of a case go: as precisely as the case says. */
export const addressOf = ({ state, zip, locality }: Case): PostalAddress => ({
  state: state ?? null,
  postal_code: zip ?? null,
  city: locality ?? null,
});

/** Whether the case expects taxes of a place that it does not name, so that no release can be held against it. */
const expectsUnnamedPlace = ({ zip, locality, expected }: Case, release: Release): boolean => {
  if (zip || locality) return false;
  const levels = (expected.components ?? []).map(({ level }) => level ?? '');
  return levels.some((level) => localLevels.has(level) || (level === 'combined' && release.coverage === 'partial'));
};

/** Whether the case is one of the release's state. */
export const isOfState = ({ country, state }: Pick<Case, 'country' | 'state'>, release: Release): boolean =>
  (country ?? 'US') === 'US' && stateJurisdiction(state ?? '') === release.state;

/** Why the case says nothing about the release, or `null`. */
const inapplicable = (one: Case, release: Release): string | null => {
  if (!isOfState(one, release)) return `it is not about ${release.name}`;
  const { tax_total } = one.expected;
  if (tax_total === null || tax_total === undefined) return 'it expects no tax_total';
  const lines = one.input.lines ?? [];
  if (!lines.some((line) => !isShipping(line))) return 'it has no lines that are sold';
  const others = [...othersOf(one.input, inputFields), ...lines.flatMap((line) => othersOf(line, lineFields))];
  if (others.length > 0) return `it uses ${[...new Set(others)].join(', ')}, which a check cannot calculate`;
  if (lines.filter(isShipping).length > 1) return 'it has several shipping charges';
  if (expectsUnnamedPlace(one, release))
    return 'it expects local taxes of a place that it does not name: give it a zip';
  return null;
};

const requestOf = (one: Case, today: string): CalculationInput => {
  const lines = one.input.lines ?? [];
  const shipping = lines.find(isShipping);
  const use = one.input['use'];
  return {
    tax_date: one.date ?? today,
    customer: { address: addressOf(one), use: use === 'business' || use === 'personal' ? use : null },
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

const isSameAmount = (one: string, other: string): boolean => {
  const [first, second] = [decimal(one), decimal(other)];
  const scale = Math.max(first.scale, second.scale);
  return rescale(first, scale) === rescale(second, scale);
};

/** Whether the release knows the place that the case names, when it names it by its name alone. */
const knowsPlace = ({ zip, locality }: Case, address: TaxAddress, release: Release | undefined): boolean =>
  Boolean(zip) || !locality || (release?.locations ?? []).some(({ cities }) => cities.includes(address.city ?? ''));

/** Hold a release against a worked case, through the calculation that the API makes. Days are `YYYY-MM-DD`. */
export const runCase = (one: Case, head: Release, releaseFor: ReleaseFor, today: string): CaseResult => {
  const expected = one.expected.tax_total ?? null;
  const result = (outcome: CaseResult['outcome'], got: string | null, reason: string | null): CaseResult => ({
    id: one.id,
    outcome,
    expected,
    got,
    reason,
  });
  const reason = inapplicable(one, head);
  if (reason !== null || expected === null) return result('not_applicable', null, reason);
  const address = readAddress(addressOf(one), '');
  if (!address.ok) return result('fail', null, address.problems[0].detail);
  if (!knowsPlace(one, address.value, releaseFor(address.value)))
    return result(
      'not_applicable',
      null,
      `the release knows no place named ${one.locality}: give the case a zip, or say --zips "${one.locality}=…"`,
    );
  const context = { settings: defaultSettings(currentVersion), releaseFor, now: Date.parse(`${today}T12:00:00Z`) };
  const answer = calculate(requestOf(one, today), context, []);
  if (!answer.ok) return result('fail', null, answer.problems[0].detail);
  const { tax_amount } = answer.value;
  const day = one.date ?? today;
  const uncovered = warningOf(answer.value, ['not_covered']);
  if (uncovered !== null && isOutside(day, head)) return result('not_applicable', tax_amount, uncovered);
  if (isSameAmount(tax_amount, expected)) return result('pass', tax_amount, null);
  return result('fail', tax_amount, warningOf(answer.value, telling));
};

// What an operator looks for first when a figure is not the one expected.
const telling = ['not_covered', 'local_rates_missing', 'address_ambiguous', 'postal_code_unknown'];

const warningOf = ({ warnings }: Outcome, codes: readonly string[]): string | null =>
  warnings.find(({ code }) => codes.includes(code))?.message ?? null;

/** Whether the release says of itself that it does not reach the day. Dated values of it may. */
const isOutside = (day: string, { established_from, established_to }: Release): boolean =>
  day < established_from || (established_to !== null && established_to < day);
