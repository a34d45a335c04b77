import type { LocalChoice, LocalSet } from '../../catalog/location/local-choice.ts';
import { isOwnCode } from '../../catalog/own-rules.ts';
import { combinedRate } from '../../catalog/rates.ts';
import type { Release, Sourcing, SourcingSetting } from '../../catalog/release.ts';
import { rateDecimals } from '../../catalog/release-values.ts';
import { decimalText } from '../../money/decimal.ts';
import { choiceByPlace, coverageByPlace, decidedByTable, describeAmbiguity } from '../ambiguity.ts';
import type { LocatedLine } from '../locate-lines.ts';
import type { ExplanationStep } from '../response.ts';
import type { TaxingAddress } from '../sourcing.ts';
import { cite, listed, listedUpTo, namedMax, step } from './step.ts';

const levelTexts = {
  street: 'by its street address',
  zip9: 'by its ZIP+4',
  zip5: 'by its ZIP',
  city: 'by its city',
  county: 'by its county',
  state: 'by its state',
} as const;

const coverageTexts = {
  complete: 'All taxes there are known.',
  partial: 'Only the state rate is known: local taxes are missing.',
  none: 'Its general rates on that day are not known.',
} as const;

const formatAddress = ({ address: { zip5, plus4, city, state, country } }: TaxingAddress): string =>
  [city, [state ?? country, zip5 === null ? null : [zip5, plus4].filter(Boolean).join('-')].filter(Boolean).join(' ')]
    .filter(Boolean)
    .join(', ');

const otherDayText = 'The rates of the tax day are not on record; rates of a different day are used.';
const partText = 'Local taxes are known only for a part of the ZIP.';

/** Describes the coverage of the place's taxes. */
const coverageText = (decisive: TaxingAddress, release: Release): string => {
  const { choice, resolution, lacksLocals, approximation } = decisive;
  const byPlace = decidedByTable(decisive);
  const age = approximation
    ? ` The rates are from ${approximation.ratesDay}: no rates of the tax day are on record.`
    : '';
  if (byPlace && resolution.coverage !== 'none') return `${coverageByPlace(decisive, byPlace, release)}${age}`;
  if (resolution.coverage === 'partial' && !lacksLocals) return otherDayText;
  return choice?.isPart && resolution.coverage === 'partial' ? partText : coverageTexts[resolution.coverage];
};

/** Describes how the place was resolved, and the coverage of its taxes. */
const foundText = (decisive: TaxingAddress): string => {
  const { place, resolution, address } = decisive;
  const { name, release, jurisdictions } = place;
  const { level } = resolution;
  if (!release)
    return address.state === null
      ? `country ${name}, outside the United States.`
      : `${name}, not covered by any content release.`;
  if (level === 'none' || jurisdictions.length === 0)
    return `${name}, not in a place that ${release.id} covers on that day. Its taxes are not known.`;
  return `${name}, found ${levelTexts[level]}. ${coverageText(decisive, release)}`;
};

/** Formats a set of local jurisdictions with its combined general rate, which includes custom jurisdictions. */
const setText = (
  release: Release,
  { codes: found, isUnknown }: LocalSet,
  own: readonly string[],
  day: string,
): string => {
  const codes = [...found, ...own];
  const names = codes.map((code) => release.jurisdictions.find((one) => one.code === code)?.name ?? code);
  const rate = combinedRate(release, [release.state, ...codes], day);
  const rateText = rate === undefined ? 'rate not known' : decimalText({ units: rate, scale: rateDecimals });
  return `${names.join(' with ') || (isUnknown ? 'local rate not established' : 'no local tax')} (${rateText})`;
};

/** Explains how one of the possible sets of an address was chosen. */
const decisionText = (decisive: TaxingAddress, { possible, usual, byStreet }: LocalChoice): string => {
  const { prefer } = decisive;
  const some = byStreet
    ? 'of the candidates that do not depend on the street'
    : 'of the candidates that apply to the whole ZIP';
  const considered = prefer === 'highest' ? possible : usual;
  return `The account's policy selects the ${prefer} ${considered.length === possible.length ? 'of them' : some}`;
};

/** Lists the possible sets of local jurisdictions of an address with their combined general rates, and the chosen set. */
const candidatesText = (decisive: TaxingAddress, day: string): string => {
  const { choice, place, prefer } = decisive;
  const { release, jurisdictions } = place;
  if (!choice || !release || choice.possible.length < 2) return '';
  const { possible, usual } = choice;
  const considered = prefer === 'highest' ? possible : usual;
  const isChosen = ({ codes }: LocalSet) =>
    jurisdictions.every(({ code, type }) => type === 'state' || isOwnCode(code) || codes.includes(code)) &&
    codes.every((code) => jurisdictions.some((one) => one.code === code));
  const own = jurisdictions.map(({ code }) => code).filter(isOwnCode);
  const chosen = considered.find(isChosen);
  const taken = chosen ? `: ${setText(release, chosen, own, day)}` : '';
  const byPlace = decidedByTable(decisive);
  // The explanation of the ambiguity already lists the other sets.
  if (byPlace && prefer === 'lowest') return ` ${choiceByPlace(byPlace)}${taken}.`;
  const all = listedUpTo(
    possible.map((set) => setText(release, set, own, day)),
    namedMax,
  );
  return ` Candidates with their combined general rates: ${all}. ${decisionText(decisive, choice)}${taken}.`;
};

/** Describes how the goods move at an address. Picked-up goods are delivered at their origin. */
const movementAt = ({ at }: TaxingAddress, { destination, origin }: LocatedLine['pointers']): string => {
  if (destination === origin) return 'Picked up at';
  return at === 'origin' ? 'Shipped from' : 'Shipped to';
};

const addressText = (decisive: TaxingAddress, pointers: LocatedLine['pointers'], day: string): string => {
  const end = movementAt(decisive, pointers);
  const uncertainty = decisive.resolution.ambiguous ? ` It is ambiguous: ${describeAmbiguity(decisive).why}` : '';
  return `${end} ${formatAddress(decisive)}: ${foundText(decisive)}${uncertainty}${candidatesText(decisive, day)}`;
};

const policyTexts: Readonly<Record<Sourcing, string>> = {
  destination: 'which taxes sales at their destination',
  origin: 'which taxes sales within the state at their origin',
  mixed: 'which taxes sales within the state at their origin, and its districts at the destination',
  residence: "which taxes sales at the buyer's address",
};

const sourcingText = ({ place }: LocatedLine, { policy, ptcs }: SourcingSetting): string => {
  const taxes = ptcs ? policyTexts[policy].replace('sales', 'sales of this product') : policyTexts[policy];
  if (place.isInterstate && (policy === 'origin' || policy === 'mixed'))
    return `${place.name}, ${taxes}; the goods come from another state or an unknown origin, so the destination decides.`;
  return `${place.name}, ${taxes}.`;
};

/**
 * Explains how the law or the account changes the tax on a sale from another state. The sentence starts with a space.
 */
const remoteText = ({ remote }: LocatedLine): string => {
  switch (remote?.kind) {
    case 'elected':
      return ` The account elected ${remote.terms.jurisdiction.name} for sales from other states, effective ${remote.since}.`;
    case 'without_local':
      return ` The goods come from another state: ${remote.terms.note}`;
    default:
      return '';
  }
};

/** Explains where a line is taxed: its addresses, which of them decide and why, and which jurisdictions tax there. */
export const placeSteps = (located: LocatedLine, day: string, pointer: string): ExplanationStep[] => {
  const { place, decisive, setting, pointers } = located;
  const { release } = place;
  const sourcing = setting ? ` Taxed in ${sourcingText(located, setting)}` : '';
  const [first, ...others] = decisive.map((one) => ({
    pointer: pointers[one.at],
    text: addressText(one, pointers, day),
  }));
  const names = place.jurisdictions.flatMap(({ code, name, type, tax_type }, index) => {
    if (tax_type === 'fee') return [];
    const origin = place.sourcing[index]?.at === 'origin' ? ', at the origin' : '';
    return `${name} (${type}${origin}${isOwnCode(code) ? ', from custom rules' : ''})`;
  });
  return [
    step(
      'address',
      first?.pointer ?? located.pointer,
      `${first?.text ?? ''}${sourcing}`.trim(),
      null,
      cite(release, setting?.source),
    ),
    ...others.map((other) => step('address', other.pointer, other.text)),
    step(
      'jurisdictions',
      pointer,
      names.length > 0
        ? `Taxed by ${listed(names)}.${remoteText(located)}`
        : 'No known jurisdiction taxes this address.',
      null,
      cite(release, decisive.flatMap(({ evidence }) => evidence)[0]?.source),
    ),
  ];
};
