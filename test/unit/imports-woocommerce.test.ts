import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import {
  createReleaseFor,
  fixture,
  getBase,
  getHead,
  getPercent,
  type Imported,
  importFiles,
  listEntries,
  ofKind,
} from '../fixtures/imports/harness.ts';
import { ask } from '../support/builders.ts';
import { isLong } from '../support/seeded.ts';

/**
 * Models the tax of a WooCommerce shop with a rate table, based on `find_rates` and `calc_exclusive_tax` in
 * plugins/woocommerce/includes/class-wc-tax.php of woocommerce/woocommerce. Rates are whole numbers of 0.0001 %.
 */
type ShopRow = {
  /** `75001`, `7500*` or `75001...75003`. Empty matches every ZIP code. */
  readonly zips: readonly string[];
  readonly cities: readonly string[];
  readonly rate: number;
  readonly priority: number;
  readonly compound: boolean;
};

const hasZip = (entry: string, zip: string): boolean => {
  if (entry.endsWith('*')) return zip.startsWith(entry.slice(0, -1));
  const [low, high = low] = entry.split('...');
  return Number(low) <= Number(zip) && Number(zip) <= Number(high);
};

/** Returns the number of joined rows that the shop's query counts for a row; `null` if the row does not match. */
const joined = ({ zips, cities }: ShopRow, zip: string, city: string | null): number | null => {
  const found = zips.filter((entry) => hasZip(entry, zip)).length;
  const isCity = city !== null && cities.includes(city);
  if (zips.length === 0) return cities.length === 0 ? 0 : isCity ? cities.length : null;
  if (found === 0 || (cities.length > 0 && !isCity)) return null;
  return cities.length > 0 ? found : found * zips.length;
};

/**
 * Returns the rows that the shop applies at an address: the first of each priority, sorted by count and then by table
 * order.
 */
const shopRows = (rows: readonly ShopRow[], zip: string, city: string | null): readonly ShopRow[] => {
  const counted = rows.flatMap((row) => {
    const count = joined(row, zip, city);
    return count === null ? [] : [{ row, count }];
  });
  const sorted = counted.toSorted((a, b) => a.row.priority - b.row.priority || b.count - a.count);
  return sorted.flatMap(({ row }, index) => (sorted[index - 1]?.row.priority === row.priority ? [] : [row]));
};

// A price that four compound rates divide evenly.
const price = 10n ** 24n;
const share = (amount: bigint, { rate }: ShopRow): bigint => (amount * BigInt(rate)) / 1_000_000n;

/** Returns the tax on 1,000,000.00 in units of 0.00000001. */
const shopTax = (rows: readonly ShopRow[]): bigint => {
  let tax = rows.filter(({ compound }) => !compound).reduce((sum, row) => sum + share(price, row), 0n);
  for (const row of rows.filter(({ compound }) => compound)) tax += share(price + tax, row);
  return tax / 10n ** 10n;
};

const header = 'Country code,State code,Postcode / ZIP,City,Rate %,Tax name,Priority,Compound,Shipping,Tax class';
const table = (...rows: readonly string[]) => ({ name: 'tax_rates.csv', content: [header, ...rows].join('\n') });

describe('WooCommerce', () => {
  const state = 'US,TX,*,*,6.2500,State Tax,1,0,1,';

  /** The possible combined percentages of a ZIP or city. */
  const percents = async (place: string, ...rows: readonly string[]) => {
    const imported = await importFiles('woocommerce', 'TX', [table(...rows)]);
    const part = imported.parts.get(place);
    const rates = [...getHead(imported).rates, ...(part?.rates ?? [])];
    return part?.locations.flatMap(({ alternatives }) =>
      alternatives.map((codes) => getPercent(rates, ['US-TX', ...codes], '2026-11-21')),
    );
  };
  /** The combined percentage of each ZIP of an import; the lowest if a ZIP has several. */
  const ratesByZip = (imported: Imported) => {
    const { rates: own, state: code } = getHead(imported);
    const zips = [...imported.parts].filter(([key]) => /^\d/.test(key));
    return Object.fromEntries(
      zips.map(([key, { rates, locations }]) => {
        const sets = locations.flatMap(({ alternatives }) => alternatives);
        return [key, Math.min(...sets.map((codes) => getPercent([...own, ...rates], [code, ...codes], '2026-11-21')))];
      }),
    );
  };
  const bad = async (...rows: readonly string[]) =>
    ofKind(await listEntries('woocommerce', 'TX', [table(...rows)]), 'bad').map(({ line, reason }) => [line, reason]);

  describe('WooCommerce’s tax rates', () => {
    it('are imported as county taxes in North Carolina, where counties tax food at 2%', async () => {
      const releaseFor = createReleaseFor(
        await importFiles('woocommerce', 'NC', [table('US,NC,27601,,7.25,Wake,1,0,0,')]),
      );
      const getTax = (product_tax_code: string) =>
        ask(
          { to: { state: 'NC', postal_code: '27601' }, tax_date: '2026-11-20', line_items: [{ product_tax_code }] },
          { releaseFor },
        ).tax_amount;
      expect([getTax('GENERAL'), getTax('FOOD.GROCERY')]).toEqual(['7.25', '2.00']);
    });

    it('are imported for every ZIP that a row matches', async () => {
      const imported = await importFiles('woocommerce', 'TX', [fixture('tax_rates.csv')]);
      const { parts, built } = imported;
      const rates = (key: string) => parts.get(key)?.rates.map(({ jurisdiction, rate }) => [jurisdiction, rate]);
      expect(rates('78664')).toEqual([['US-TX-CITY-CITY-TAX-78664', '0.0075']]);
      expect(rates('78681')).toEqual([['US-TX-CITY-CITY-TAX-78681', '0.01']]);
      expect(rates('78665')).toContainEqual(['US-TX-LOCAL-78665', '0.02']);
      expect(rates('MARFA')).toEqual([['US-TX-CITY-CITY-TAX-MARFA', '0.02']]);
      // No row covers the rest of the state, so the fallback release applies.
      expect([parts.has('75001'), parts.has('90001'), parts.size]).toEqual([false, false, 7]);
      expect(getHead(imported)).toMatchObject({ coverage: 'partial' });
      expect(built.summary.skipped.map(({ reason, count }) => [reason, count])).toEqual([
        ['is not for TX', 1],
        ['only the standard tax class is used', 1],
      ]);
    });

    // The comparison with a shop below covers lists, ranges, priorities and compound rates.
    it.each<[string, string, number[] | undefined, string[]]>([
      ['a range with the ellipsis of a word processor', '75003', [8.25], ['US,TX,75001…75003,*,8.25,Tax,1,0,1,']],
      ['not beyond the range', '75004', undefined, ['US,TX,75001...75003,*,8.25,Tax,1,0,1,']],
      ['a ZIP with any ZIP+4', '75001', [8.25], ['US,TX,75001*,*,8.25,Tax,1,0,1,']],
      [
        'compound rows in the order of priorities',
        // 6.25% + 1% + 2% of 107.25% + 1% of 109.395%
        '75001',
        [10.48895],
        [state, 'US,TX,75001,*,1,A,4,1,1,', 'US,TX,75001,*,2,B,3,1,1,', 'US,TX,75001,*,1,C,2,0,1,'],
      ],
      [
        "for one priority, the state's row before the country's row",
        '75001',
        [8],
        ['US,*,75001,*,9,Tax,1,0,1,', 'US,TX,750*,*,8,Tax,1,0,1,'],
      ],
      ['the name of the state', '75001', [8.25], ['us,Texas,75001,*,8.25%,Tax,1,0,1,Standard']],
    ])('match by %s: %s has %j', async (_, zip, expected, rows) => {
      expect((await percents(zip, ...rows))?.toSorted()).toEqual(expected);
    });

    it.each([
      ['US,TX,75001,*,8.25,Tax,1,yes,1,', /Compound: write 0 or 1/],
      ['US,TX,90210,*,8.25,Tax,1,0,1,', /^ZIP 90210 is in CA, not in TX: correct the ZIP or the state$/],
      ['US,TX,75001;90210,*,8.25,Tax,1,0,1,', /^ZIP 90210 is in CA/],
      ['US,TX,902*,*,8.25,Tax,1,0,1,', /^ZIPs 902\* are not in TX/],
      ['US,TX,2139,*,8.25,Tax,1,0,1,', /^ZIP 2139 has lost digits, and 02139 is not in TX/],
      ['US,XX,75001,*,8.25,Tax,1,0,1,', /^State code XX is not a state/],
      ['US,TX,75001,*,825,Tax,1,0,1,', /write a percentage/],
      ['US,TX,75001,*,,Tax,1,0,1,', /write a percentage/],
      ['US,TX,75003...75001,*,8.25,Tax,1,0,1,', /ZIPs 75003...75001 /],
      ['US,TX,K1A,*,8.25,Tax,1,0,1,', /ZIPs K1A /],
      ['US,TX,75001,*,8.25,Tax,first,0,1,', /priority first /],
      [
        'US,TX,75001...75003,*,5,Tax,1,0,1,',
        /^the combined rate of 75001 is 5%, but the state's rate in the release is 6.25%/,
      ],
    ])('with %s have one bad row', async (row, reason) => {
      expect(await bad(row)).toEqual([[2, expect.stringMatching(reason)]]);
    });

    it('end the local rate on the last day of the subtracted state rate', async () => {
      const { parts } = await importFiles('woocommerce', 'SD', [table('US,SD,57101,*,6.2,Tax,1,0,1,')]);
      expect(parts.get('57101')?.locations[0]).toMatchObject({ to: '2027-06-30' });
      expect(parts.get('57101')?.rates[0]).toMatchObject({ rate: '0.02', to: '2027-06-30' });
    });

    const answersIn = async (of: string, ...rows: readonly string[]) => {
      const imported = await importFiles('woocommerce', of, [table(...rows)]);
      const alone = createReleaseFor(imported);
      const fallback = getBase(of);
      const releaseFor: ReleaseFor = (address) => {
        const release = alone(address);
        return release && { ...release, fallback };
      };
      const resultAt = (content: ReleaseFor, postal_code: string, city: string | null = null) => {
        const outcome = ask({ to: { state: of, postal_code, city }, tax_date: '2026-11-20' }, { releaseFor: content });
        const said = outcome.warnings.filter(
          ({ code }) => !['content_unconfirmed', 'remote_seller_rate'].includes(code),
        );
        const { level, ambiguous, coverage } = outcome.line_items[0]?.address_resolution ?? {};
        return [outcome.tax_amount, level, ambiguous, coverage, said.map(({ code }) => code).join()];
      };
      return {
        /** With the import over the built-in release, with the import alone, and with the built-in release. */
        at: (zip: string, city?: string) => resultAt(releaseFor, zip, city),
        aloneAt: (zip: string, city?: string) => resultAt(alone, zip, city),
        builtInAt: (zip: string, city?: string) => resultAt(() => fallback, zip, city),
        imported,
        releaseFor: alone,
      };
    };
    const answers = (...rows: readonly string[]) => answersIn('TX', ...rows);

    it('apply a row with ZIPs and a city to addresses that have both', async () => {
      const { at, builtInAt } = await answersIn(
        'OK',
        'US,OK,748*,SHAWNEE,9.495,Tax,1,0,1,',
        'US,OK,*,*,4.5,Tax,1,0,1,',
      );
      expect(at('74801', 'Shawnee')).toEqual(['9.50', 'zip5', false, 'complete', '']);
      expect(at('74801-1234', 'SHAWNEE')).toEqual(['9.50', 'zip9', false, 'complete', '']);
      expect(at('74801')).toEqual(['9.50', 'zip5', true, 'partial', 'local_rates_missing,address_ambiguous']);
      for (const [zip, city] of [['74801', 'Tecumseh'], ['73101', 'Shawnee'], ['73101', 'Edmond'], ['73101']] as const)
        expect(at(zip, city)).toEqual(builtInAt(zip, city));
    });

    it('make an address ambiguous if its city has its own row and its ZIP has a row of another city', async () => {
      const { aloneAt } = await answersIn(
        'OK',
        'US,OK,748*,SHAWNEE,9.495,Tax,1,0,1,',
        'US,OK,,LAWTON,9.125,Tax,1,0,1,',
      );
      for (const zip of ['74801', '74801-0001'])
        expect(aloneAt(zip, 'Lawton').slice(2)).toEqual([true, 'complete', 'address_ambiguous']);
      expect(aloneAt('74801', 'Lawton')[0]).toBe('9.13');
      expect(aloneAt('74801', 'Shawnee')).toEqual(['9.50', 'zip5', false, 'complete', '']);
      expect(aloneAt('73501', 'Lawton')).toEqual(['9.13', 'city', true, 'complete', 'address_ambiguous']);
    });

    it('prefer the city of the ZIP to a city without ZIPs, if the address has no city', async () => {
      const { aloneAt: at, releaseFor } = await answersIn(
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

    it('make an address contradictory if its ZIP and city have different rates', async () => {
      const { aloneAt: at, releaseFor } = await answersIn(
        'OK',
        'US,OK,74801,SHAWNEE,9.5,Tax,1,0,1,',
        'US,OK,74802,SHAWNEE,9,Tax,1,0,1,',
        'US,OK,73101,*,8.6,Tax,1,0,1,',
        'US,OK,73102,*,9,Tax,1,0,1,',
      );
      expect(at('73101', 'Shawnee')).toEqual([
        ...['8.60', 'zip5', true, 'complete'],
        'address_contradictory,address_ambiguous',
      ]);
      expect(at('73102', 'Shawnee')).toEqual(['9.00', 'zip5', false, 'complete', '']);
      expect(at('73101', 'Edmond')).toEqual(['8.60', 'zip5', false, 'complete', '']);
      const asked = { to: { state: 'OK', postal_code: '73101', city: 'Shawnee' }, tax_date: '2026-11-20' };
      expect(ask(asked, { releaseFor }).warnings.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/ZIP 73101 is not a ZIP in which SHAWNEE .*Correct the city or the ZIP code\.$/),
      );
      expect(ask(asked, { releaseFor, settings: { ambiguous_address: 'highest_rate' } }).tax_amount).toBe('9.50');
      // Without a ZIP, the city name matches nothing.
      const alone = ask({ to: { state: 'OK', city: 'Shawnee' }, tax_date: '2026-11-20' }, { releaseFor });
      expect(alone.line_items[0]?.address_resolution).toMatchObject({ level: 'state', coverage: 'partial' });
    });

    const notesIn = async (of: string, ...rows: readonly string[]) =>
      ofKind(await listEntries('woocommerce', of, [table(...rows)]), 'note').map(({ sentence }) => sentence);

    it.each([
      ['PA', '19103', '8', 'US,PA,*,*,6,State,1,0,0,', "repeats the state's rate"],
      ['CO', '80202', '9', 'US,*,*,*,2.9,State,1,0,0,', "repeats the state's rate"],
      // California's 7.25% includes 1.25% of the counties.
      ['CA', '90001', '9.5', 'US,CA,*,*,6,State,1,0,0,', "repeats the state's rate"],
      ['TX', '75001', '8.25', 'US,TX,,,6.75,Tax,1,1,0,', "has 6.75%, which is not the state's rate (6.25%)"],
      ['CA', '90001', '9.5', 'US,CA,*,*,7.5,Tax,1,0,0,', "has 7.5%, which is not the state's rate (7.25%)"],
      ['TX', '75001', '8.25', 'US,TX,*,*,5,Tax,1,0,0,', "has 5%, which is not the state's rate (6.25%)"],
    ])(
      'leave all of %s to the fallback release, except ZIP %s at %s %, next to the row %s',
      async (of, zip, percent, wide, what) => {
        const named = `US,${of},${zip},*,${percent},Tax,1,0,0,`;
        const { at, builtInAt, imported } = await answersIn(of, wide, named);
        expect([...imported.parts.keys()]).toEqual([zip]);
        expect(at(zip)).toEqual([Number(percent).toFixed(2), 'zip5', false, 'complete', '']);
        const others = { PA: '15222', CO: '80301', CA: '94501', TX: '77002' } as const;
        const other = others[of as keyof typeof others];
        expect(at(other)).toEqual(builtInAt(other));
        expect(Number(at(other)[0])).toBeGreaterThan(6);
        const [note, ...more] = await notesIn(of, wide, named);
        expect(note).toContain(`The rate for all of ${of} in line 2 ${what}`);
        expect(note).toContain(
          'The fallback release, with its local rates, covers the ZIPs and cities that are in no other row.',
        );
        expect(more).toEqual([]);
      },
    );

    it('with only a row for the whole state are not imported, with the reason', async () => {
      const { built } = await importFiles('woocommerce', 'KY', [table('US,KY,*,*,6,State,1,0,0,')]);
      expect(built).toMatchObject({
        outcome: 'nothing',
        summary: {
          notes: [expect.stringContaining("The rate for all of KY in line 2 repeats the state's rate")],
          bad: { count: 0 },
        },
      });
    });

    it('with a wrong state rate are rejected if other rows add to it', async () => {
      // South Dakota had 4.5% until June 2023.
      const rows = ['US,SD,*,*,4.5,State,1,0,1,', 'US,SD,57101,*,2,City,2,0,1,', 'US,SD,57701,*,2,City,2,0,1,'];
      expect(ofKind(await listEntries('woocommerce', 'SD', [table(...rows)]), 'bad')).toEqual([
        {
          kind: 'bad',
          line: 2,
          reason: expect.stringMatching(/^applies to the whole state, which has 4.5% in the file and 4.2%/),
        },
      ]);
      // Two rows for the whole state add up to its rate, and a row for a ZIP replaces one of them.
      const split = ['US,CA,,,6,State,1,0,1,', 'US,CA,,,1.25,County,2,0,1,', 'US,CA,90001,,3.5,County,2,0,1,'];
      const { at } = await answersIn('CA', ...split);
      expect(at('90001')[0]).toBe('9.50');
      expect(await notesIn('CA', ...split)).toEqual([
        expect.stringContaining('The rate for all of CA in lines 2 and 3 repeats'),
      ]);
    });

    it.each([
      ['two rows of a ZIP', ['US,TX,75001,,8,Tax,1,0,1,', 'US,TX,75001,,7,Tax,1,0,1,'], '75001'],
      ['a ZIP in two lists', ['US,TX,75001;75002,,8,Tax,1,0,1,', 'US,TX,75001;75003,,7,Tax,1,0,1,'], '75001'],
      ['a compound row and a regular row', ['US,TX,75001,,8,Tax,1,0,1,', 'US,TX,75001,,8,Tax,1,1,1,'], '75001'],
      ['two rows of a city', ['US,TX,,Addison,8,Tax,1,0,1,', 'US,TX,,Addison;Plano,7,Tax,1,0,1,'], 'ADDISON'],
      ['two rows of a city in a ZIP', ['US,TX,75001,Addison,8,,1,0,1,', 'US,TX,75001,Addison,7,,1,0,1,'], 'ADDISON'],
      ['two rows of the state', ['US,TX,,,6.25,Tax,1,0,1,', 'US,TX,,,8.25,Tax,1,0,1,'], 'all of TX'],
    ])('report a conflict of %s with the same priority once', async (_, rows, place) => {
      expect(await bad('US,TX,77002,,8.25,Tax,1,0,1,', ...rows)).toEqual([
        [4, expect.stringMatching(`^has a different rate for ${place} than line 3 with the same priority`)],
      ]);
    });

    it('leave the place of a conflict not covered, and accept rows that repeat a rate', async () => {
      const { at, builtInAt } = await answers(
        'US,TX,75001;75002,,8,Tax,1,0,1,',
        'US,TX,75001,,7,Tax,1,0,1,',
        'US,TX,75002,,8,Tax,1,0,1,',
      );
      expect(at('75001')).toEqual(builtInAt('75001'));
      expect(at('75002')).toEqual(['8.00', 'zip5', false, 'complete', '']);
    });

    it('report which row is used instead of the row that WooCommerce applies', async () => {
      const rows = ['US,TX,750*,,7,Tax,1,0,1,', 'US,TX,75001...75003,,8,Tax,1,0,1,', 'US,TX,75002,,7,Tax,1,0,1,'];
      const remarks = ofKind(await listEntries('woocommerce', 'TX', [table(...rows)]), 'remark');
      expect(remarks.map(({ line, reason }) => [line, reason])).toEqual([
        [
          3,
          expect.stringContaining('overlaps a less specific row of the same priority, which WooCommerce would apply'),
        ],
        [4, expect.stringContaining('overlaps a less specific row')],
      ]);
      const { at } = await answers(...rows);
      expect([at('75001')[0], at('75002')[0], at('75004')[0]]).toEqual(['8.00', '7.00', '7.00']);
      // In an export the ZIP comes first, and WooCommerce applies it first as well.
      expect(ofKind(await listEntries('woocommerce', 'TX', [table(...rows.toReversed())]), 'remark')).toEqual([]);
    });

    it('reject compound rates with too many decimals', async () => {
      expect(await bad('US,TX,75001,,6.6875,State,1,0,1,', 'US,TX,75001,,1.3751,City,2,1,1,')).toEqual([
        [3, expect.stringMatching('^compounds to a rate of more than 8 decimals: write the resulting rate')],
      ]);
    });

    it('skip ZIPs of other states in rows for the whole country', async () => {
      const { imported } = await answers('US,*,2139; 75001; 90210,,8.25,Tax,1,0,1,', 'US,*,10001,,8.875,Tax,1,0,1,');
      expect([...imported.parts.keys()]).toEqual(['75001']);
      expect(imported.built.summary.skipped.map(({ reason, firstLine }) => [reason, firstLine])).toEqual([
        ['none of its ZIPs is in TX', 3],
      ]);
    });

    it('leave the place of a bad row to the fallback release, even if other rows include it', async () => {
      const { aloneAt } = await answers(
        state,
        'US,TX,75001,*,100,City,2,0,1,',
        'US,TX,75002,Addison,100,City,2,0,1,',
        'US,TX,,Marfa,100,City,2,0,1,',
        'US,TX,75003,Dallas,5,Tax,1,0,1,',
        'US,TX,75004;90210,*,8.25,Tax,1,0,1,',
        'US,TX,75005,*,8.25,Tax,1,0,1,',
      );
      for (const [zip, city] of [['75001'], ['75002', 'Addison'], ['75003', 'Dallas'], ['75004'], ['79843', 'Marfa']])
        expect(aloneAt(zip ?? '', city)[3]).toBe('partial');
      expect(aloneAt('75005', 'Frisco')).toEqual(['8.25', 'zip5', false, 'complete', '']);
    });

    it('add the rates of a city and a ZIP of different priorities, and prefer the ZIP within one priority', async () => {
      const { aloneAt: at } = await answers(
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

    /**
     * One row per ZIP, without leading zeros and with `Compound` 1, as in
     * github.com/MirzaAreebBaig/Woocommerce-US-ZipCodes-TaxRates, with the empty rows of a spreadsheet.
     */
    it.each([
      ['MA', { '01001': 6.25, '02108': 6.25, '02139': 6.25 }],
      ['RI', { '02903': 7 }],
      ['CT', { '06510': 6.35 }],
      ['CO', { '80202': 8.81, '80301': 8.845, '80459': 6.9 }],
    ])('with one row per ZIP set the rates of %s to %j', async (of, expected) => {
      const imported = await importFiles('woocommerce', of, [fixture('woocommerce-zips.csv')]);
      expect(imported.built.summary).toMatchObject({
        rowsRead: 8,
        bad: { count: 0 },
        rowsKept: Object.keys(expected).length,
      });
      expect(ratesByZip(imported)).toEqual(expected);
    });

    /** A German shop's header, as in gist.github.com/micronax/76d03a5cb54a8ccc0068, saved by a German spreadsheet. */
    it("of a German shop set New York's rates by ZIP, and skip Germany and Austria", async () => {
      const file = fixture('woocommerce-de.csv');
      const imported = await importFiles('woocommerce', 'NY', [file]);
      const { summary } = imported.built;
      expect(ratesByZip(imported)).toMatchObject({ '12207': 8, '10001': 8.875, '11201': 8.875 });
      expect(summary.skipped.map(({ reason, count }) => [reason, count])).toEqual([
        ['is not for the United States', 3],
      ]);
      expect(summary.notes.slice(0, 2)).toEqual([
        expect.stringContaining("The rate for all of NY in line 7 repeats the state's rate"),
        'The header of woocommerce-de.csv is not the English one of WooCommerce. Its ten columns were read in the order of an export.',
      ]);
    });

    it('can have quoted headers and columns in any order', async () => {
      const content =
        '"Rate %","Tax class","City","State code","Postcode / ZIP","Country code","Priority","Compound","Shipping","Tax name"\r\n8.25,,,TX,75001,US,1,0,1,"Tax"\r\n';
      const imported = await importFiles('woocommerce', 'TX', [{ name: 'rates.csv', content }]);
      expect(ratesByZip(imported)).toEqual({ '75001': 8.25 });
      expect(imported.built.summary.notes).toEqual([]);
    });

    it.each([
      ['US,TX,75001,,8.25,Tax,1,0,1,\nUS,TX,75002,,8.25,Tax,1,0,1,', 'has no header in its first row'],
      ['Pays,Region,Code,Ville,Taux,Nom,Rang,Cumul,Port\nUS,TX,75001,,8.25,Tax,1,0,1', 'has no column Country code'],
      // Known column names in an order that differs from an export.
      [
        'State code,Land,PLZ,Stadt,Satz,Name,Rang,Zins,Versand,Klasse\nTX,US,75001,,8.25,Tax,1,0,1,',
        'has no column Country code',
      ],
    ])('with unknown columns are rejected: %j', async (content, reason) => {
      await expect(listEntries('woocommerce', 'TX', [{ name: 'rates.csv', content }])).rejects.toThrow(
        `rates.csv ${reason}`,
      );
    });
  });
});

describe('rates compared with a shop', () => {
  /** The rates of an import, compared with what the shop charges with the same table. */

  const text = ({ zips, cities, rate, priority, compound }: ShopRow): string =>
    `US,TX,${zips.join('; ')},${cities.join('; ')},${(rate / 10_000).toFixed(4)},Tax,${priority},${Number(compound)},1,`;
  const zips = ['75001', '75002', '75003', '75101'];
  const cities = ['ADDISON', 'PLANO'];
  const stateRate = 62_500;

  const Zips = fc.oneof(
    fc.constant([]),
    fc.subarray(zips, { minLength: 1, maxLength: 2 }),
    fc.constantFrom(['7500*'], ['75001...75002'], ['751*', '75003']),
  );
  const Row: fc.Arbitrary<ShopRow> = fc.record({
    zips: Zips,
    cities: fc.oneof({ arbitrary: fc.constant([]), weight: 3 }, fc.subarray(cities, { minLength: 1 })),
    rate: fc.constantFrom(5000, 10_000, 20_000, stateRate, 82_500),
    priority: fc.constantFrom(1, 1, 2, 3),
    compound: fc.constantFrom(true, false, false),
  });
  const row: ShopRow = { zips: [], cities: [], rate: 72_500, priority: 1, compound: false };
  const stateRow: ShopRow = { ...row, rate: stateRate };
  const Table = fc
    .tuple(fc.boolean(), fc.array(Row, { minLength: 1, maxLength: 3 }))
    .map(([hasState, rows]) => (hasState ? [stateRow, ...rows] : rows));

  const pitfalls: ShopRow[][] = [
    // The shop prefers the row with more ZIPs, whatever the order.
    [
      { ...row, zips: ['75001'], cities: ['PLANO'] },
      { ...row, zips: ['75001', '75002'], rate: 82_500 },
    ],
    // Two taxes with the same name and rate at a place are separate taxes.
    [
      stateRow,
      { ...row, zips: ['75001'], rate: 5000, priority: 2 },
      { ...row, zips: ['7500*'], rate: 5000, priority: 3 },
    ],
  ];

  const isWide = (row: ShopRow): boolean => row.zips.length + row.cities.length === 0;

  describe('an import of a WooCommerce table', () => {
    it('charges the same as the shop, or reports the row that differs', async () => {
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(Table, async (rows) => {
          const files = [table(...rows.map(text))];
          const entries = await listEntries('woocommerce', 'TX', files);
          const reported = [...ofKind(entries, 'bad'), ...ofKind(entries, 'remark')];
          if (reported.length > 0 || ofKind(entries, 'span').length + ofKind(entries, 'city').length === 0) return;
          const releaseFor = createReleaseFor(await importFiles('woocommerce', 'TX', files));
          for (const postal_code of zips)
            for (const city of [null, ...cities]) {
              const applied = shopRows(rows, postal_code, city);
              if (applied.every(isWide)) continue;
              const asked = {
                to: { state: 'TX', postal_code, city },
                tax_date: '2026-11-20',
                line_items: [{ unit_price: '1000000.00' }],
              };
              const { tax_amount, line_items } = ask(asked, { releaseFor });
              const shop = shopTax(applied);
              // A ZIP and a city of different rows can contradict each other, which the response reports.
              if (line_items[0]?.address_resolution.ambiguous) continue;
              compared += 1;
              expect({ postal_code, city, tax_amount }).toEqual({
                postal_code,
                city,
                tax_amount: `${shop / 100_000_000n}.${String((shop % 100_000_000n) / 1_000_000n).padStart(2, '0')}`,
              });
            }
        }),
        { numRuns: isLong ? 1000 : 250, examples: pitfalls.map((rows) => [rows]) },
      );
      expect(compared).toBeGreaterThan(isLong ? 600 : 150);
    });
  });
});
