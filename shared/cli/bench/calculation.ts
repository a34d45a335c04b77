import { calculate } from '../../calculations/calculate.ts';
import { readDocument } from '../../calculations/document.ts';
import { calculateTax } from '../../tax/calculate.ts';
import { accepted } from '../terminal/errors.ts';
import { context, requestOf } from './content.ts';
import { type Figure, microsecondsOf, rounded } from './figure.ts';

const sizes = [1, 10, 100, 1000];
// Alternate between documents, because one document would profit from the CPU's caches.
const documents = 8;

const alternating = <Value>(values: readonly Value[], run: (value: Value) => unknown) => {
  let at = 0;
  return () => run(values[at++ % documents] as Value);
};

/**
 * The duration of a calculation with 1 to 1,000 lines: from the parsed request to the complete answer, and of the tax alone,
 * from amounts and places to the tax of each line in each jurisdiction.
 */
export const calculationFigures = async (): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const lines of sizes) {
    const inputs = Array.from({ length: documents }, (_, seed) => requestOf(lines, seed * 37));
    const read = inputs.map((input) => accepted(readDocument(input, context)).document);
    const measured = await microsecondsOf({
      calculation: alternating(inputs, (input) => accepted(calculate(input, context, []))),
      calculation_tax_core: alternating(read, calculateTax),
    });
    for (const { name, median, least } of measured)
      figures.push({
        ...{ figure: name, lines, jurisdictions: 4 },
        ...{ median_us: rounded(median), min_us: rounded(least), per_second: rounded(1e6 / median) },
      });
  }
  return figures;
};
