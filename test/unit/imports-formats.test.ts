/** Importers of states' own files: the rates and codes of a valid file, and the errors of modified files. */
import { describe, expect, it } from 'vitest';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { releaseWith } from '../../shared/catalog/merge-releases.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { packRates } from '../../shared/cli/pack/local-tables.ts';
import type { Format } from '../../shared/importers/importers.ts';
import { changesAt } from '../../shared/importers/releases/impact.ts';
import { readNameTables } from '../../shared/importers/releases/import-files.ts';
import type { Counted } from '../../shared/importers/summary.ts';
import formatRows from '../fixtures/imports/formats.json' with { type: 'json' };
import {
  createReleaseFor,
  fixture,
  getBase,
  getHead,
  type Imported,
  importFiles,
  percentsIn,
  type TestFile,
} from '../fixtures/imports/harness.ts';
import { type Change, changedFile } from '../fixtures/imports/workbooks.ts';
import { ask } from '../support/builders.ts';

type Row = {
  readonly format: Format;
  readonly state: string;
  /** The combined rates of cities, in percent, one for each alternative. */
  readonly rates: readonly (readonly [city: string, day: string, percents: readonly number[], because: string])[];
  /** The local jurisdictions of cities: code, name, type, kind and the state's own code. */
  readonly codes: Readonly<Record<string, readonly string[]>>;
  /** The reasons of skipped rows, remarks and notes of the valid file: first line, count and reason. */
  readonly summary: readonly string[];
  readonly bad: readonly (Change & { readonly line: number; readonly reason: string })[];
  readonly refused: readonly (Change & { readonly message: string })[];
};

const formats = formatRows as unknown as readonly Row[];

const read = (format: Format, state: string, file: TestFile) =>
  importFiles(format, state, [file], { names: readNameTables(state) });

const codesIn = (imported: Imported, city: string): readonly string[] =>
  (imported.parts.get(city)?.jurisdictions ?? []).map(({ code, name, type, kind, reporting_code }) =>
    [code, name, type, kind ?? '-', reporting_code ?? '-'].join(' | '),
  );

const lines = (reasons: readonly Counted[]) =>
  reasons.map(({ firstLine, count, reason }) => [firstLine, count, reason].join(' | '));

describe.each(formats)('the $format importer', ({ format, state, rates, codes, summary, bad, refused }) => {
  const importing = read(format, state, changedFile(format, {}));

  it.each(rates)('reads %s on %s: %j, because %s', async (city, day, percents) => {
    expect(percentsIn(await importing, city, day)).toEqual(percents);
  });

  it("has the codes that rules reference, and the state's codes next to them", async () => {
    const imported = await importing;
    expect(Object.fromEntries(Object.keys(codes).map((city) => [city, codesIn(imported, city)]))).toEqual(codes);
  });

  it('counts skipped rows and remarks', async () => {
    const { built } = await importing;
    expect(built.summary.bad.count).toBe(0);
    expect(getHead(await importing)).toMatchObject({ coverage: 'partial', format });
    expect([
      ...lines(built.summary.skipped),
      ...lines(built.summary.remarks),
      ...built.summary.notes.filter((note) => note.startsWith('These are missing')),
    ]).toEqual(summary);
  });

  it.each(bad)('reports the row of a changed file: $reason', async ({ line, reason, ...change }) => {
    const file = changedFile(format, change);
    const { built } = await read(format, state, file);
    const found = built.summary.bad.first.map((one) => [one.file, one.line, one.reason.slice(0, reason.length)]);
    expect(found).toEqual([[`${file.name}${format === 'virginia' ? ', sheet Current' : ''}`, line, reason]]);
  });

  it.each(refused)('refuses a file of another layout: $message', async ({ message, ...change }) => {
    await expect(read(format, state, changedFile(format, change))).rejects.toThrow(message);
  });
});

describe('the arizona importer', () => {
  it('uses the city code of the rules on groceries', async () => {
    const imported = await read('arizona', 'AZ', fixture('TPT_RATETABLE_ALL_11012026.csv'));
    const named = getBase('AZ').rules.flatMap(({ jurisdictions }) => jurisdictions ?? []);
    const codes = [...imported.parts.values()].flatMap(({ jurisdictions }) => jurisdictions.map(({ code }) => code));
    expect(named.filter((code) => codes.includes(code))).toContain('US-AZ-01-55000');
  });
});

describe('the cdtfa importer', () => {
  const good = fixture('cdtfa.csv');
  const listCodes = ({ parts }: Imported, city: string) => parts.get(city)?.jurisdictions.map(({ code }) => code);

  it('generates codes without tables, one for each county that has a city of the name', async () => {
    expect(codesIn(await importFiles('cdtfa', 'CA', [good]), 'ALAMEDA')).toEqual([
      'US-CA-DISTRICT-ALAMEDA | Alameda, local taxes | district | - | -',
    ]);
    const replace = ['ANGELS CAMP,ANGELS CAMP,Angels Camp', 'ALAMEDA,ALAMEDA,Alameda'] as const;
    const shared = changedFile('cdtfa', { replace });
    expect(listCodes(await importFiles('cdtfa', 'CA', [shared]), 'ALAMEDA')?.toSorted()).toEqual([
      'US-CA-DISTRICT-ALAMEDA-ALAMEDA',
      'US-CA-DISTRICT-ALAMEDA-CALAVERAS',
    ]);
  });

  it('uses the codes and names of the built-in content', async () => {
    const address = readAddress({ state: 'CA', postal_code: '94501', city: 'Alameda' }, '');
    if (!address.ok) throw new Error('The address is refused.');
    const { code, name } = locate(address.value, () => getBase('CA'), '2026-11-21', false).place.jurisdictions[1] ?? {};
    expect((await read('cdtfa', 'CA', good)).parts.get('ALAMEDA')?.jurisdictions).toMatchObject([{ code, name }]);
  });
});

describe('the colorado importer', () => {
  it('uses the jurisdictions of the built-in tables, with their names and kinds', async () => {
    const { parts } = await read('colorado', 'CO', changedFile('colorado'));
    const taxes = packRates('CO').taxes.split('\n');
    const cities = ['AURORA', 'ASPEN', 'EAGLE VAIL', 'GRAND JUNCTION', 'DENVER'];
    // The tables do not include the district's tax, and include the transit tax of Pitkin County in the county's rate.
    const others = ['US-CO-63-LID-037', 'US-CO-63-MTS-097'];
    const own = cities.flatMap((city) => parts.get(city)?.jurisdictions ?? []);
    for (const { code, name, type, kind } of own.filter((one) => !others.includes(one.code))) {
      const start = `${code}~${name}~${type}~${kind ?? ''}`;
      expect(
        taxes.filter((tax) => tax.startsWith(start)),
        code,
      ).toHaveLength(1);
    }
  });
});

describe('the texas importer', () => {
  const good = fixture('taxrates.txt');

  it('uses the codes of the file without tables, with the same combined rates', async () => {
    const byFile = await importFiles('texas', 'TX', [good]);
    const cities = ['ABERNATHY', 'AUSTIN', 'BEE CAVE'];
    const found = cities.map((city) =>
      byFile.parts.get(city)?.locations.map(({ from, to, alternatives }) => [from, to, alternatives.map(String)]),
    );
    expect(found).toEqual([
      [['2026-10-01', null, ['US-TX-2095015,US-TX-4095000', 'US-TX-2095015,US-TX-5152999']]],
      [['2026-10-01', null, ['US-TX-2227016,US-TX-3227999']]],
      [['2026-10-01', null, ['US-TX-2227098']]],
    ]);
    expect(byFile.built.summary).toMatchObject({ rowsRead: 5, rowsKept: 4 });
    const byTable = await read('texas', 'TX', good);
    const releaseFor = (of: Imported) => releaseWith(getHead(of), [...of.parts.values()]);
    const releases = { before: releaseFor(byFile), after: releaseFor(byTable) };
    expect([...byTable.parts.keys()]).toEqual(cities);
    expect(cities.flatMap((key) => changesAt('TX', key, releases, '2026-11-22'))).toEqual([]);
  });
});

describe('the virginia importer', () => {
  it('omits periods that ended before the release', async () => {
    const { built } = await read('virginia', 'VA', changedFile('virginia'));
    expect(built.summary.files.map(({ name }) => name.split(', ')[1])).toEqual(['sheet Current', 'sheet Next']);
  });
});

it('keeps the rate of an earlier Illinois file with an uncertainty if the rate depends on the address now', async () => {
  const file = fixture('ordmache-current.txt').content.toString();
  const line = file.split('\n').find((one) => one.includes('CHICAGO')) ?? '';
  // The row of Chicago in the form of ALTON: with the flag Y and zeros.
  const open = `${line.slice(0, 60)}Y20261101${'0'.repeat(20)} ${line.slice(90, 132)}${'0'.repeat(16)}${line.slice(148)}`;
  const [earlier, now] = [
    await read('illinois', 'IL', changedFile('illinois')),
    await read('illinois', 'IL', changedFile('illinois', { replace: [line, open] })),
  ].map(createReleaseFor) as [ReleaseFor, ReleaseFor];
  const below: ReleaseFor = (address) => ({ ...earlier(address), fallback: getBase('IL') }) as Release;
  const releaseFor: ReleaseFor = (address) => ({ ...now(address), fallback: below(address) }) as Release;
  const to = { state: 'IL', postal_code: '60601', city: 'Chicago' };
  const { tax_amount, line_items } = ask({ to, tax_date: '2026-11-21' }, { releaseFor });
  expect([tax_amount, line_items[0]?.address_resolution.ambiguous]).toEqual(['10.50', true]);
});
