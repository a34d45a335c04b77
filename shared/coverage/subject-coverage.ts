import type { Confidence, Release, Rule } from '../content/release.ts';
import type { TreatmentName } from './response.ts';

/** How a state treats a kind of goods, with its rules and citations. */
export type SubjectCoverage = {
  readonly treatment: TreatmentName;
  readonly text: string;
  /** The lowest confidence of the rules; `null` where nothing is established. */
  readonly confidence: Confidence | null;
  readonly rule_ids: readonly string[];
  readonly citations: readonly string[];
};

const order: readonly Confidence[] = ['low', 'medium', 'medium-high', 'high'];

/** The lowest of several confidences; `null` without any. */
export const lowest = (confidences: readonly Confidence[]): Confidence | null =>
  order.find((confidence) => confidences.includes(confidence)) ?? null;

/** The coverage by rules or settings, each source and id once. */
export const coveredBy = (
  release: Release,
  treatment: TreatmentName,
  text: string,
  rules: readonly Pick<Rule, 'source' | 'confidence'>[],
  ids: readonly string[],
): SubjectCoverage => ({
  treatment,
  text,
  confidence: lowest(rules.map(({ confidence }) => confidence)),
  rule_ids: [...new Set(ids)],
  citations: [...new Set(rules.map(({ source }) => release.sources[source] ?? source))],
});

/** The coverage of a state without general sales tax and without other known taxes. */
export const untaxed = (release: Release): SubjectCoverage => {
  const [treatment, text] =
    release.coverage === 'complete'
      ? (['not_subject_to_tax', 'The state has no general sales tax.'] as const)
      : (['not_established', 'The state has no general sales tax; what local taxes do is not established.'] as const);
  return coveredBy(release, treatment, text, [], []);
};
