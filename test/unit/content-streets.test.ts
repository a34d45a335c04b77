import { describe, expect, it } from 'vitest';
import { releaseWith } from '../../shared/catalog/merge-releases.ts';
import { readStreetAddress } from '../../shared/catalog/streets/street-address.ts';
import { showZip } from '../../shared/cli/content/show.ts';
import { changesAt } from '../../shared/importers/releases/impact.ts';
import { fixture, headOf, type Imported, importFiles, releaseForOf } from '../fixtures/imports/harness.ts';
import { type BoundaryFields, boundaryRow, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import { ask } from '../support/builders.ts';

describe('streets', () => {
  const day = '2026-11-22';

  const at = (imported: Imported, to: object, others: object = {}) => {
    const settings = { ambiguous_address: 'warn' as const };
    const outcome = ask({ to, tax_date: day, ...others }, { releaseFor: releaseForOf(imported), settings });
    const { tax_amount, line_items, warnings } = outcome;
    const { level, ambiguous, coverage } = line_items[0]?.address_resolution ?? {};
    return { tax: tax_amount, level, ambiguous, coverage, warnings: warnings.map(({ message }) => message) };
  };

  const wisconsin = () => importFiles('sst', 'WI', [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')]);
  const inWauwatosa = (line1?: string) => ({
    state: 'WI',
    postal_code: '53213',
    ...(line1 === undefined ? {} : { line1 }),
  });

  const vtRates = rateRows('50', '45 50 0.06', '01 10675 0.01', '01 66175 0.02');
  const row = (street: string, others: Partial<BoundaryFields> = {}) =>
    boundaryRow({ type: 'A', zips: '05401', state: '50', street: street.split(','), ...others });
  const vermont = (...rows: readonly string[]) => importFiles('sst', 'VT', sstFiles('VT', vtRates, rows));
  const inBurlington = (line1: string) => ({ state: 'VT', postal_code: '05401', line1 });

  const burlington = { place: '10675' };
  const southBurlington = { place: '66175' };

  describe('a street-address row that is skipped because it is bad', () => {
    const whole = boundaryRow({ zips: ['05401', '', '05401', ''], state: '50' });
    const listed = row('100,198,E,,MAIN,ST', burlington);
    // 301 to 399 Main St are in South Burlington, 8 %.
    const good = row('301,399,O,,MAIN,ST', southBurlington);
    const other = boundaryRow({ type: 'A', zips: '05408', state: '50', ...burlington });
    const otherWhole = boundaryRow({ zips: ['05408', '', '05408', ''], state: '50' });
    const answer = async (bad: string, to = inBurlington('333 Main St')) =>
      at(await vermont(whole, otherWhole, listed, other, bad), to);

    it('would decide where it is good', async () => {
      expect(await answer(good)).toMatchObject({ tax: '8.00', level: 'street', ambiguous: false });
    });

    it.each([
      ['its first day is none', good.replace('20200101', '20201301')],
      ['it lacks a column', good.replace(/,$/, '')],
      ['it is of no known type', good.replace(/^A/, 'B')],
      ['its ZIP cannot be read', good.replace('05401', 'O5401')],
      ['its quote is never closed', good.replace('MAIN', '"MAIN')],
    ])('leaves its addresses ambiguous, with the reason: %s', async (_what, bad) => {
      const { warnings, ...found } = await answer(bad);
      expect(found).toEqual({ tax: '6.00', level: 'zip5', ambiguous: true, coverage: 'complete' });
      expect(warnings).toEqual([expect.stringContaining('none of them certainly is')]);
    });

    it('does not change other ZIPs if its own can be read, and changes nothing if it is a row of a ZIP', async () => {
      const elsewhere = { state: 'VT', postal_code: '05408', line1: '300 Main St' };
      const certain = { tax: '6.00', ambiguous: false, warnings: [] };
      expect(await answer(good.replace('20200101', 'none'), elsewhere)).toMatchObject(certain);
      expect(await answer(good.replace(/^A/, ''), elsewhere)).toMatchObject({ ambiguous: true });
      expect(await answer(whole.replace('20200101', 'none'))).toMatchObject(certain);
    });

    it('is noted, and applies from the first days of the agreement on', async () => {
      const imported = await vermont(whole, listed, good.replace('20200101', 'none'));
      expect(imported.built.summary.notes).toContainEqual(expect.stringContaining('rows of 1 ZIP cannot be read'));
      expect(at(imported, inBurlington('333 Main St'), { tax_date: '2021-06-01' })).toMatchObject({ ambiguous: true });
    });
  });

  describe('Milwaukee from 100 to 200 Main St, in a ZIP of its county', () => {
    it.each(['150 Main St', '100 MAIN STREET', '200 main st.', '150A Main St', '150-1/2 Main St', '150 Main St Apt 4'])(
      'taxes %s with 7.9 %, for certain',
      async (line1) =>
        expect(at(await wisconsin(), inWauwatosa(line1))).toEqual({
          ...{ tax: '7.90', level: 'street', ambiguous: false, coverage: 'complete', warnings: [] },
        }),
    );

    it.each(['300 Main St', '99 Main St', '201 Main St Apt 4'])('taxes %s with 5.9 %, for certain', async (line1) =>
      expect(at(await wisconsin(), inWauwatosa(line1))).toEqual({
        ...{ tax: '5.90', level: 'zip5', ambiguous: false, coverage: 'complete', warnings: [] },
      }),
    );

    it.each([
      [undefined, '`line1` was not sent'],
      ['PO Box 12', 'none of them certainly is'],
      ['150 N Main St', 'none of them certainly is'],
      ['150 Main Ave', 'none of them certainly is'],
      ['150 Main', 'none of them certainly is'],
      ['300 Mane St', 'none of them certainly is'],
    ])('leaves %s ambiguous, with the reason', async (line1, reason) => {
      const answer = at(await wisconsin(), inWauwatosa(line1));
      expect(answer).toMatchObject({ tax: '5.90', level: 'zip5', ambiguous: true, coverage: 'complete' });
      expect(answer.warnings).toEqual([expect.stringContaining(reason)]);
    });

    it('comes before a ZIP+4', async () => {
      const to = { ...inWauwatosa('150 Main St'), postal_code: '53213-1234' };
      expect(at(await wisconsin(), to)).toMatchObject({ tax: '7.90', level: 'street', ambiguous: false });
    });

    it('decides nothing in another ZIP, or without one', async () => {
      const imported = await wisconsin();
      expect(at(imported, { ...inWauwatosa('150 Main St'), postal_code: '54135' })).toMatchObject({
        tax: '5.50',
        level: 'zip5',
      });
      expect(at(imported, { state: 'WI', line1: '150 Main St' }).level).not.toBe('street');
    });

    it('is found for each line of a document by itself', async () => {
      const lines = ['150 Main St', '300 Main St', '150 Main St'].map((line1) => ({
        customer: { address: inWauwatosa(line1) },
      }));
      const around = { releaseFor: releaseForOf(await wisconsin()), settings: { ambiguous_address: 'warn' as const } };
      const { line_items } = ask({ to: inWauwatosa(), tax_date: day, line_items: [...lines, {}] }, around);
      expect(line_items.map(({ address_resolution: { level, ambiguous } }) => [level, ambiguous])).toEqual([
        ['street', false],
        ['zip5', false],
        ['street', false],
        ['zip5', true],
      ]);
    });

    it('is ambiguous without its house numbers in the content', async () => {
      const imported = await wisconsin();
      const { streets: _, ...without } = imported.parts.get('53213') ?? {
        key: '',
        jurisdictions: [],
        rates: [],
        locations: [],
      };
      const answer = at({ ...imported, parts: new Map([['53213', without]]) }, inWauwatosa('150 Main St'));
      expect(answer).toMatchObject({ tax: '5.90', level: 'zip5', ambiguous: true });
      expect(answer.warnings).toEqual([expect.stringContaining('does not have their house numbers')]);
    });

    it('is counted where the release and the ZIP are shown, and changes no rate of the ZIP', async () => {
      const imported = await wisconsin();
      const [head, part] = [headOf(imported), imported.parts.get('53213')];
      expect(head.counts.streets).toBe(1);
      expect(showZip(head, part, '53213', day).street_ranges).toBe(1);
      expect(showZip(head, imported.parts.get('54135'), '54135', day).street_ranges).toBe(0);
      const [before, after] = [part, part && { ...part, streets: { sets: [], names: {} } }].map((one) =>
        releaseWith(head, one ? [one] : []),
      );
      expect(changesAt('WI', '53213', { before, after }, day)).toEqual([]);
    });
  });

  describe('a file of street rows alone, as in Vermont', () => {
    const sides = () =>
      vermont(
        row('1,99,O,N,WILLARD,ST', burlington),
        row('2,98,E,N,WILLARD,ST', southBurlington),
        row('1,99,B,S,WILLARD,ST', southBurlington),
        row('W1,W99,B,,GRID,RD', burlington),
      );

    it.each([
      ['1 N Willard St', '7.00'],
      ['99 North Willard Street', '7.00'],
      ['2 N Willard St', '8.00'],
      ['98 N. Willard St.', '8.00'],
      ['51 S Willard St', '8.00'],
      ['W51 Grid Rd', '7.00'],
    ])('decides by the side of the street and its direction: %s', async (line1, tax) =>
      expect(at(await sides(), inBurlington(line1))).toMatchObject({
        tax,
        level: 'street',
        ambiguous: false,
        warnings: [],
      }),
    );

    it.each(['101 N Willard St', '51 Willard St', '51 N Willard Ave', '51 Grid Rd', '1 Elm St'])(
      'leaves %s ambiguous, because no other row has the ZIP',
      async (line1) =>
        expect(at(await sides(), inBurlington(line1))).toMatchObject({ tax: '7.00', level: 'zip5', ambiguous: true }),
    );

    it('decides by the unit, and is ambiguous without it', async () => {
      const imported = await vermont(
        row('10,10,B,,MAIN,ST,,APT,1,10,B', burlington),
        row('10,10,B,,MAIN,ST,,APT,11,20,B', southBurlington),
      );
      const levelOf = (line1: string) => at(imported, inBurlington(line1)).level;
      expect(at(imported, inBurlington('10 Main St Apt 4'))).toMatchObject({ tax: '7.00', level: 'street' });
      expect(at(imported, inBurlington('10 Main St #14'))).toMatchObject({ tax: '8.00', level: 'street' });
      expect(['10 Main St', '10 Main St Apt 21', '10 Main St Ste 4', '10A Main St'].map(levelOf)).toEqual(
        Array.from({ length: 4 }, () => 'zip5'),
      );
    });

    it('is ambiguous where two rows contradict each other, and not on days with one of them', async () => {
      const imported = await vermont(
        row('1,99,B,,MAIN,ST', burlington),
        row('50,60,B,,MAIN,ST', { ...southBurlington, from: '20260101' }),
      );
      const on = (tax_date: string) => at(imported, inBurlington('55 Main St'), { tax_date });
      expect(on('2026-01-01')).toMatchObject({ tax: '7.00', level: 'zip5', ambiguous: true });
      expect(on('2025-12-31')).toMatchObject({ tax: '7.00', level: 'street', ambiguous: false });
    });

    it.each([
      ['no house numbers', ',,B,,MAIN,ST'],
      ['house numbers that are none', '1 REAR,9,B,,MAIN,ST'],
      ['an end before its begin', '9,1,B,,MAIN,ST'],
      ['no parity', '1,99,,,MAIN,ST'],
      ['another parity', '1,99,X,,MAIN,ST'],
      ['units without parity', '1,99,B,,MAIN,ST,,APT,1,10,'],
    ])('leaves the whole street ambiguous where a row has %s', async (_, text) => {
      const imported = await vermont(
        row(text, southBurlington),
        row('1,99,B,,MAIN,ST', burlington),
        row('1,9,B,,ELM,ST', burlington),
      );
      expect(at(imported, inBurlington('55 Main St'))).toMatchObject({ tax: '7.00', level: 'zip5', ambiguous: true });
      expect(at(imported, inBurlington('5 Elm St'))).toMatchObject({ tax: '7.00', level: 'street', ambiguous: false });
      expect(imported.built.summary.remarks).toContainEqual(
        expect.objectContaining({
          reason: expect.stringContaining('any address of its street'),
          count: 1,
          firstLine: 1,
        }),
      );
    });

    it.each(['1,99,B,,,', '1,99,B,,MAIN & ELM,ST'])(
      'leaves the whole ZIP ambiguous where a row has no street: %s',
      async (text) => {
        const imported = await vermont(row(text, southBurlington), row('1,99,B,,MAIN,ST', burlington));
        for (const line1 of ['55 Main St', '155 Main St'])
          expect(at(imported, inBurlington(line1))).toMatchObject({ tax: '7.00', level: 'zip5', ambiguous: true });
        expect(imported.built.summary.remarks).toContainEqual(
          expect.objectContaining({ reason: expect.stringContaining('any address of its ZIP'), count: 1 }),
        );
      },
    );
  });

  it.each([
    ['of a ZIP than fit into an item', 90_000, 900],
    ['of one street than a request can look up often', 2500, 1],
  ])('does not store more street ranges %s, and reports it', async (_what, count, streets) => {
    const rows = Array.from(
      { length: count },
      (_, index) => `${row(`${index},${index},B,,MAIN${index % streets},ST`, burlington)}\n`,
    ).join('');
    const [rates] = sstFiles('VT', vtRates, []);
    if (!rates) throw new Error('no rates');
    const imported = await importFiles('sst', 'VT', [rates, { name: 'VTB2026Q4AUG28.csv', content: rows }]);
    expect(imported.parts.get('05401')?.streets).toBeUndefined();
    expect(imported.built.summary.notes).toContainEqual(expect.stringContaining('ZIP 05401 has more street ranges'));
  });
});

describe('street addresses', () => {
  /** `prefix+number | name | affixes | unit`, or `null`. */
  const read = (line1: string): string | null => {
    const found = readStreetAddress(line1);
    if (!found) return null;
    const { house, street, unit } = found;
    const text = typeof unit === 'object' && unit ? `${unit.designator ?? '#'} ${unit.id ?? ''}`.trim() : (unit ?? '');
    return [`${house.prefix}${house.number}`, street.name, street.affixes, text].join(' | ');
  };

  describe('a street address', () => {
    it.each(['150 Main St', '150 MAIN STREET', '150 main st.', '  150  Main  Str ', '0150 Main Strt,'])(
      'has one reading for each spelling of its suffix: %s',
      (line1) => expect(read(line1)).toBe('150 | MAIN | ,ST, | '),
    );

    it.each([
      ['150 N Main St', 'N,ST,'],
      ['150 North Main Street', 'N,ST,'],
      ['150 N. Main St. S.W.', 'N,ST,SW'],
      ['150 Main Street Southwest', ',ST,SW'],
      ['150 NE Main Ave', 'NE,AVE,'],
    ])('has directions: %s', (line1, affixes) => expect(read(line1)).toBe(`150 | MAIN | ${affixes} | `));

    it.each([
      ['150 N St', '150 | N | ,ST, | '],
      ['150 North Ave', '150 | NORTH | ,AVE, | '],
      ['150 Park Ave', '150 | PARK | ,AVE, | '],
      ['150 Park', '150 | PARK | ,, | '],
      ['150 Broadway', '150 | BROADWAY | ,, | '],
      ['150 Avenue E', '150 | AVENUE | ,,E | '],
      ['12 34th St', '12 | 34TH | ,ST, | '],
      ['150 Court St', '150 | COURT | ,ST, | '],
      ['150 St Marys Ct', '150 | ST MARYS | ,CT, | '],
      ['150 Saint-Jean Rd', '150 | SAINT-JEAN | ,RD, | '],
      ["150 O'Neil Ln", '150 | ONEIL | ,LN, | '],
      ['100 Lake Side', '100 | LAKE SIDE | ,, | '],
      ['100 Front St', '100 | FRONT | ,ST, | '],
      ['100 Key Hwy', '100 | KEY | ,HWY, | '],
      ['100 County Road 12', '100 | COUNTY ROAD 12 | ,, | '],
    ])('keeps the name of the street whole: %s', (line1, expected) => expect(read(line1)).toBe(expected));

    it.each([
      ['150 Main St Apt 4', 'APT 4'],
      ['150 Main St, Apartment 4', 'APT 4'],
      ['150 Main St #4', '# 4'],
      ['150 Main St # 4', '# 4'],
      ['150 Main St Apt #4', 'APT 4'],
      ['150 Main St Unit B', 'UNIT B'],
      ['150 Main St Ste 200-B', 'STE 200B'],
      ['150 Main St Rear', 'REAR'],
      ['150A Main St', 'unclear'],
      ['150-A Main St', 'unclear'],
      ['150-1/2 Main St', 'unclear'],
      ['150 1/2 Main St', 'unclear'],
      ['150 Main St Bldg 2 Apt 4', 'unclear'],
      ['150A Main St Apt 4', 'unclear'],
    ])('has a unit: %s', (line1, unit) => expect(read(line1)).toBe(`150 | MAIN | ,ST, | ${unit}`));

    it.each([
      ['N56W16839 Silver Spring Dr', 'N56W16839 | SILVER SPRING | ,DR, | '],
      ['N56 W16839 Silver Spring Dr', 'N56W16839 | SILVER SPRING | ,DR, | '],
      ['W5600 County Rd', 'W5600 | COUNTY | ,RD, | '],
    ])('has a number in a grid: %s', (line1, expected) => expect(read(line1)).toBe(expected));

    it.each([
      'PO Box 12',
      'P.O. Box 12',
      'POB 12',
      'RR 2 Box 18',
      'HC 1 Box 4',
      'General Delivery',
      'Main St',
      'Main St 150',
      '150',
      '150 #4',
      '150E Main St',
      '150-152 Main St',
      '1ST St',
      '150 Main & Oak',
      '150 Main St / 4',
      '',
      ' , ',
      '１５０ Main St',
    ])('is not read where that is uncertain: %s', (line1) => expect(read(line1)).toBeNull());
  });
});
