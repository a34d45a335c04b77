import { describe, expect, it } from 'vitest';
import type { Impact } from '../../shared/importers/releases/impact.ts';
import { impactOfImport } from '../../shared/importers/releases/measure-impact.ts';
import { baseOf, headOf, importFiles } from '../fixtures/imports/harness.ts';
import { boundaryRows, rateRows, sstFiles } from '../fixtures/imports/sst.ts';

const today = '2026-11-22';
const builtIn = baseOf('MN').id;
const position = { below: builtIn, chain: [], bottom: builtIn };

// The built-in rates are 9.025% for Minneapolis, 9.875% for Saint Paul and 8.125% for Rochester.
const rates = rateRows(
  '27',
  '45 27 0.06875 20090701',
  '00 053 0.0015',
  '01 43000 0.0050',
  '01 58000 0.0150',
  '63 80003 0.0050',
  '63 80004 0.0050',
  '63 80008 0.0075',
  '63 80009 0.0025',
  '01 54880 0.0125',
);
const inMinneapolis = 'county:053 place:43000 63:80004 63:80008 63:80009';

const impactOf = async (boundary: readonly string[], rateRows = rates): Promise<Impact> => {
  const files = sstFiles('MN', rateRows, boundaryRows('27', ...boundary));
  const imported = await importFiles('sst', 'MN', files, { position });
  async function* parts() {
    yield* imported.parts.values();
  }
  return impactOfImport(headOf(imported), parts, { below: builtIn }, today);
};

describe('the changes by an import', () => {
  it('are empty if the fallback release has the same rates', async () => {
    const rows = [`Z 55401 ${inMinneapolis} from:20240101`, 'Z 55901 place:54880 from:20240401 to:20271231'];
    expect(await impactOf(rows)).toEqual({
      zips: 2,
      cities: 0,
      firstDay: '2024-01-01',
      lastDay: null,
      changed: 0,
      gained: 0,
      lost: 0,
      vanished: 0,
      largest: null,
      highest: 9_025_000n,
      largestPast: null,
      examples: { changed: [], vanished: [] },
      // The built-in tables have the same history.
      past: { changed: 0, firstDay: null, largest: null },
    });
  });

  it('count changed results of past days separately', async () => {
    expect(await impactOf(['Z 55901 from:20261001 to:20261031'])).toMatchObject({
      changed: 0,
      past: {
        changed: 1,
        firstDay: '2026-10-01',
        largest: { key: '55901', day: '2026-10-01', before: 8_125_000n, after: 6_875_000n },
      },
    });
    expect(await impactOf(['Z 55901 place:54880 from:20261001'])).toMatchObject({
      past: { changed: 0, firstDay: null, largest: null },
    });
  });

  it('are counted by ZIP, today and later, with the largest difference in either direction', async () => {
    const raised = rates.flatMap((row) =>
      row.startsWith('27,01,43000')
        ? rateRows('27', '01 43000 0.0050 20200101 20261231', '01 43000 0.0075 20270101')
        : [row],
    );
    const rows = [
      `Z 55401 ${inMinneapolis}`,
      `Z 55402 ${inMinneapolis}`,
      // Without its city tax, Rochester's ZIP has a rate of 6.875%, 1.25 points less.
      'Z 55901',
    ];
    expect(await impactOf(rows, raised)).toMatchObject({
      zips: 3,
      changed: 3,
      largest: { key: '55901', day: today, before: 8_125_000n, after: 6_875_000n },
    });
    expect(await impactOf(rows.slice(0, 2), raised)).toMatchObject({
      changed: 2,
      largest: { key: '55401', day: '2027-01-01', before: 9_025_000n, after: 9_275_000n },
    });
  });

  it('are empty on days without imported rows, because the fallback release applies', async () => {
    const ended = await impactOf(['Z 55901 to:20261031']);
    expect(ended).toMatchObject({ changed: 0, firstDay: '2020-01-01', lastDay: '2026-10-31' });
    const future = await impactOf(['Z 55901 from:20270401']);
    expect(future).toMatchObject({ changed: 1, largest: { day: '2027-04-01' }, firstDay: '2027-04-01' });
  });
});
