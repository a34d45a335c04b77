import { inForce } from '../content/effective.ts';
import type { Release } from '../content/release.ts';
import type { TaxedDocument, TaxRow } from '../tax/document.ts';
import type { Writer } from './figures.ts';
import type { LocatedLine } from './locate-lines.ts';
import type { ExplanationStep } from './response.ts';

const step = (
  name: ExplanationStep['step'],
  pointer: string,
  text: string,
  ruleId: string | null = null,
  citation: string | null = null,
): ExplanationStep => ({ step: name, pointer, text, rule_id: ruleId, citation });

const cite = (release: Release | null, source: string | undefined): string | null =>
  (source !== undefined && release?.sources[source]) || null;

const rowSteps = (
  row: TaxRow,
  release: Release | null,
  day: string,
  pointer: string,
  write: Writer,
): ExplanationStep[] => {
  const rule = release?.rules.find(({ id }) => id === row.ruleId);
  const rates = release?.rates.filter(({ jurisdiction }) => jurisdiction === row.jurisdiction.code) ?? [];
  const rate = inForce(rates, day, release?.established_from ?? '')[0];
  const { name } = row.jurisdiction;
  return [
    step('rule', pointer, `${name}: ${row.reason}.`, row.ruleId, cite(release, rule?.source)),
    step(
      'rate',
      pointer,
      `${name}: ${write(row.taxable)} taxable at ${row.rate}, ${write(row.exempt)} exempt.`,
      null,
      cite(release, rate?.source),
    ),
  ];
};

const lineSteps = (
  line: TaxedDocument['lines'][number],
  located: LocatedLine,
  day: string,
  index: number,
  write: Writer,
) => {
  const pointer = `/line_items/${index}`;
  const { release, name, sourcing } = located.place;
  const { level, coverage } = located.resolution;
  const rounding = inForce(release?.settings.rounding ?? [], day, '')[0];
  return [
    step('address', located.pointer, `${name}, by ${level}; sourced at the ${sourcing}; coverage ${coverage}.`),
    step('jurisdictions', pointer, line.rows.map(({ jurisdiction }) => jurisdiction.name).join(', ')),
    ...line.rows.flatMap((row) => rowSteps(row, release, day, pointer, write)),
    step(
      'rounding',
      pointer,
      `${write(line.tax)}: summed exactly, rounded once (${rounding?.policy.method ?? 'half_up'}), split by largest remainder.`,
      null,
      cite(release, rounding?.source),
    ),
  ];
};

/** How each line came to its tax, in order: address, jurisdictions, and for each row its rule and rate; then rounding. */
export const explain = (
  day: string,
  located: readonly LocatedLine[],
  taxed: TaxedDocument,
  write: Writer,
): ExplanationStep[] => {
  return taxed.lines.flatMap((line, index) => lineSteps(line, located[index] as LocatedLine, day, index, write));
};
