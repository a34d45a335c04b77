import { describe, expect, it } from 'vitest';
import { builtInRelease, builtInReleases } from '../../shared/catalog/built-in.ts';
import { publishersTable } from '../../shared/coverage/page.ts';
import { type SourceRecord, toSourceCoverage } from '../../shared/coverage/source.ts';
import { publishers } from '../../shared/importers/updates/publishers.ts';
import { headOf } from '../support/imported.ts';

const day = '2026-11-22';
const own = 'US-MN@2026-09-01.101';
const minnesota: SourceRecord = {
  files: [{ option: 'rates', name: 'MNR2026Q4AUG18.zip', last_modified: null }],
  imported_at: '2026-09-01T08:00:00.000Z',
  failure: null,
  release: own,
  activated: true,
  proposal: null,
};
const builtIn = (state: string) => {
  const release = builtInRelease(state);
  if (!release) throw new Error(`No built-in release of ${state}.`);
  return release;
};

describe('the source of a state', () => {
  it('is the built-in content until an update takes its files, with the day of the local rates', () => {
    expect(toSourceCoverage(builtIn('MO'), null, day)).toEqual({
      origin: 'built_in',
      publisher: 'Missouri Department of Revenue',
      addresses: ['https://dor.mo.gov/taxation/business/tax-types/sales-use/rate-tables/2026/'],
      release: null,
      in_use: false,
      proposal: null,
      as_of: expect.stringMatching(/^2026-\d\d-\d\d$/),
      next_expected: null,
      stale: false,
      stale_reason: null,
    });
  });

  it('is the active import: itself, or one below it', () => {
    const expected = { origin: 'sst', release: own, in_use: true, as_of: '2026-08-18', next_expected: '2027-01-08' };
    expect(toSourceCoverage(headOf(own, { format: 'sst' }), minnesota, day)).toMatchObject(expected);
    const above = headOf('US-MN@2026-10-01.102', { format: 'zip-rates', chain: [own] });
    expect(toSourceCoverage(above, minnesota, day)).toMatchObject({ ...expected, origin: 'zip-rates' });
  });

  it('has a release that is not in use until it is activated', () => {
    const gate = { name: 'changed', figure: 30, most: 25, unit: '%', passed: false } as const;
    const rate = { jurisdiction: 'US-MN', name: 'Minnesota', kind: 'general', from: '2026-10-01', to: null };
    const changes = { against: 'US-MN@2026-11-22.1', count: 1, rates: [{ ...rate, before: '0.06875', after: '0.07' }] };
    const waiting = {
      ...minnesota,
      activated: false,
      proposal: { gates: [{ ...gate, describe: 'changed rates' }], held: 'Gates failed: changed.', changes },
    };
    const proposal = {
      imported_at: minnesota.imported_at,
      gates: [{ ...gate, text: 'changed rates' }],
      held: 'Gates failed: changed.',
      changes,
    };
    const proposed = { origin: 'built_in', release: own, in_use: false, as_of: '2026-08-18', proposal };
    expect(toSourceCoverage(builtIn('MN'), waiting, day)).toMatchObject(proposed);
    // An operator activated it, which the next update records.
    expect(toSourceCoverage(headOf(own), waiting, day)).toMatchObject({ in_use: true, proposal: null });
    // An operator rolled it back.
    expect(toSourceCoverage(builtIn('MN'), minnesota, day)).toMatchObject({ in_use: false, proposal: null });
    const another = headOf('US-MN@2026-10-01.102', { chain: ['US-MN@2026-06-01.101'] });
    expect(toSourceCoverage(another, minnesota, day)).toMatchObject({ release: own, in_use: false });
  });

  it('has no addresses where Levy cannot import what the state publishes, and no publisher without a sales tax', () => {
    expect(toSourceCoverage(builtIn('NY'), null, day)).toMatchObject({
      publisher: 'New York State Department of Taxation and Finance',
      addresses: [],
    });
    expect(toSourceCoverage(builtIn('OR'), null, day)).toMatchObject({ publisher: null, addresses: [], stale: false });
  });
});

describe('the publishers', () => {
  it('are one for each state with a general sales tax, and for Alaska, whose cities have one', () => {
    const withoutSalesTax = ['AA', 'AE', 'AP', 'DE', 'MT', 'NH', 'OR'];
    const states = builtInReleases().map(({ state }) => state.slice('US-'.length));
    const expected = states.filter((state) => !withoutSalesTax.includes(state)).sort();
    expect(expected).toHaveLength(48);
    expect(publishers.map(({ state }) => state).sort()).toEqual(expected);
  });

  it('are all in the table, with the Streamlined states in one row', () => {
    const [, , ...rows] = publishersTable(day).split('\n');
    const cells = rows.map((row) => row.split(' | '));
    expect(rows).toHaveLength(1 + 48 - 24);
    expect(cells.flatMap(([states = '']) => states.replace('| ', '').split(', '))).toHaveLength(48);
    expect(new Set(cells.map(({ length }) => length))).toEqual(new Set([6]));
    const rowOf = (state: string) => rows.find((row) => row.startsWith(`| ${state} `));
    expect(rowOf('FL')).toContain('| PDF (DR-15DSS) | yearly | county surtaxes | Not imported: import a ZIP table |');
    expect(rowOf('AK')).toContain('Unverified');
    expect(rowOf('MO')).toContain('rate-tables/2026/) (page of dated files) | quarterly |');
  });
});
