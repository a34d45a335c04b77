import { inForce } from '../../content/effective.ts';
import type { Sourcing } from '../../content/release.ts';
import { ambiguityOf } from '../ambiguity.ts';
import type { LocatedLine } from '../locate-lines.ts';
import type { ExplanationStep } from '../response.ts';
import type { Decisive } from '../sourcing.ts';
import { cite, listed, step } from './step.ts';

const levelTexts = {
  zip9: 'by its ZIP+4',
  zip5: 'by its ZIP',
  city: 'by its city',
  state: 'by its state',
  none: 'by its country',
} as const;

const coverageTexts = {
  complete: 'The content knows all of its taxes.',
  partial: 'The content knows the state rate only: local taxes are missing.',
  none: 'The content does not know its taxes: none was calculated.',
} as const;

const writtenOf = ({ address: { zip5, plus4, city, state, country } }: Decisive): string =>
  [city, [state ?? country, zip5 === null ? null : [zip5, plus4].filter(Boolean).join('-')].filter(Boolean).join(' ')]
    .filter(Boolean)
    .join(', ');

const addressText = (one: Decisive): string => {
  const { place, resolution, at } = one;
  const end = at === 'origin' ? 'Goods are sent from' : 'Goods go to';
  const doubt = resolution.ambiguous ? ` It is ambiguous: ${ambiguityOf(one).why}` : '';
  return `${end} ${writtenOf(one)}: ${place.name}, found ${levelTexts[resolution.level]}. ${coverageTexts[resolution.coverage]}${doubt}`;
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
  const setting = inForce(release?.settings.sourcing ?? [], day, '')[0];
  const sourcing = setting ? ` Taxed in ${sourcingText(located, setting.policy)}` : '';
  const [first, ...others] = decisive.map((one) => ({ pointer: pointers[one.at], text: addressText(one) }));
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
      names.length > 0 ? `Taxed by ${listed(names)}.` : `Nobody is known to tax there.`,
      null,
      cite(release, decisive.flatMap(({ evidence }) => evidence)[0]?.source),
    ),
  ];
};
