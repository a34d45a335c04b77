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
import { ask, refusal } from '../support/builders.ts';

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
  it('make a county tax in North Carolina, where counties tax food at 2 %', async () => {
    const releaseFor = releaseForOf(await importFiles('woocommerce', 'NC', [table('US,NC,27601,,7.25,Wake,1,0,0,')]));
    const taxOf = (product_tax_code: string) =>
      ask(
        { to: { state: 'NC', postal_code: '27601' }, tax_date: '2026-11-20', line_items: [{ product_tax_code }] },
        { releaseFor },
      ).tax_amount;
    expect([taxOf('GENERAL'), taxOf('FOOD.GROCERY')]).toEqual(['7.25', '2.00']);
  });

  it('give a release every ZIP that a row matches', async () => {
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

  it.each<[string, string, number[] | undefined, string[]]>([
    ['a row for every ZIP', '75001', [6.25], [state]],
    ['a list', '75002', [8.25], ['US,TX,75001; 75002,*,8.25,Tax,1,0,1,']],
    ['a range', '75003', [8.25], ['US,TX,75001...75003,*,8.25,Tax,1,0,1,']],
    ['not what lies beyond the range', '75004', undefined, ['US,TX,75001...75003,*,8.25,Tax,1,0,1,']],
    ['the beginning of a ZIP', '75099', [8.25], ['US,TX,750*,*,8.25,Tax,1,0,1,']],
    [
      'priorities that add up',
      '75001',
      [7.75],
      [state, 'US,TX,75001,*,1,City,2,0,1,', 'US,TX,75001,*,0.5,County,3,0,1,'],
    ],
    [
      'of one priority the row of fewer ZIPs',
      '75001',
      [7.75],
      [state, 'US,TX,75001;75002,*,1,City,2,0,1,', 'US,TX,75001,*,1.5,City,2,0,1,'],
    ],
    ['of one priority the row of a ZIP before that of the state', '75001', [8], [state, 'US,TX,75001,*,8,Tax,1,0,1,']],
    [
      'of one priority the row of the state before that of the country',
      '75001',
      [6.25],
      ['US,*,*,*,9,Tax,1,0,1,', state],
    ],
    ['of two equal rows the first', '75001', [8], ['US,TX,75001,*,8,Tax,1,0,1,', 'US,TX,75001,*,7,Tax,1,0,1,']],
    ['a city within a ZIP, beside the rest of it', '75001', [8.25, 6.25], [state, 'US,TX,75001,Addison,2,City,2,0,1,']],
    ['a city without a ZIP', 'ADDISON', [8.25], [state, 'US,TX,,Addison,2,City,2,0,1,']],
    ['each city of a list', 'PLANO', [8.25], [state, 'US,TX,,Addison;Plano,2,City,2,0,1,']],
  ])('match by %s: %s has %j', async (_, zip, expected, rows) => {
    expect((await percents(zip, ...rows))?.toSorted()).toEqual(expected?.toSorted());
  });

  it.each([
    { row: 'US,TX,75001,*,8.25,Tax,1,1,1,', reason: /compound/ },
    { row: 'US,TX,75001,*,825,Tax,1,0,1,', reason: /write a percentage/ },
    { row: 'US,TX,75001,*,,Tax,1,0,1,', reason: /write a percentage/ },
    { row: 'US,TX,75003...75001,*,8.25,Tax,1,0,1,', reason: /ZIPs 75003...75001 / },
    { row: 'US,TX,K1A,*,8.25,Tax,1,0,1,', reason: /ZIPs K1A / },
    { row: 'US,TX,75001,*,8.25,Tax,first,0,1,', reason: /priority first / },
    {
      row: 'US,TX,75001...75003,*,5,Tax,1,0,1,',
      reason: /^the file has 0.05 for 75001 in all, the release has 0.0625 for the state alone/,
    },
  ])('report $row as one bad row', async ({ row, reason }) => {
    expect(await bad(row)).toEqual([[2, expect.stringMatching(reason)]]);
  });

  it('end the local rate on the last day of the state rate that was subtracted', async () => {
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

  it('apply a row with ZIPs and a city to addresses that have both', async () => {
    const { at } = await answersIn('OK', 'US,OK,748*,SHAWNEE,9.495,Tax,1,0,1,', 'US,OK,*,*,4.5,Tax,1,0,1,');
    expect(at('74801', 'Shawnee')).toEqual(['9.50', 'zip5', false, 'complete', '']);
    expect(at('74801-1234', 'SHAWNEE')).toEqual(['9.50', 'zip9', false, 'complete', '']);
    const unsure = ['4.50', 'zip5', true, 'partial', 'local_rates_missing,address_ambiguous'];
    // Tecumseh is another city of that ZIP, or else Shawnee under another name.
    expect(at('74801', 'Tecumseh')).toEqual(unsure);
    expect(at('74801')).toEqual(unsure);
    // The table has Shawnee, and other places.
    const contradictory = 'local_rates_missing,address_contradictory,address_ambiguous';
    expect(at('73101', 'Shawnee')).toEqual([...unsure.slice(0, 4), contradictory]);
    expect(at('73101', 'Edmond')).toEqual(['4.50', 'zip5', false, 'partial', 'local_rates_missing']);
    expect(at('73101')).toEqual(['4.50', 'zip5', false, 'partial', 'local_rates_missing']);
  });

  it('make an address ambiguous if its city has its own row and its ZIP has the row of another city', async () => {
    const { at } = await answersIn(
      'OK',
      'US,OK,748*,SHAWNEE,9.495,Tax,1,0,1,',
      'US,OK,*,*,4.5,Tax,1,0,1,',
      'US,OK,,LAWTON,9.125,Tax,1,0,1,',
    );
    for (const zip of ['74801', '74801-0001'])
      expect(at(zip, 'Lawton').slice(2)).toEqual([true, 'complete', 'address_ambiguous']);
    expect(at('74801', 'Lawton')[0]).toBe('9.13');
    expect(at('74801', 'Shawnee')).toEqual(['9.50', 'zip5', false, 'complete', '']);
    expect(at('73501', 'Lawton')).toEqual(['9.13', 'city', true, 'complete', 'address_ambiguous']);
  });

  it('prefer the city of the ZIP to a city without ZIPs, if the address has no city', async () => {
    const { at, releaseFor } = await answersIn(
      'CO',
      'US,CO,80202,DENVER,8.81,Tax,1,0,1,',
      'US,CO,,FRASER,2.9,Tax,1,0,1,',
    );
    expect(at('80202')).toEqual(['8.81', 'zip5', true, 'partial', 'local_rates_missing,address_ambiguous']);
    expect(at('80202', 'Denver')).toEqual(['8.81', 'zip5', false, 'complete', '']);
    expect(at('80202', 'Fraser')).toEqual(['2.90', 'zip5', true, 'complete', 'address_ambiguous']);
    const asked = { to: { state: 'CO', postal_code: '80202', city: 'Fraser' }, tax_date: '2026-11-20' };
    expect(ask(asked, { releaseFor, settings: { ambiguous_address: 'highest_rate' } }).tax_amount).toBe('8.81');
  });

  it('make the ZIP and the city of an address contradict each other, unless the rates are equal', async () => {
    const { at, releaseFor } = await answersIn(
      'OK',
      'US,OK,*,*,8,Tax,1,0,1,',
      'US,OK,74801,SHAWNEE,9.5,Tax,1,0,1,',
      'US,OK,74802,SHAWNEE,9,Tax,1,0,1,',
      'US,OK,73101,*,8.6,Tax,1,0,1,',
      'US,OK,73102,*,9,Tax,1,0,1,',
    );
    const contradictory = 'address_contradictory,address_ambiguous';
    expect(at('73101', 'Shawnee')).toEqual(['8.60', 'zip5', true, 'complete', contradictory]);
    expect(at('73103', 'Shawnee')).toEqual(['8.00', 'zip5', true, 'complete', contradictory]);
    expect(at('73102', 'Shawnee')).toEqual(['9.00', 'zip5', false, 'complete', '']);
    expect(at('73101', 'Edmond')).toEqual(['8.60', 'zip5', false, 'complete', '']);
    const asked = { to: { state: 'OK', postal_code: '73101', city: 'Shawnee' }, tax_date: '2026-11-20' };
    expect(ask(asked, { releaseFor }).warnings.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/ZIP 73101 is none of those where SHAWNEE .*Correct the city, or the ZIP code\.$/),
    );
    expect(ask(asked, { releaseFor, settings: { ambiguous_address: 'highest_rate' } }).tax_amount).toBe('9.50');
    // Without a ZIP its name is no answer, as before.
    const alone = ask({ to: { state: 'OK', city: 'Shawnee' }, tax_date: '2026-11-20' }, { releaseFor });
    expect(alone.line_items[0]?.address_resolution).toMatchObject({ level: 'state', coverage: 'partial' });
  });

  it.each([
    ['CO', '80202', 'US,CO,*,*,2.9,State,1,0,0,', '2.90', 'partial', 'local_rates_missing', 'it adds nothing'],
    [
      'CO',
      '80202',
      'US,*,*,*,2.9,State,1,0,0,',
      '2.90',
      'partial',
      'local_rates_missing',
      'nor does one of the country',
    ],
    ['PA', '15222', 'US,PA,*,*,6,State,1,0,0,', '6.00', 'partial', 'local_rates_missing', 'the state has local taxes'],
    ['CO', '80202', 'US,CO,*,*,8.81,State,1,0,0,', '8.81', 'complete', '', 'it adds something'],
    ['CO', '80202', 'US,CO,80202,*,2.9,State,1,0,0,', '2.90', 'complete', '', 'it names the ZIP'],
    ['KY', '40202', 'US,KY,*,*,6,State,1,0,0,', '6.00', 'complete', '', 'the state has no local taxes'],
  ])(
    'with a row of all of %s: ZIP %s and row %s give %s, coverage %s (%s), because %s',
    async (of, zip, row, tax, coverage, codes) => {
      const { at } = await answersIn(of, row);
      expect(at(zip)).toEqual([tax, 'zip5', false, coverage, codes]);
    },
  );

  it('do not take a row of the state’s rate alone for the absence of local taxes', async () => {
    const { at, releaseFor } = await answersIn('PA', 'US,PA,*,*,6,State,1,0,0,', 'US,PA,19103,*,8,Tax,1,0,0,');
    expect(at('19103')).toEqual(['8.00', 'zip5', false, 'complete', '']);
    expect(at('15222', 'Pittsburgh')).toEqual(['6.00', 'zip5', false, 'partial', 'local_rates_missing']);
    const asked = { to: { state: 'PA', postal_code: '15222' }, tax_date: '2026-11-20' };
    expect(refusal(asked, { releaseFor, settings: { incomplete_coverage: 'reject' } })).toHaveLength(1);
  });

  it('leave the place of a bad row not covered, even if other rows name it', async () => {
    const { at } = await answers(
      state,
      'US,TX,75001,*,100,City,2,0,1,',
      'US,TX,75002,Addison,100,City,2,0,1,',
      'US,TX,,Marfa,100,City,2,0,1,',
      'US,TX,75003,Dallas,5,Tax,1,0,1,',
    );
    expect(at('75001')[3]).toBe('none');
    expect(at('75002', 'Addison')[3]).toBe('none');
    expect(at('75002', 'Dallas')).toEqual(['6.25', 'zip5', true, 'partial', 'local_rates_missing,address_ambiguous']);
    expect(at('75003', 'Dallas')[3]).toBe('none');
    expect(at('79843', 'Marfa')[3]).toBe('none');
    expect(at('79843', 'Alpine')).toEqual(['6.25', 'zip5', false, 'partial', 'local_rates_missing']);
  });

  it('add the rates of a city and a ZIP of different priorities, and prefer the ZIP within one priority', async () => {
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
});
