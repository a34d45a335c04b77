import { describe, expect, it } from 'vitest';
import { releaseWith } from '../../shared/catalog/merge-releases.ts';
import { readStreetAddress } from '../../shared/catalog/streets/street-address.ts';
import { showZip } from '../../shared/cli/content/show.ts';
import { createReleaseFor, fixture, getHead, type Imported, importFiles } from '../fixtures/imports/harness.ts';
import { type BoundaryFields, boundaryRow, boundaryRows, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import { ask } from '../support/builders.ts';
import { streetAddresses } from '../support/facts.ts';
import { changesAt } from '../support/local-content.ts';

const day = '2026-11-22';
const warn = { ambiguous_address: 'warn' } as const;

const ask1 = (imported: Imported, to: object, tax_date: string) =>
  ask({ to, tax_date }, { releaseFor: createReleaseFor(imported), settings: warn });

/** The tax on 100.00, the level of the address, and its uncertainty: `7.90 street`, `5.90 zip5 ambiguous`. */
const at = (imported: Imported, to: object, tax_date = day): string => {
  const { tax_amount, line_items, warnings } = ask1(imported, to, tax_date);
  const { level, ambiguous, coverage } = line_items[0]?.address_resolution ?? {};
  expect(coverage).toBe('complete');
  if (tax_date === day && !ambiguous) expect(warnings).toEqual([]);
  return `${tax_amount} ${level}${ambiguous ? ' ambiguous' : ''}`;
};
const warningsAt = (imported: Imported, to: object) => ask1(imported, to, day).warnings.map(({ message }) => message);

// Imports the files under the names of the current quarter.
const wisconsin = () =>
  importFiles(
    'sst',
    'WI',
    ['WIR', 'WIB'].map((name) => ({ ...fixture(`${name}2026Q2FEB18.csv`), name: `${name}2026Q4AUG18.csv` })),
  );
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
// The rates are 7% and 8% including the state.
const burlington = { place: '10675' };
const southBurlington = { place: '66175' };

describe('invalid street-address rows', () => {
  const [whole = '', otherWhole = ''] = boundaryRows('50', 'Z 05401', 'Z 05408');
  const listed = row('100,198,E,,MAIN,ST', burlington);
  const good = row('301,399,O,,MAIN,ST', southBurlington);
  const other = boundaryRow({ type: 'A', zips: '05408', state: '50', ...burlington });
  const withRow = (bad: string) => vermont(whole, otherWhole, listed, other, bad);
  const address = inBurlington('333 Main St');

  it('resolves the address by the row if it is valid', async () => {
    expect(at(await withRow(good), address)).toBe('8.00 street');
  });

  it.each([
    ['its first day is invalid', good.replace('20200101', '20201301')],
    ['it lacks a column', good.replace(/,$/, '')],
    ['its type is unknown', good.replace(/^A/, 'B')],
    ['its ZIP cannot be read', good.replace('05401', 'O5401')],
    ['its quote is never closed', good.replace('MAIN', '"MAIN')],
  ])('leaves the addresses of the row ambiguous, with the reason: %s', async (_what, bad) => {
    const imported = await withRow(bad);
    expect(at(imported, address)).toBe('6.00 zip5 ambiguous');
    expect(warningsAt(imported, address)).toEqual([
      expect.stringContaining('no address in the tax content certainly matches'),
    ]);
  });

  it("leaves other ZIPs unchanged if the row's ZIP is readable, and changes nothing for an invalid ZIP row", async () => {
    const elsewhere = { state: 'VT', postal_code: '05408', line1: '300 Main St' };
    expect(at(await withRow(good.replace('20200101', 'none')), elsewhere)).toBe('6.00 zip5');
    expect(at(await withRow(good.replace(/^A/, '')), elsewhere)).toBe('6.00 zip5 ambiguous');
    expect(at(await withRow(whole.replace('20200101', 'none')), address)).toBe('6.00 zip5');
  });

  it('reports the row, and applies it from the first day of the agreement', async () => {
    const imported = await vermont(whole, listed, good.replace('20200101', 'none'));
    expect(imported.built.summary.notes).toContainEqual(expect.stringContaining('rows of 1 ZIP cannot be read'));
    expect(at(imported, address, '2021-06-01')).toBe('6.00 zip5 ambiguous');
  });
});

describe('Milwaukee, 100 to 200 Main St, in a ZIP of its county', () => {
  it.each([
    [undefined, '`line1` was not sent'],
    ['PO Box 12', 'no address in the tax content certainly matches'],
    ['150 N Main St', 'no address in the tax content certainly matches'],
    ['150 Main Ave', 'no address in the tax content certainly matches'],
    ['150 Main', 'no address in the tax content certainly matches'],
    ['300 Mane St', 'no address in the tax content certainly matches'],
  ])('leaves %s ambiguous, with the reason', async (line1, reason) => {
    const imported = await wisconsin();
    expect(at(imported, inWauwatosa(line1))).toBe('5.90 zip5 ambiguous');
    expect(warningsAt(imported, inWauwatosa(line1))).toEqual([expect.stringContaining(reason)]);
  });

  it('overrides a ZIP+4, and has no effect in another ZIP or without a ZIP', async () => {
    const imported = await wisconsin();
    const main = inWauwatosa('150 Main St');
    expect(at(imported, { ...main, postal_code: '53213-1234' })).toBe('7.90 street');
    expect(at(imported, { ...main, postal_code: '54135' })).toBe('5.50 zip5');
    const { line_items } = ask1(imported, { state: 'WI', line1: '150 Main St' }, day);
    expect(line_items[0]?.address_resolution.level).not.toBe('street');
  });

  it('resolves the street separately for each line of a document', async () => {
    const lines = ['150 Main St', '300 Main St', '150 Main St'].map((line1) => ({
      customer: { address: inWauwatosa(line1) },
    }));
    const around = { releaseFor: createReleaseFor(await wisconsin()), settings: warn };
    const { line_items } = ask({ to: inWauwatosa(), tax_date: day, line_items: [...lines, {}] }, around);
    const levels = line_items.map(({ address_resolution: { level, ambiguous } }) => `${level} ${ambiguous}`);
    expect(levels).toEqual(['street false', 'zip5 false', 'street false', 'zip5 true']);
  });

  it('reports an address as ambiguous if the content lacks its house numbers', async () => {
    const imported = await wisconsin();
    const { streets: _, ...without } = imported.parts.get('53213') as NonNullable<
      ReturnType<typeof imported.parts.get>
    >;
    const bare = { ...imported, parts: new Map([['53213', without]]) };
    expect(at(bare, inWauwatosa('150 Main St'))).toBe('5.90 zip5 ambiguous');
    expect(warningsAt(bare, inWauwatosa('150 Main St'))).toEqual([
      expect.stringContaining('the tax content has no house numbers there'),
    ]);
  });

  it('counts the street in the release and in the ZIP, but does not change the rates of the ZIP', async () => {
    const imported = await wisconsin();
    const [head, part] = [getHead(imported), imported.parts.get('53213')];
    expect(head.counts.streets).toBe(1);
    expect(showZip(head, part, '53213', day).street_ranges).toBe(1);
    expect(showZip(head, imported.parts.get('54135'), '54135', day).street_ranges).toBe(0);
    const [before, after] = [part, part && { ...part, streets: { sets: [], names: {} } }].map((one) =>
      releaseWith(head, one ? [one] : []),
    );
    expect(await changesAt('WI', ['53213'], { before, after }, day)).toEqual([]);
  });
});

describe('files with only street rows, as in Vermont', () => {
  it.each([
    ['1 N Willard St', '7.00 street'],
    ['98 N. Willard St.', '8.00 street'],
    ['51 S Willard St', '8.00 street'],
    ['W51 Grid Rd', '7.00 street'],
    // No other row contains the ZIP.
    ...['101 N Willard St', '51 Willard St', '51 N Willard Ave', '51 Grid Rd', '1 Elm St'].map(
      (line1) => [line1, '7.00 zip5 ambiguous'] as const,
    ),
  ] as const)('resolves an address by side and direction of the street: %s is %s', async (line1, response) => {
    const imported = await vermont(
      row('1,99,O,N,WILLARD,ST', burlington),
      row('2,98,E,N,WILLARD,ST', southBurlington),
      row('1,99,B,S,WILLARD,ST', southBurlington),
      row('W1,W99,B,,GRID,RD', burlington),
    );
    expect(at(imported, inBurlington(line1))).toBe(response);
  });

  it('resolves an address by its unit, and reports it as ambiguous without one', async () => {
    const imported = await vermont(
      row('10,10,B,,MAIN,ST,,APT,1,10,B', burlington),
      row('10,10,B,,MAIN,ST,,APT,11,20,B', southBurlington),
      row('10,10,B,,OAK,ST', burlington),
      row('10,10,B,,OAK,ST,,APT,11,20,B', southBurlington),
      row('10,10,B,,ELM,ST', burlington),
      ...['PH,,,B', 'APT,12B,12B,B'].map((unit) => row(`10,10,B,,ELM,ST,,${unit}`, southBurlington)),
    );
    for (const line1 of ['10 Elm St PH', '10 Elm St Apt 12B'])
      expect(at(imported, inBurlington(line1))).toBe('8.00 street');
    expect(at(imported, inBurlington('10 Oak St Apt 14'))).toBe('8.00 street');
    expect(at(imported, inBurlington('10 Oak St Apt 4'))).toBe('7.00 street');
    expect(at(imported, inBurlington('10 Main St Apt 4'))).toBe('7.00 street');
    expect(at(imported, inBurlington('10 Main St #14'))).toBe('8.00 street');
    for (const line1 of ['10 Main St', '10 Main St Apt 21', '10 Main St Ste 4', '10A Main St', '10 Elm St Apt 12C'])
      expect(at(imported, inBurlington(line1))).toBe('7.00 zip5 ambiguous');
  });

  it('reports an address as ambiguous if two rows contradict each other, but not on days with only one of them', async () => {
    const imported = await vermont(
      row('1,99,B,,MAIN,ST', burlington),
      row('50,60,B,,MAIN,ST', { ...southBurlington, from: '20260101' }),
    );
    expect(at(imported, inBurlington('55 Main St'), '2026-01-01')).toBe('7.00 zip5 ambiguous');
    expect(at(imported, inBurlington('55 Main St'), '2025-12-31')).toBe('7.00 street');
  });

  it.each([
    ['no house numbers', ',,B,,MAIN,ST', 'street'],
    ['invalid house numbers', '1 REAR,9,B,,MAIN,ST', 'street'],
    ['an end before its begin', '9,1,B,,MAIN,ST', 'street'],
    ['no parity', '1,99,,,MAIN,ST', 'street'],
    ['an unknown parity', '1,99,X,,MAIN,ST', 'street'],
    ['units without parity', '1,99,B,,MAIN,ST,,APT,1,10,', 'street'],
    ['no street', '1,99,B,,,', 'ZIP'],
    ['two streets', '1,99,B,,MAIN & ELM,ST', 'ZIP'],
  ])('reports each address as ambiguous that a row with %s (%s) can cover: its %s', async (_, text, what) => {
    const imported = await vermont(
      row(text, southBurlington),
      row('1,99,B,,MAIN,ST', burlington),
      row('1,9,B,,ELM,ST', burlington),
    );
    expect(at(imported, inBurlington('55 Main St'))).toBe('7.00 zip5 ambiguous');
    expect(at(imported, inBurlington('5 Elm St'))).toBe(what === 'ZIP' ? '7.00 zip5 ambiguous' : '7.00 street');
    const reason = expect.stringContaining(`any address ${what === 'ZIP' ? 'in its ZIP' : 'on its street'}`);
    expect(imported.built.summary.remarks).toContainEqual(expect.objectContaining({ reason, count: 1, firstLine: 1 }));
  });
});

it.each([
  ['of a ZIP to the item size', 8_000, 900],
  ['of one street to the lookup limit', 180, 1],
])('limits the text of stored street ranges %s, and reports it', async (_what, count, streets) => {
  // The text of a range has more than 110 characters.
  const units = `APT,1,${'9'.repeat(100)},B`;
  const rows = Array.from({ length: count }, (_, index) =>
    row(`${index},${index},B,,MAIN${index % streets},ST,,${units}`, burlington),
  );
  const imported = await importFiles('sst', 'VT', sstFiles('VT', vtRates, rows));
  expect(imported.parts.get('05401')?.streets).toBeUndefined();
  expect(imported.built.summary.notes).toContainEqual(expect.stringContaining('ZIP 05401 has more street ranges'));
});

it.each(streetAddresses)('reads the street address "$line1" ($note)', ({ line1, note: _, ...expected }) => {
  const { house, street, unit } = readStreetAddress(line1) ?? {};
  const ofUnit = typeof unit === 'object' && unit ? `${unit.designator ?? '#'} ${unit.id ?? ''}`.trim() : (unit ?? '');
  expect({
    house: house ? `${house.prefix}${house.number}` : '',
    name: street?.name ?? '',
    directions_and_suffix: street?.affixes ?? '',
    unit: ofUnit,
  }).toEqual(expected);
});
