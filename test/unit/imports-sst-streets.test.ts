import { describe, expect, it } from 'vitest';
import { releaseWith } from '../../shared/catalog/merge-releases.ts';
import { showZip } from '../../shared/cli/content/show.ts';
import { changesAt } from '../../shared/importers/releases/impact.ts';
import {
  fixture,
  headOf,
  type Imported,
  importFiles,
  releaseForOf,
  type TestFile,
} from '../fixtures/imports/harness.ts';
import { type BoundaryFields, boundaryRow, boundaryRows, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import { ask } from '../support/builders.ts';

const day = '2026-11-22';

const taxAt = (imported: Imported, state: string, postal_code: string, policy = 'warn', tax_date = day) => {
  const settings = { ambiguous_address: policy as 'warn' | 'highest_rate' };
  const around = { releaseFor: releaseForOf(imported), settings };
  const { tax_amount, line_items, warnings } = ask({ to: { state, postal_code }, tax_date }, around);
  const { ambiguous, coverage } = line_items[0]?.address_resolution ?? {};
  return { tax: tax_amount, ambiguous, coverage, warnings: warnings.map(({ code, message }) => `${code}: ${message}`) };
};

const wisconsin = () => importFiles('sst', 'WI', [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')]);

const vtRates = rateRows('50', '45 50 0.06', '01 10675 0.01', '01 66175 0.01 20200101 20211231');
const street = (zips: string, others: Partial<BoundaryFields> = {}) =>
  boundaryRow({ type: 'A', zips, state: '50', ...others });
const vermont = (...rows: readonly string[]) => importFiles('sst', 'VT', sstFiles('VT', vtRates, rows));

describe('SST street-address rows', () => {
  it('make a ZIP+4 ambiguous between the Z row and the street rows', async () => {
    const imported = await wisconsin();
    expect(taxAt(imported, 'WI', '53213-1234')).toMatchObject({ tax: '5.90', ambiguous: true, coverage: 'complete' });
    expect(taxAt(imported, 'WI', '53213', 'highest_rate')).toMatchObject({ tax: '7.90', ambiguous: true });
  });

  it('do not change other ZIPs, and are reported', async () => {
    const imported = await wisconsin();
    expect(taxAt(imported, 'WI', '54135')).toMatchObject({ tax: '5.50', ambiguous: false, warnings: [] });
    const { remarks, notes, rowsRead, rowsKept } = imported.built.summary;
    expect(rowsKept).toBe(rowsRead);
    const reason = expect.stringContaining('street-address row');
    expect(remarks).toContainEqual({ reason, count: 1, file: 'WIB2026Q2FEB18.csv', firstLine: 3 });
    expect(notes).toContainEqual(expect.stringMatching(/^Street-address rows cover 1 ZIP\./));
  });

  it('with the same rate as the ZIP row make nothing ambiguous', async () => {
    const imported = await vermont(...boundaryRows('50', 'Z 05401 place:10675'), street('05401', { place: '10675' }));
    expect(taxAt(imported, 'VT', '05401')).toMatchObject({ tax: '7.00', ambiguous: false, coverage: 'complete' });
  });

  it('without other rows resolve a ZIP to their lowest rate', async () => {
    const imported = await vermont(
      street('05401', { place: '10675' }),
      street('05401'),
      street('05403', { place: '10675' }),
    );
    for (const zip of ['05401', '05401-0001']) {
      expect(taxAt(imported, 'VT', zip)).toMatchObject({ tax: '6.00', ambiguous: true, coverage: 'complete' });
      expect(taxAt(imported, 'VT', zip, 'highest_rate')).toMatchObject({ tax: '7.00' });
    }
    expect(taxAt(imported, 'VT', '05403')).toMatchObject({ tax: '7.00', ambiguous: false, coverage: 'complete' });
    expect(taxAt(imported, 'VT', '05404')).toMatchObject({ tax: '6.00', coverage: 'partial' });
    expect(headOf(imported).counts).toMatchObject({ parts: 2, zips: 2 });
  });

  it('apply on their dates, merged if they have the same set', async () => {
    const imported = await vermont(
      ...boundaryRows('50', 'Z 05401'),
      street('05401', { place: '10675', from: '20220101', to: '20221231' }),
      street('05401', { place: '10675', from: '20221001', to: '20230331' }),
      street('05401', { place: '10675', from: '20230401', to: '20230630' }),
      street('05401', { place: '10675', from: '20240101', to: '20240131' }),
    );
    const isAmbiguous = (on: string) => taxAt(imported, 'VT', '05401', 'warn', on).ambiguous;
    expect(['2022-01-01', '2023-03-31', '2023-06-30', '2024-01-31'].filter((on) => !isAmbiguous(on))).toEqual([]);
    expect(['2021-12-31', '2023-07-01', '2024-02-01'].filter(isAmbiguous)).toEqual([]);
    const streets = imported.parts.get('05401')?.locations.filter((location) => location.of_streets);
    expect(streets?.map(({ from, to }) => [from, to])).toEqual([
      ['2022-01-01', '2023-06-30'],
      ['2024-01-01', '2024-01-31'],
    ]);
  });

  it('cover a ZIP+4 outside the ranges of its ZIP, as partial coverage', async () => {
    const imported = await vermont(
      ...boundaryRows('50', '4 05401-0001..05401-0100'),
      street('05401', { place: '10675' }),
    );
    expect(taxAt(imported, 'VT', '05401-0001')).toMatchObject({ tax: '6.00', ambiguous: true, coverage: 'complete' });
    expect(taxAt(imported, 'VT', '05401-0101')).toMatchObject({ tax: '7.00', ambiguous: true, coverage: 'partial' });
    expect(taxAt(imported, 'VT', '05401')).toMatchObject({ tax: '6.00', ambiguous: true, coverage: 'partial' });
  });

  it('have their ZIP in column 16 or in the range columns, and are skipped with a reason if it is missing', async () => {
    const ranged = boundaryRow({ type: 'A', zips: ['05401', '', '', ''], state: '50', place: '10675' });
    const both = ranged.replace(',05401,', ',05402,').split(',').with(15, '05401').join();
    const none = boundaryRow({ type: 'a', zips: ['', '', '', ''], state: '50', place: '10675' });
    const imported = await vermont(ranged, both, none, street('not a ZIP'), street('55401'));
    expect([...imported.parts.keys()]).toEqual(['05401']);
    expect(imported.built.summary).toMatchObject({
      skipped: [
        { reason: expect.stringContaining('without a ZIP code'), count: 1, firstLine: 3 },
        { reason: expect.stringContaining('none of its ZIPs'), count: 1, firstLine: 5 },
      ],
      bad: { rows: 1, first: [{ line: 4, reason: expect.stringContaining('column 16') }] },
    });
  });

  it('are marked in `show`, and compared only if the ZIP has no other rows', async () => {
    const part = (await wisconsin()).parts.get('53213');
    const head = headOf(await wisconsin());
    const shown = showZip(head, part, '53213', day).locations;
    expect(shown.map(({ of_streets, alternatives }) => [of_streets, alternatives.map(({ rate }) => rate)])).toEqual([
      [false, ['0.059']],
      [true, ['0.079']],
    ]);
    const releaseOf = (isKept: (isOfStreets: boolean) => boolean) =>
      releaseWith(
        head,
        part ? [{ ...part, locations: part.locations.filter(({ of_streets }) => isKept(of_streets === true)) }] : [],
      );
    const [before, both, only] = [
      releaseOf((streets) => !streets),
      releaseOf(() => true),
      releaseOf((streets) => streets),
    ];
    expect(changesAt('WI', '53213', { before, after: both }, day)).toEqual([]);
    expect(changesAt('WI', '53213', { before, after: only }, day)).toContainEqual(
      expect.objectContaining({ key: '53213', old: '0.059', new: '0.079' }),
    );
  });
});

it('stores the sets of street addresses, not the rows: 20,000 rows of one ZIP are one location', async () => {
  const row = street('05401', { place: '10675' });
  const many: TestFile = { name: 'VTB2026Q4AUG28.csv', content: `${row}\n`.repeat(20_000) };
  const [rates] = sstFiles('VT', vtRates, []) as [TestFile];
  const imported = await importFiles('sst', 'VT', [rates, many]);
  expect(imported.built.summary.rowsKept).toBe(20_003);
  expect(imported.parts.get('05401')?.locations).toHaveLength(1);
});
