import { calculate } from '../../shared/calculations/calculate.ts';
import { readDocument } from '../../shared/calculations/document.ts';
import { documentTotals } from '../../shared/calculations/figures.ts';
import { builtInRelease, builtInReleaseById } from '../../shared/catalog/built-in.ts';
import { contentLoader } from '../../shared/catalog/loading/content-loader.ts';
import { readAddress, type TaxAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { accepted } from '../../shared/cli/terminal/run-command.ts';
import { readActiveReleases, readContent } from '../../shared/store/content/content-reads.ts';
import { activateRelease, beginImport, finishImport, writeParts } from '../../shared/store/content/content-store.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import { buildRequest, context, day, imported, importedAt, zip4Ranges, zips } from './content.ts';
import { type Figure, measureMicroseconds, rounded } from './figure.ts';

const sizes = [1, 10, 100, 1000];
// Alternate between documents, because a single document would benefit from the CPU caches.
const documents = 8;

const alternating = <Value>(values: readonly Value[], run: (value: Value) => unknown) => {
  let at = 0;
  return () => run(values[at++ % documents] as Value);
};

/**
 * Measures a calculation with 1 to 1,000 lines: from the parsed request to the complete response, and the tax core
 * alone, from amounts and places to the tax of each line in each jurisdiction. `amounts_parsed` is the time to parse and
 * add up every amount of the response, which is what each read of a stored transaction would add if its amounts were numbers.
 */
export const calculationFigures = async (): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const lines of sizes) {
    const inputs = Array.from({ length: documents }, (_, seed) => buildRequest(lines, seed * 37));
    const read = inputs.map((input) => accepted(readDocument(input, context)).document);
    const outcomes = inputs.map((input) => accepted(calculate(input, context, [])));
    const measured = await measureMicroseconds({
      calculation: alternating(inputs, (input) => accepted(calculate(input, context, []))),
      calculation_tax_core: alternating(read, calculateTax),
      amounts_parsed: alternating(outcomes, (outcome) => documentTotals(outcome, 2)),
    });
    for (const { name, median, least } of measured)
      figures.push({
        figure: name,
        lines,
        jurisdictions: 4,
        median_us: rounded(median),
        min_us: rounded(least),
        per_second: rounded(1e6 / median),
      });
  }
  return figures;
};

/** Imports the bench's release and activates it. */
export const activateContent = async (): Promise<void> => {
  const { head, parts } = imported();
  const claim = accepted(await beginImport(head.id, head.imported_at));
  accepted(await finishImport(claim, head, await writeParts(claim, parts)));
  accepted(await activateRelease(head.state, head.id, await readActiveReleases(), importedAt));
};

const newLoader = () =>
  contentLoader({
    readActive: readActiveReleases,
    readContent,
    builtIn: builtInRelease,
    builtInById: builtInReleaseById,
    now: Date.now,
  });

/**
 * Measures how long an imported release takes to return the jurisdictions of an address, in a new instance and cached.
 */
export const lookUpFigures = async (): Promise<Figure[]> => {
  const addresses = zips.map((zip) => accepted(readAddress({ state: 'MN', postal_code: `${zip}-1234` }, '')));
  const lookUp = async ({ loadContent }: ReturnType<typeof newLoader>, address: TaxAddress) => {
    const { place } = locate(address, await loadContent([address]), day, false);
    if (place.jurisdictions.length !== 4) throw new Error('The imported release was not used.');
  };
  const loader = newLoader();
  for (const address of addresses) await lookUp(loader, address);
  let at = 0;
  const next = () => addresses[at++ % addresses.length] as TaxAddress;
  const measured = await measureMicroseconds({
    'cold: directory, then one batch': () => lookUp(newLoader(), next()),
    'warm: no call': () => lookUp(loader, next()),
  });
  return measured.map(({ name, median }) => ({
    figure: 'content_look_up',
    of: name,
    zip4_ranges: zip4Ranges,
    median_us: rounded(median),
  }));
};
