import { settingOn } from '../../content/effective.ts';
import { combinedRate } from '../../content/location/combined-rate.ts';
import type { LocalChoice } from '../../content/location/local-choice.ts';
import type { LocalSet } from '../../content/location/location-index.ts';
import { type Release, rateDecimals, type Sourcing } from '../../content/release.ts';
import { ambiguityOf } from '../ambiguity.ts';
import { coverageByPlace, decidedByTable, deciderOf } from '../by-place.ts';
import type { LocatedLine } from '../locate-lines.ts';
import type { ExplanationStep } from '../response.ts';
import type { Decisive } from '../sourcing.ts';
import { cite, decimalText, listed, step } from './step.ts';

const levelTexts = {
  zip9: 'by its ZIP+4',
  zip5: 'by its ZIP',
  city: 'by its city',
  county: 'by its county',
  state: 'by its state',
} as const;

const coverageTexts = {
  complete: 'The content knows all of its taxes.',
  partial: 'The content knows the state rate only: local taxes are missing.',
  none: 'The content does not know its general rates on that day.',
} as const;

const writtenOf = ({ address: { zip5, plus4, city, state, country } }: Decisive): string =>
  [city, [state ?? country, zip5 === null ? null : [zip5, plus4].filter(Boolean).join('-')].filter(Boolean).join(' ')]
    .filter(Boolean)
    .join(', ');

const partText = 'The content knows the local taxes of a part of the ZIP alone.';

/** What the content knows of the place. */
const coverageText = (decisive: Decisive, release: Release): string => {
  const { choice, resolution } = decisive;
  const byPlace = decidedByTable(decisive);
  if (byPlace && resolution.coverage !== 'none') return coverageByPlace(decisive, byPlace, release);
  return choice?.isPart && resolution.coverage === 'partial' ? partText : coverageTexts[resolution.coverage];
};

/** How the content found the place, and what it knows of it. */
const foundText = (decisive: Decisive): string => {
  const { place, resolution, address } = decisive;
  const { name, release, jurisdictions } = place;
  const { level } = resolution;
  if (!release) return address.state === null ? `${name}, another country.` : `${name}, which no content covers.`;
  if (level === 'none' || jurisdictions.length === 0)
    return `${name}, in none of the places that ${release.id} names on that day. The content does not know its taxes.`;
  return `${name}, found ${levelTexts[level]}. ${coverageText(decisive, release)}`;
};

const namedMax = 10;

const setText = (release: Release, { codes, isUnknown }: LocalSet, day: string): string => {
  const names = codes.map((code) => release.jurisdictions.find((one) => one.code === code)?.name ?? code);
  const rate = combinedRate(release, [release.state, ...codes], day);
  const rateText = rate === undefined ? 'rate not known' : decimalText({ units: rate, scale: rateDecimals });
  return `${names.join(' with ') || (isUnknown ? 'local rate not established' : 'no local tax')} (${rateText})`;
};

/** What chose between the sets that an address may have. */
const decisionText = (decisive: Decisive, { possible, usual, byStreet }: LocalChoice): string => {
  const { prefer } = decisive;
  const byPlace = decidedByTable(decisive);
  if (byPlace && prefer === 'lowest') {
    const decider = deciderOf(decisive, byPlace);
    return `${decider.charAt(0).toUpperCase()}${decider.slice(1)}`;
  }
  const some = byStreet ? 'of those that do not depend on the street' : 'of those that hold for the whole ZIP';
  const considered = prefer === 'highest' ? possible : usual;
  return `By the account's policy the ${prefer} ${considered.length === possible.length ? 'of them' : some} is taken`;
};

/** The sets of local jurisdictions that an address may have, with their combined general rates, and which was chosen. */
const candidatesText = (decisive: Decisive, day: string): string => {
  const { choice, place, prefer } = decisive;
  const { release, jurisdictions } = place;
  if (!choice || !release || choice.possible.length < 2) return '';
  const { possible, usual } = choice;
  const considered = prefer === 'highest' ? possible : usual;
  const isChosen = ({ codes }: LocalSet) =>
    jurisdictions.every(({ code, type }) => type === 'state' || codes.includes(code)) &&
    codes.every((code) => jurisdictions.some((one) => one.code === code));
  const named = possible.slice(0, namedMax).map((set) => setText(release, set, day));
  const others = possible.length > namedMax ? [`${possible.length - namedMax} others`] : [];
  const chosen = considered.find(isChosen);
  const all = listed([...named, ...others]);
  const taken = chosen ? `: ${setText(release, chosen, day)}` : '';
  return ` The candidates, with the combined general rates: ${all}. ${decisionText(decisive, choice)}${taken}.`;
};

const addressText = (one: Decisive, day: string): string => {
  const end = one.at === 'origin' ? 'Goods are sent from' : 'Goods go to';
  const doubt = one.resolution.ambiguous ? ` It is ambiguous: ${ambiguityOf(one).why}` : '';
  return `${end} ${writtenOf(one)}: ${foundText(one)}${doubt}${candidatesText(one, day)}`;
};

const policyTexts: Readonly<Record<Sourcing, string>> = {
  destination: 'which taxes sales at their destination',
  origin: 'which taxes sales within the state at their origin',
  mixed: 'which taxes sales within the state at their origin, and its districts at the destination',
};

const sourcingText = ({ place }: LocatedLine, policy: Sourcing): string => {
  if (place.isInterstate && policy !== 'destination')
    return `${place.name}, ${policyTexts[policy]}; these goods come from elsewhere, or nobody said from where, so the destination decides.`;
  return `${place.name}, ${policyTexts[policy]}.`;
};

/** Where a line is taxed: its addresses, which of them decide and why, and who taxes there. */
export const placeSteps = (located: LocatedLine, day: string, pointer: string): ExplanationStep[] => {
  const { place, decisive, pointers } = located;
  const { release } = place;
  const setting = settingOn(release?.settings.sourcing ?? [], day);
  const sourcing = setting ? ` Taxed in ${sourcingText(located, setting.policy)}` : '';
  const [first, ...others] = decisive.map((one) => ({ pointer: pointers[one.at], text: addressText(one, day) }));
  const names = place.jurisdictions.map(({ name, type }, index) =>
    place.sourcing[index] === 'origin' ? `${name} (${type}, at the origin)` : `${name} (${type})`,
  );
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
      names.length > 0 ? `Taxed by ${listed(names)}.` : 'The content has no jurisdiction that taxes this address.',
      null,
      cite(release, decisive.flatMap(({ evidence }) => evidence)[0]?.source),
    ),
  ];
};
