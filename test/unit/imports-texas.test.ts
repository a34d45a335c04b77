import { describe, expect, it } from 'vitest';
import { compareLocations } from '../../shared/cli/content/compare-locations.ts';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import {
  changed,
  entriesOf,
  fixture,
  headOf,
  type Imported,
  importFiles,
  ofKind,
  percentOf,
} from '../fixtures/imports/harness.ts';

const name = 'taxrates.txt';
const names = await readNameTables('TX');
const bad = async (from: string, to: string) =>
  ofKind(await entriesOf('texas', 'TX', [changed(name, from, to)]), 'bad').map(({ line, reason }) => [line, reason]);

describe('the Texas Comptroller’s local rates', () => {
  it('set the taxing jurisdictions of each city, by the codes of the file', async () => {
    const imported = await importFiles('texas', 'TX', [fixture(name)]);
    const percents = [...imported.parts].map(([city, { locations, rates }]) => [
      city,
      ...(locations[0]?.alternatives.map((codes) => [
        codes,
        percentOf([...headOf(imported).rates, ...rates], ['US-TX', ...codes], '2026-11-21'),
      ]) ?? []),
    ]);
    expect(percents).toEqual([
      ['ABERNATHY', [['US-TX-2095015', 'US-TX-4095000'], 8.25], [['US-TX-2095015', 'US-TX-5152999'], 8.125]],
      ['AUSTIN', [['US-TX-2227016', 'US-TX-3227999'], 8.25]],
      ['BEE CAVE', [['US-TX-2227098'], 8.25]],
    ]);
    expect(headOf(imported)).toMatchObject({ coverage: 'partial', format: 'texas' });
  });

  it('have a type by the first digit of their code', async () => {
    const { parts, built } = await importFiles('texas', 'TX', [fixture(name)]);
    expect(parts.get('AUSTIN')?.jurisdictions.map(({ name: text, type }) => [text, type])).toEqual([
      ['Austin', 'city'],
      ['Austin MTA', 'district'],
    ]);
    expect(parts.get('ABERNATHY')?.jurisdictions.map(({ type }) => type)).toEqual(['county', 'city', 'district']);
    expect(built.summary).toMatchObject({
      rowsRead: 5,
      rowsKept: 4,
      skipped: [
        { reason: 'the area is no city, and no address names it', count: 1, file: 'taxrates.txt', firstLine: 22 },
      ],
    });
  });

  it('have the codes that rules name where the tables have them, and the Comptroller’s own beside them', async () => {
    const { parts, built } = await importFiles('texas', 'TX', [fixture(name)], { names });
    const codes = (city: string) =>
      parts.get(city)?.jurisdictions.map(({ code, reporting_code }) => [code, reporting_code]);
    // 48189 is Hale County; 00160, 05000 and 07156 are the Census codes of the cities.
    expect(codes('ABERNATHY')).toEqual([
      ['US-TX-00-189', '4095000'],
      ['US-TX-01-00160', '2095015'],
      ['US-TX-5152999', '5152999'],
    ]);
    expect(codes('AUSTIN')).toEqual([
      ['US-TX-01-05000', '2227016'],
      ['US-TX-3227999', '3227999'],
    ]);
    expect(codes('BEE CAVE')).toEqual([['US-TX-01-07156', '2227098']]);
    expect(built.summary.notes).toEqual([
      'The tables of Levy lack these, which keep codes made from the file: Austin MTA (3227999), Lubbock Co Hosp (5152999).',
    ]);
  });

  const austin = 'US-TX-01-05000 2227016';
  const abernathy = 'US-TX-01-00160 2095015';
  it.each([
    {
      what: 'a county that the tables do not have it in',
      to: 'Lubbock (Hale Co)\t2095016',
      codes: [austin, 'US-TX-2095016 2095016', abernathy],
    },
    {
      what: 'a name that the tables do not have',
      to: 'Nowhere at All\t2227999',
      codes: [austin, 'US-TX-2227999 2227999', abernathy],
    },
    {
      what: 'the name of another code',
      to: 'Abernathy\t2227999',
      codes: [austin, 'US-TX-01-00160 2227999', 'US-TX-2095015 2095015'],
    },
  ])('keep the file’s code of a city with $what', async ({ to, codes }) => {
    const { parts } = await importFiles('texas', 'TX', [changed(name, 'Bee Cave (Travis Co)\t2227098', to)], { names });
    const cities = [...parts.values()].flatMap(({ jurisdictions }) =>
      jurisdictions.filter(({ type }) => type === 'city'),
    );
    const found = new Set(cities.map(({ code, reporting_code }) => `${code} ${reporting_code}`));
    expect([...found].toSorted()).toEqual(codes.toSorted());
  });

  it('have the same combined rates under the codes of the file and under those of the tables', async () => {
    const byFile = await importFiles('texas', 'TX', [fixture(name)]);
    const imported = await importFiles('texas', 'TX', [fixture(name)], { names });
    const side = (of: Imported, key: string) => ({ head: headOf(of), part: of.parts.get(key) });
    expect(
      [...imported.parts.keys()].flatMap((key) => compareLocations(key, side(byFile, key), side(imported, key))),
    ).toEqual([]);
  });

  it('apply from the file’s month on', async () => {
    const { parts } = await importFiles('texas', 'TX', [fixture(name)]);
    expect(parts.get('AUSTIN')?.locations[0]).toMatchObject({ from: '2026-10-01', to: null });
    expect(parts.get('AUSTIN')?.rates[0]).toMatchObject({ from: '2026-10-01', to: null });
  });

  it.each([
    {
      from: 'Austin MTA\t3227999\t.010000',
      to: 'Austin MTA\t3227999\t.020000',
      line: 18,
      reason: /more than 0.02 together/,
    },
    {
      from: 'Austin MTA\t3227999\t.010000',
      to: 'Austin MTA\t9227999\t.010000',
      line: 18,
      reason: /a code has seven digits/,
    },
    {
      from: 'Bee Cave (Travis Co)\t2227098\t.020000',
      to: 'Bee Cave (Travis Co)\t2227098\ttwo',
      line: 19,
      reason: /a rate is a fraction/,
    },
    { from: 'n/a\t.000000\r\nAbernathy', to: '\r\nAbernathy', line: 19, reason: /^has 11 fields; an area has 12$/ },
    { from: 'n/a\t.000000\r\nBee', to: '\r\nBee', line: 1, reason: /^announces 5 areas, and 4 follow/ },
    {
      from: '2095015\t.015000\tn/a',
      to: '2095015\t.010000\tn/a',
      line: 21,
      reason: /^Abernathy has another rate in a line before/,
    },
    {
      from: '.062500',
      to: '.060000',
      line: 1,
      reason: /^the file has 0.06 for the state, the release has 0.0625 on 2026-10-01/,
    },
    { from: '.062500\t0\t5', to: '.062500\t0\t6', line: 1, reason: /^announces 6 areas, and 5 follow/ },
  ])('are bad with $to', async ({ from, to, line, reason }) => {
    expect(await bad(from, to)).toEqual([[line, expect.stringMatching(reason)]]);
  });

  it('are refused where the first line is another file’s', async () => {
    await expect(entriesOf('texas', 'TX', [{ name: 'a.txt', content: 'City\tCode\n' }])).rejects.toThrow(
      'does not begin as',
    );
  });
});
