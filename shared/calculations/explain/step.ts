import type { Release } from '../../catalog/release.ts';
import type { GrossedUp } from '../../tax/assessment.ts';
import { visibleRateSource } from '../../tax/general-excise.ts';
import type { ExplanationStep } from '../response.ts';

/** Builds one step; `ruleId` and `citation` only if the content has them. */
export const step = (
  name: ExplanationStep['step'],
  pointer: string,
  text: string,
  ruleId: string | null = null,
  citation: string | null = null,
): ExplanationStep => ({ step: name, pointer, text, rule_id: ruleId, citation });

/** Returns the law or publication behind a value of a release. */
export const cite = (release: Release | null | undefined, source: string | undefined): string | null =>
  (source !== undefined && release?.sources[source]) || null;

/** Returns the source of a rate, and of the visible rate that it is a share of. */
export const citeRate = (
  release: Release | null,
  source: string | undefined,
  grossedUp: GrossedUp | null | undefined,
): string | null => [cite(release, source), grossedUp && visibleRateSource].filter(Boolean).join('; ') || null;

/** The maximum number of names in a sentence. */
export const namedMax = 10;

/** Formats the first names and the number of the others: `A, B and 3 others`. */
export const listedUpTo = (names: readonly string[], max: number): string =>
  listed(names.length > max ? [...names.slice(0, max), `${names.length - max} others`] : names);

/** Formats names in a sentence: `Michigan`, `A and B`, `A, B and C`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
