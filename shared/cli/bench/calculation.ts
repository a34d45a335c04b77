import { calculate } from '../../calculations/calculate.ts';
import { readDocument } from '../../calculations/document.ts';
import type { CalculationInput } from '../../calculations/request.ts';
import type { Result } from '../../result.ts';
import { calculateTax } from '../../tax/calculate.ts';
import { type Figure, median, rounded } from './figure.ts';
import { context, requestOf } from './four-jurisdictions.ts';

const sizes = [1, 10, 100, 1000];
// Several documents in turn, so that nothing is fast because it was calculated a moment ago.
const documents = 8;
const warmUpMs = 500;
const batchMs = 20;
const batches = 45;

const accepted = <Value>(result: Result<Value>): Value => {
  if (result.ok) return result.value;
  throw new Error(`The bench's own request was refused: ${JSON.stringify(result.problems)}`);
};

/** Runs `run` for about `forMs` and answers the microseconds that one run takes. */
const timeBatch = (run: (index: number) => unknown, forMs: number): number => {
  const start = performance.now();
  let runs = 0;
  while (performance.now() - start < forMs) for (let index = 0; index < documents; index += 1, runs += 1) run(index);
  return ((performance.now() - start) * 1000) / runs;
};

const timesOf = (run: (index: number) => unknown): number[] => {
  timeBatch(run, warmUpMs);
  return Array.from({ length: batches }, () => timeBatch(run, batchMs));
};

type Measure = (inputs: readonly CalculationInput[]) => number[];

/** How long the whole of a calculation takes: from the parsed request to the complete answer, strings in and out. */
const wholeOf: Measure = (inputs) =>
  timesOf((index) => accepted(calculate(inputs[index] as CalculationInput, context, [])));

/** How long the tax alone takes: from amounts and places to the tax of every line in every jurisdiction. */
const coreOf: Measure = (inputs) => {
  const read = inputs.map((input) => accepted(readDocument(input, context)).document);
  return timesOf((index) => calculateTax(read[index] as (typeof read)[number]));
};

const figuresOf = (figure: string, of: string, measure: Measure): Figure[] => {
  const measured = sizes.map((lines) => {
    const times = measure(Array.from({ length: documents }, (_, seed) => requestOf(lines, seed * 37)));
    return { lines, microseconds: median(times), least: Math.min(...times) };
  });
  const ratio = (key: 'microseconds' | 'least') => {
    const at = (size: number) => measured.find(({ lines }) => lines === size)?.[key] ?? Number.NaN;
    return rounded(at(1000) / at(10));
  };
  return [
    ...measured.map(({ lines, microseconds, least }) => ({
      figure,
      of,
      lines,
      jurisdictions: 4,
      microseconds: rounded(microseconds),
      min_microseconds: rounded(least),
      per_second: rounded(1e6 / microseconds),
    })),
    { figure: `${figure}_growth`, of: '1,000 lines to 10', ratio: ratio('microseconds'), min_ratio: ratio('least') },
  ];
};

/** The speed of the calculation at 1 to 1,000 lines: the whole of it, and the tax core without reading and writing. */
export const calculationFigures = (): Figure[] => [
  ...figuresOf('calculation', 'parsed request to complete answer', wholeOf),
  ...figuresOf('calculation_tax_core', 'read document to tax of each line and jurisdiction', coreOf),
];
