import type { Approximation } from '../content/effective.ts';
import type { Published } from '../content/release-values.ts';
import { importFile } from './by-place.ts';
import type { Warning } from './response.ts';
import type { TaxingAddress } from './sourcing.ts';

/** The tax day, and the service's time in milliseconds, which decides whether newer rates are due. */
export type WarningDays = { readonly day: string; readonly nowMs: number };

const usedInstead = {
  undated: (of: string) => `those of ${of} were used`,
  first: (of: string) => `those of ${of}, the first on record, were used`,
  ended: (of: string) => `those of ${of}, their last known day, were used`,
} as const;

const approximate = (place: string, { of, because }: Approximation, day: string): string =>
  `the local rates of ${place} on ${day} are not on record; ${usedInstead[because](of)}.`;

const outdated = (place: string, { asOf, due }: Published): string =>
  `the local rates of ${place} are as of ${asOf}, and newer ones were due by ${due}. Import them: \`GET /coverage\` names the publisher.`;

/** Whether newer rates than those of a publication are due. A publication confirms its rates up to its own day. */
const isOutdated = ({ asOf, overdueMs }: Published, { day, nowMs }: WarningDays): boolean =>
  asOf < day && overdueMs <= nowMs;

/** Warnings that the local rates of an address are those of another day, or that newer ones are due. */
export const ageWarnings = (
  decisive: TaxingAddress,
  placeOf: () => string,
  pointer: string,
  days: WarningDays,
): Warning[] => {
  const { approximation, published, place } = decisive;
  const warnings: Warning[] = [];
  if (approximation) {
    const message = `${place.name}: ${approximate(placeOf(), approximation, days.day)} To replace them, ${importFile(decisive)}`;
    warnings.push({ code: 'local_rates_approximate', message, pointer });
  }
  if (published && isOutdated(published, days)) {
    const message = `${place.name}: ${outdated(placeOf(), published)}`;
    warnings.push({ code: 'local_rates_outdated', message, pointer });
  }
  return warnings;
};
