import { describe, expect, it } from 'vitest';
import {
  entriesOf,
  fixture,
  headOf,
  importFiles,
  ofKind,
  percentOf,
  releaseForOf,
} from '../fixtures/imports/harness.ts';
import { ask } from '../support/builders.ts';

const header = 'Country code,State code,Postcode / ZIP,City,Rate %,Tax name,Priority,Compound,Shipping,Tax class';
const table = (...rows: readonly string[]) => ({ name: 'tax_rates.csv', content: [header, ...rows].join('\n') });
const state = 'US,TX,*,*,6.2500,State Tax,1,0,1,';

/** The combined percentages that a ZIP or city may have. */
const percents = async (place: string, ...rows: readonly string[]) => {
  const imported = await importFiles('woocommerce', 'TX', [table(...rows)]);
  const part = imported.parts.get(place);
  const rates = [...headOf(imported).rates, ...(part?.rates ?? [])];
  return part?.locations.flatMap(({ alternatives }) =>
    alternatives.map((codes) => percentOf(rates, ['US-TX', ...codes], '2026-11-21')),
  );
};
const bad = async (...rows: readonly string[]) =>
  ofKind(await entriesOf('woocommerce', 'TX', [table(...rows)]), 'bad').map(({ line, reason }) => [line, reason]);

describe('WooCommerce’s tax rates', () => {
  it('make a release of every ZIP that some row matches', async () => {
    const imported = await importFiles('woocommerce', 'TX', [fixture('tax_rates.csv')]);
    const { parts, built } = imported;
    const rates = (key: string) => parts.get(key)?.rates.map(({ jurisdiction, rate }) => [jurisdiction, rate]);
    expect(rates('78664')).toEqual([['US-TX-CITY-CITY-TAX-78664', '0.0075']]);
    expect(rates('78681')).toEqual([['US-TX-CITY-CITY-TAX-78681', '0.01']]);
    expect(rates('78665')).toContainEqual(['US-TX-LOCAL-78665', '0.02']);
    expect(rates('75001')).toEqual([]);
    expect(rates('MARFA')).toEqual([['US-TX-CITY-CITY-TAX-MARFA', '0.02']]);
    expect(parts.has('90001')).toBe(false);
    expect(headOf(imported)).toMatchObject({ coverage: 'complete', locals: 'listed' });
    expect(built.summary.skipped.map(({ reason, count }) => [reason, count])).toEqual([
      ['is not of TX', 1],
      ['only the standard tax class is used', 1],
    ]);
  });

  it.each([
    { because: 'a row for every ZIP', zip: '75001', rows: [state], percents: [6.25] },
    { because: 'a list', zip: '75002', rows: ['US,TX,75001; 75002,*,8.25,Tax,1,0,1,'], percents: [8.25] },
    { because: 'a range', zip: '75003', rows: ['US,TX,75001...75003,*,8.25,Tax,1,0,1,'], percents: [8.25] },
    {
      because: 'not what lies beyond the range',
      zip: '75004',
      rows: ['US,TX,75001...75003,*,8.25,Tax,1,0,1,'],
      percents: undefined,
    },
    { because: 'the beginning of a ZIP', zip: '75099', rows: ['US,TX,750*,*,8.25,Tax,1,0,1,'], percents: [8.25] },
    {
      because: 'priorities that add up',
      zip: '75001',
      rows: [state, 'US,TX,75001,*,1,City,2,0,1,', 'US,TX,75001,*,0.5,County,3,0,1,'],
      percents: [7.75],
    },
    {
      because: 'of one priority the row of fewer ZIPs',
      zip: '75001',
      rows: [state, 'US,TX,75001;75002,*,1,City,2,0,1,', 'US,TX,75001,*,1.5,City,2,0,1,'],
      percents: [7.75],
    },
    {
      because: 'of one priority the row of a ZIP before that of the state',
      zip: '75001',
      rows: [state, 'US,TX,75001,*,8,Tax,1,0,1,'],
      percents: [8],
    },
    {
      because: 'of one priority the row of the state before that of the country',
      zip: '75001',
      rows: ['US,*,*,*,9,Tax,1,0,1,', state],
      percents: [6.25],
    },
    {
      because: 'of two equal rows the first',
      zip: '75001',
      rows: ['US,TX,75001,*,8,Tax,1,0,1,', 'US,TX,75001,*,7,Tax,1,0,1,'],
      percents: [8],
    },
    {
      because: 'a city within a ZIP, beside the rest of it',
      zip: '75001',
      rows: [state, 'US,TX,75001,Addison,2,City,2,0,1,'],
      percents: [8.25, 6.25],
    },
    {
      because: 'a city without a ZIP',
      zip: 'ADDISON',
      rows: [state, 'US,TX,,Addison,2,City,2,0,1,'],
      percents: [8.25],
    },
  ])('match by $because', async ({ zip, rows, percents: expected }) => {
    expect((await percents(zip, ...rows))?.toSorted()).toEqual(expected?.toSorted());
  });

  it.each([
    { row: 'US,TX,75001,*,8.25,Tax,1,1,1,', reason: /compound/ },
    { row: 'US,TX,75001,*,825,Tax,1,0,1,', reason: /write a percentage/ },
    { row: 'US,TX,75001,*,,Tax,1,0,1,', reason: /write a percentage/ },
    { row: 'US,TX,75003...75001,*,8.25,Tax,1,0,1,', reason: /ZIPs 75003...75001 are none/ },
    { row: 'US,TX,K1A,*,8.25,Tax,1,0,1,', reason: /ZIPs K1A are none/ },
    { row: 'US,TX,75001,*,8.25,Tax,first,0,1,', reason: /priority first is none/ },
    {
      row: 'US,TX,75001...75003,*,5,Tax,1,0,1,',
      reason: /^file says 0.05 for 75001 in all, the release says 0.0625 for the state alone/,
    },
  ])('are bad, once, as $row', async ({ row, reason }) => {
    expect(await bad(row)).toEqual([[2, expect.stringMatching(reason)]]);
  });

  it('end what is above the state’s rate on the day on which that rate ends', async () => {
    const rows = (rate: string) => [
      { name: 'tax_rates.csv', content: `${header}\nUS,SD,57101,*,${rate},Tax,1,0,1,\n` },
    ];
    const { parts } = await importFiles('woocommerce', 'SD', rows('6.2'));
    expect(parts.get('57101')?.locations[0]).toMatchObject({ to: '2027-06-30' });
    expect(parts.get('57101')?.rates[0]).toMatchObject({ rate: '0.02', to: '2027-06-30' });
  });

  const answersIn = async (of: string, ...rows: readonly string[]) => {
    const imported = await importFiles('woocommerce', of, [table(...rows)]);
    const releaseFor = releaseForOf(imported);
    const at = (postal_code: string, city: string | null = null) => {
      const outcome = ask({ to: { state: of, postal_code, city }, tax_date: '2026-11-20' }, { releaseFor });
      const said = outcome.warnings.filter(({ code }) => code !== 'content_unconfirmed');
      const { level, ambiguous, coverage } = outcome.line_items[0]?.address_resolution ?? {};
      return [outcome.tax_amount, level, ambiguous, coverage, said.map(({ code }) => code).join()];
    };
    return { at, imported, releaseFor };
  };
  const answers = (...rows: readonly string[]) => answersIn('TX', ...rows);

  it('of a row that names ZIPs and a city tax who names both', async () => {
    const { at } = await answersIn('OK', 'US,OK,748*,SHAWNEE,9.495,Tax,1,0,1,', 'US,OK,*,*,4.5,Tax,1,0,1,');
    expect(at('74801', 'Shawnee')).toEqual(['9.50', 'zip5', false, 'complete', '']);
    expect(at('74801-1234', 'SHAWNEE')).toEqual(['9.50', 'zip9', false, 'complete', '']);
    expect(at('73101', 'Shawnee')).toEqual(['4.50', 'zip5', false, 'complete', '']);
    // Tecumseh is another city of that ZIP, or else Shawnee under another name.
    expect(at('74801', 'Tecumseh')).toEqual(['4.50', 'zip5', true, 'complete', 'address_ambiguous']);
    expect(at('74801')).toEqual(['4.50', 'zip5', true, 'complete', 'address_ambiguous']);
  });

  it('of two cities in one row are those of the city that is named', async () => {
    const { at, releaseFor } = await answersIn(
      'ID',
      'US,ID,83702,BOISE;GARDEN CITY,8,Tax,1,0,1,',
      'US,ID,83703,BOISE,7,Tax,1,0,1,',
      'US,ID,83703,GARDEN CITY,7.5,Tax,1,0,1,',
    );
    expect(['Boise', 'Garden City'].map((city) => at('83702', city)[0])).toEqual(['8.00', '8.00']);
    expect(['Boise', 'Garden City'].map((city) => at('83703', city))).toEqual([
      ['7.00', 'zip5', false, 'complete', ''],
      ['7.50', 'zip5', false, 'complete', ''],
    ]);
    for (const [city, name] of [
      ['Boise', 'BOISE'],
      ['Garden City', 'GARDEN CITY'],
    ] as const) {
      const asked = { to: { state: 'ID', postal_code: '83702', city }, tax_date: '2026-11-20' };
      const [, local] = ask(asked, { releaseFor }).line_items[0]?.taxes ?? [];
      expect(local?.jurisdiction_name).toBe(`${name}, local tax`);
    }
    // No row is of other cities there, and without a city one of both is meant.
    expect(at('83703', 'Eagle')).toEqual(['0.00', 'none', false, 'none', 'not_covered']);
    expect(at('83703')).toEqual(['7.00', 'zip5', true, 'partial', 'local_rates_missing,address_ambiguous']);
  });

  it('of a bad row that is skipped leave its place not covered, whatever other rows say of it', async () => {
    const { at } = await answers(
      state,
      'US,TX,75001,*,100,City,2,0,1,',
      'US,TX,75002,Addison,100,City,2,0,1,',
      'US,TX,,Marfa,100,City,2,0,1,',
      'US,TX,75003,Dallas,5,Tax,1,0,1,',
    );
    expect(at('75001')[3]).toBe('none');
    expect(at('75002', 'Addison')[3]).toBe('none');
    expect(at('75002', 'Dallas')).toEqual(['6.25', 'zip5', true, 'complete', 'address_ambiguous']);
    expect(at('75003', 'Dallas')[3]).toBe('none');
    expect(at('79843', 'Marfa')[3]).toBe('none');
    expect(at('79843', 'Alpine')).toEqual(['6.25', 'zip5', false, 'complete', '']);
  });

  it('of a city and of a ZIP add up where their priorities differ, and the ZIP’s wins where they do not', async () => {
    const { at } = await answers(
      state,
      'US,TX,75001,*,1,County,2,0,1,',
      'US,TX,75002,*,0.5,County,3,0,1,',
      'US,TX,,Addison,2,City,3,0,1,',
    );
    expect(at('75001', 'Addison')).toEqual(['9.25', 'zip5', false, 'complete', '']);
    expect(at('75001', 'Dallas')).toEqual(['7.25', 'zip5', false, 'complete', '']);
    expect(at('75002', 'Addison')).toEqual(['6.75', 'zip5', false, 'complete', '']);
    expect(at('75001')).toEqual(['7.25', 'zip5', true, 'complete', 'address_ambiguous']);
  });

  it('of a city without a ZIP come before those of the whole state', async () => {
    const { at } = await answers('US,TX,*,*,8.25,Tax,1,0,1,', 'US,TX,,Marfa,7.25,Tax,1,0,1,');
    expect(at('79843', 'Marfa')).toEqual(['7.25', 'city', true, 'complete', 'address_ambiguous']);
    expect(at('79843', 'Alpine')).toEqual(['8.25', 'zip5', false, 'complete', '']);
    expect(at('79843')).toEqual(['8.25', 'zip5', true, 'complete', 'address_ambiguous']);
  });

  it('of a ZIP with the rates of several cities make it ambiguous', async () => {
    const { at } = await answers(state, 'US,TX,75001,Addison,2,City,2,0,1,', 'US,TX,75001,Dallas,1,City,2,0,1,');
    expect(at('75001')).toEqual(['6.25', 'zip5', true, 'complete', 'address_ambiguous']);
    expect(at('75002')).toEqual(['6.25', 'zip5', false, 'complete', '']);
  });

  it('of few ZIPs do not cover the others, and the answer names the release', async () => {
    const { at, imported } = await answers('US,TX,75001;75002,*,8.25,Tax,1,0,1,');
    expect(at('75001')).toEqual(['8.25', 'zip5', false, 'complete', '']);
    expect(at('75003')).toEqual(['0.00', 'none', false, 'none', 'not_covered']);
    const to = { state: 'TX', postal_code: '75003' };
    const { warnings } = ask({ to, tax_date: '2026-11-20' }, { releaseFor: releaseForOf(imported) });
    expect(warnings[0]?.message).toContain(`${headOf(imported).id} has no local taxes in force for ZIP 75003`);
  });

  it('of a city without ZIPs tax who names it, beside a row for every ZIP, and say that it is a guess', async () => {
    const { at } = await answers(state, 'US,TX,,Addison,2,City,2,0,1,', 'US,TX,75002,*,1,City,2,0,1,');
    expect(at('75001', 'Addison')).toEqual(['8.25', 'city', true, 'complete', 'address_ambiguous']);
    expect(at('75001', 'Dallas')).toEqual(['6.25', 'zip5', false, 'complete', '']);
    expect(at('75002', 'Addison')).toEqual(['7.25', 'zip5', false, 'complete', '']);
  });

  it('of another country are left out', async () => {
    const skipped = ofKind(await entriesOf('woocommerce', 'TX', [table('CA,ON,*,*,13,HST,1,0,1,')]), 'skipped');
    expect(skipped).toEqual([{ kind: 'skipped', line: 2, reason: 'is not of the United States' }]);
  });
});
