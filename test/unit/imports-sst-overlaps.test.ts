import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveOverlaps } from '../../shared/importers/sst/rate-overlaps.ts';
import { changed, fixture, importFiles, releaseForOf, type TestFile } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import { ask } from '../support/builders.ts';

const files = [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')] as const;

const importWisconsin = async (rates: TestFile = files[0]) => {
  const imported = await importFiles('sst', 'WI', [rates, files[1]]);
  const releaseFor = releaseForOf(imported);
  const taxAt = (postal_code: string, tax_date: string) => {
    const { line_items, tax_amount } = ask({ to: { state: 'WI', postal_code }, tax_date }, { releaseFor });
    return `${tax_amount} ${line_items[0]?.address_resolution.coverage}`;
  };
  return { summary: imported.built.summary, taxAt };
};

describe('SST rate rows of one jurisdiction that share days', () => {
  it('import without bad rows: the row that begins later applies from its first day', async () => {
    const { summary, taxAt } = await importWisconsin();
    expect(summary.bad.first).toEqual([]);
    expect(taxAt('54135', '2020-03-30')).toBe('5.00 complete');
    expect(taxAt('54135', '2020-03-31')).toBe('5.50 complete');
    expect(taxAt('54135', '2026-11-22')).toBe('5.50 complete');
  });

  it('are named with the file and both lines', async () => {
    const { summary } = await importWisconsin();
    const remark = summary.remarks.find(({ reason }) => reason.includes('begins earlier'));
    expect(remark).toMatchObject({ count: 1, file: 'WIR2026Q2FEB18.csv', firstLine: 4 });
    const note = summary.notes.find((text) => text.includes('share days'));
    for (const part of ['WIR2026Q2FEB18.csv', '078', 'line 4', 'line 3', '2020-03-31']) expect(note).toContain(part);
  });

  it('with the same first day have the rate of the later row in the file, with a remark', async () => {
    const [, , , , old, now] = files[0].content.toString().split('\n');
    const contradicting = `${old}\n55,00,079,0.007,0.007,0.007,0.007,20240101,99991231\n${now}`;
    const { summary, taxAt } = await importWisconsin(changed('WIR2026Q2FEB18.csv', `${old}\n${now}`, contradicting));
    expect(summary.bad.first).toEqual([]);
    expect(taxAt('53213', '2026-11-22')).toBe('5.90 complete');
    expect(summary.remarks).toContainEqual(
      expect.objectContaining({ reason: expect.stringContaining('same first day'), count: 1, firstLine: 7 }),
    );
  });

  it('have the rate of the longer row again when a shorter one within it has ended', async () => {
    const rates = rateRows('55', '45 55 0.05 19820501', '00 079 0.006 20200101', '00 079 0.009 20240101 20241231');
    const boundary = [boundaryRow({ zips: ['53213', '', '53213', ''], state: '55', county: '079' })];
    const releaseFor = releaseForOf(await importFiles('sst', 'WI', sstFiles('WI', rates, boundary)));
    const taxOn = (tax_date: string) =>
      ask({ to: { state: 'WI', postal_code: '53213' }, tax_date }, { releaseFor }).tax_amount;
    expect(['2023-12-31', '2024-01-01', '2024-12-31', '2025-01-01'].map(taxOn)).toEqual([
      '5.60',
      '5.90',
      '5.90',
      '5.60',
    ]);
  });

  it('have no remark where they touch or are equal', async () => {
    const rates = rateRows(
      '55',
      '45 55 0.05 19820501',
      '00 079 0.006 20200101 20231231',
      '00 079 0.009 20240101 20261231',
      '00 079 0.009 20260101',
      '00 079 0.008 20270101 20261231',
    );
    const boundary = [boundaryRow({ zips: ['53213', '', '53213', ''], state: '55', county: '079' })];
    const { built } = await importFiles('sst', 'WI', sstFiles('WI', rates, boundary));
    expect(built.summary).toMatchObject({ bad: { count: 0 }, remarks: [] });
    expect(built.summary.notes.filter((text) => text.includes('share days'))).toEqual([]);
  });
});

const days = Array.from({ length: 12 }, (_, index) => `2026-01-${String(index + 10)}`);

it('applies the row that began last on each day, on 2,000 random lists of rows', () => {
  const Row = fc
    .record({ first: fc.nat(11), length: fc.option(fc.nat(11)), rate: fc.constantFrom('0.01', '0.02', '0.03') })
    .map(({ first, length, rate }) => ({
      rate,
      from: days[first] as string,
      to: length === null ? null : (days[Math.min(11, first + length)] as string),
    }));
  fc.assert(
    fc.property(fc.array(Row, { maxLength: 6 }), (rows) => {
      const { rates } = resolveOverlaps(rows.map((rate, index) => ({ line: index + 1, rate })));
      for (const day of days) {
        const there = rows.filter(({ from, to }) => from <= day && (to === null || day <= to));
        const latest = there
          .map(({ from }) => from)
          .toSorted()
          .at(-1);
        const expected = there.filter(({ from }) => from === latest).at(-1)?.rate;
        const actual = rates.filter(({ from, to }) => (from ?? '') <= day && (to === null || day <= to));
        expect(actual.map(({ rate }) => rate)).toEqual(expected === undefined ? [] : [expected]);
      }
    }),
    { numRuns: 2000 },
  );
});
