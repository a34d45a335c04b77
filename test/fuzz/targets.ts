import type { TaxAddress } from '../../shared/catalog/location/address.ts';
import { chooseByStreet } from '../../shared/catalog/location/location-choice.ts';
import type { Release, Streets } from '../../shared/catalog/release.ts';
import { customersFrom } from '../../shared/cli/customers/put.ts';
import { checkExport } from '../../shared/cli/ledger/read-export.ts';
import { buildRelease } from '../../shared/importers/build.ts';
import { openTable } from '../../shared/importers/files/rows.ts';
import { readWorkbook } from '../../shared/importers/files/workbook.ts';
import { type Format, importers } from '../../shared/importers/importers.ts';
import { limits } from '../../shared/importers/limits.ts';
import { localName, nameInUrl } from '../../shared/importers/updates/file-names.ts';
import { currentFiles } from '../../shared/importers/updates/find-file.ts';
import { importable } from '../../shared/importers/updates/publishers.ts';
import { fixture, getBase, identity, noNames, type TestFile, withFiles } from '../fixtures/imports/harness.ts';
import { changedFile, dataRows } from '../fixtures/imports/workbooks.ts';
import { createRandom, type Random } from '../support/seeded.ts';
import { found } from './found.ts';
import pieces from './pieces.json' with { type: 'json' };
import {
  getLedger,
  type Input,
  inputBytesMax,
  ledgerLines,
  longText,
  makeLedger,
  mutateBytes,
  mutateJson,
  mutateOne,
  mutateText,
  type Target,
} from './texts.ts';
import { listUnpackedBytes, makeWorkbook, makeZip, mutateRows } from './workbooks.ts';

/**
 * Street address look-ups of a request: 1,000 look-ups of `line1` in a ZIP code with as many street addresses as an
 * import accepts.
 */

/** A request has at most 1,000 line items, and `line1` at most 500 characters. */
const [lookups, charactersMax] = [1000, 500];

const houses = [
  '150',
  '150A',
  'N56W16839',
  'N56 W16839',
  '1-1/2',
  `${'A'.repeat(300)}1`,
  '9'.repeat(300),
  'A1'.repeat(100),
  'N1'.repeat(150),
];

const line = (random: Random): string => {
  const { pick, chance, below } = random;
  const words = Array.from({ length: 1 + below(4) }, () => pick([...pieces.units, ...pieces.street_words]));
  const repeated = `${words.join(pick([' ', ' ', ',', '']))} `.repeat(pick([1, 3, 300]));
  const text = chance(0.1)
    ? longText(random, [30, 500])
    : `${pick(houses)} ${pick(['MAIN ', 'MAIN ST ', ''])}${repeated}`;
  return (chance(0.3) ? `${text.slice(0, 490)} ${pick([...pieces.units, ...pieces.street_words])}` : text).slice(
    0,
    charactersMax,
  );
};

const ranges = (random: Random, characters: number): string => {
  const { pick } = random;
  const unit = pick([
    '',
    '',
    '/APT,1,10,B',
    `/APT,${'9'.repeat(300)},${'9'.repeat(300)},B`,
    `/${'A'.repeat(3000)},,,B`,
  ]);
  const parity = pick(['B', 'E', 'O', 'U']);
  const [low, high] = pick([
    [1, 999],
    [150, 150],
    [1000, 2000],
    [0, 0],
  ] as const);
  const range = `${pick([0, 9])}${parity}${low}-${high}${unit}`;
  const group = pick([`,ST,|:`, `N,AVE,SW|N56W:`, '*|:']);
  const perGroup = pick([1, 100, 1e6]);
  const groupText = `${group}${Array(Math.min(perGroup, Math.ceil(characters / (range.length + 1))))
    .fill(range)
    .join(' ')}`;
  return Array(Math.max(1, Math.floor(characters / (groupText.length + 1))))
    .fill(groupText)
    .join(';')
    .slice(0, characters)
    .replace(/[^;:]*$|[ ;][^ ;]*$/, '');
};

type Request = { readonly streets: Streets; readonly lines: readonly string[] };

const buildRequest = (random: Random): Request => {
  const { pick, chance } = random;
  const names = Object.fromEntries(
    ['MAIN', ''].map((name) => [name, ranges(random, pick([100, 10_000, limits.streetTextOfName]))]),
  );
  const sets = Array.from({ length: pick([1, 10]) }, (_, at) => ({ from: null, to: null, codes: [`US-X-${at}`] }));
  const one = line(random);
  return { streets: { names, sets }, lines: Array.from({ length: lookups }, () => (chance(0.5) ? one : line(random))) };
};

const toInput = (request: Request): Input => [{ name: 'request.json', content: JSON.stringify(request) }];

export const line1: Target = {
  valid: () => toInput({ streets: { names: { MAIN: ',ST,|:0B1-999' }, sets: [] }, lines: ['150 N Main St Apt 4'] }),
  make: (random) => toInput(buildRequest(random)),
  run: ([file]) => {
    const { streets, lines } = JSON.parse(file?.content.toString() ?? '') as Request;
    const release: Release = { ...getBase('WI'), streets };
    for (const line1 of lines) chooseByStreet(release, [], { line1 } as TaxAddress, '2026-11-22');
  },
};

/** Malicious publisher pages and documents. */

const examples: readonly string[] = importable.flatMap(({ files }) =>
  files.map((file) =>
    'example' in file ? file.example : file.find === 'index' ? `${file.name}2026Q4AUG18.zip` : 'a.csv',
  ),
);

/** One file name of each kind. The Streamlined Sales Tax Governing Board uses the same naming for all of its states. */
const kinds = importable
  .filter(({ state, format }) => format !== 'sst' || state === 'MN')
  .flatMap(({ files }) => files.slice(0, 1));

/** Returns a name like a file name, with a repeated part. */
const name = (random: Random): string => {
  const { below, pick, chance } = random;
  const example = pick(examples);
  const at = below(example.length);
  const part = example.slice(at, at + 1 + below(5));
  const long = part.repeat(pick([1, 10, 40, 3000]));
  const text = example.slice(0, at) + (chance(0.7) ? long : longText(random, [3, 30, 3000])) + example.slice(at);
  return chance(0.5) ? encodeURIComponent(text.toWellFormed()) : text;
};

const link = (random: Random): string =>
  `<a href="${random.chance(0.2) ? random.pick(pieces.urls).repeat(random.pick([1, 10, 1000])) : ''}${name(random)}">x</a>`;

const fill = (piece: () => string, bytes: number): string => {
  const pieces: string[] = [];
  for (let left = bytes; left > 0; ) {
    const text = piece();
    pieces.push(text);
    left -= text.length;
  }
  return pieces.join('');
};

const service = (random: Random): object => ({ name: name(random), type: 'FeatureServer' });

const json = (random: Random): string => {
  const { pick, chance } = random;
  if (chance(0.2)) return pick(['[', '{"a":', '"', '{"services":[', '1', '\\u0000']).repeat(pick([10, 1000, 150_000]));
  const services = Array.from({ length: pick([1, 100, 3000]) }, () => service(random));
  const layers = Array.from({ length: pick([1, 2, 10_000]) }, (_, id) => ({
    id,
    name: pick(['GRT', 'x', longText(random, [3, 30])]),
  }));
  return JSON.stringify({ services, layers });
};

const page = (random: Random): string => {
  const { pick, chance } = random;
  const bytes = pick([1000, 100_000, 990_000]);
  if (chance(0.15)) return json(random);
  if (chance(0.3)) return pick(pieces.tags).repeat(bytes / 5) + link(random);
  if (chance(0.5)) return fill(() => link(random), bytes);
  return mutateText(
    fill(() => pick([pick(pieces.tags), link(random)]), Math.min(bytes, 100_000)),
    random,
  );
};

/** Finds the files of each publisher on a page of at most 1 MB. */
export const pages: Target = {
  valid: () => [{ name: 'page.html', content: examples.map((example) => `<a href="${example}">x</a>`).join('') }],
  make: (random) => [{ name: 'page.html', content: Buffer.from(page(random)).subarray(0, inputBytesMax) }],
  run: async ([file]: Input) => {
    const text = file?.content.toString() ?? '';
    for (const one of kinds) await currentFiles([one], { readText: async () => text }).catch(refused);
    localName(text);
    nameInUrl(new URL(`https://example.gov/${encodeURIComponent(text.slice(0, 1000).toWellFormed())}`));
  },
};

/** Rethrows all errors except expected refusals: other errors are bugs. */
const refused = (error: unknown): void => {
  if ((error as Error).name !== 'PublisherFailure') throw error;
};

/** The fuzz targets: all code that reads external files, pages and texts. */

/** Builds a release and reads its parts one at a time, as an import does. */
const importAndRead = (format: Format, state: string, input: Input): Promise<void> =>
  withFiles(input, async (paths, tempFolder) => {
    const base = getBase(state);
    const entries = importers[format].read(paths, { state, base, names: noNames });
    const built = await buildRelease({ ...identity(state, format), entries, base, tempFolder });
    if (built.outcome === 'built') for await (const _ of built.parts());
  });

const importer = (format: Format, state: string, valid: () => Input, make?: (random: Random) => Input): Target => ({
  valid,
  make: make ?? ((random) => mutateOne(valid(), random)),
  run: (input) => importAndRead(format, state, input),
});

const workbookImporter = (format: Format, state: string): Target =>
  importer(
    format,
    state,
    () => [changedFile(format)],
    (random) => {
      const { name, content } = changedFile(format, { rows: mutateRows(dataRows(format), random) });
      return [{ name, content: random.chance(0.1) ? mutateBytes(content as Buffer, random) : content }];
    },
  );

const text = { source: 'ruling', from: '2026-01-01' };
const rules: TestFile = {
  name: 'own.json',
  content: JSON.stringify({
    state: 'IA',
    sources: { ruling: 'Department of Revenue, ruling 7' },
    jurisdictions: [{ code: 'US-IA-OWN-1', name: 'Own district', type: 'district', zips: [['50309', '50311']] }],
    rates: [{ jurisdiction: 'US-IA-OWN-1', rate: '0.01', ...text }],
    rules: [{ id: 'ia-own', ptcs: ['DIGITAL'], effect: { type: 'exempt' }, ...text }],
  }),
};

const customers: TestFile = {
  name: 'customers.csv',
  content:
    'id,name,states,reason,certificate_number,valid_from,valid_to\nacme,Acme,MN;WI,resale,7,2026-01-01,\nacme,Acme,IA,resale,8,,\n',
};
const customersJson: TestFile = {
  name: 'customers.json',
  content: JSON.stringify([{ id: 'acme', name: 'Acme', exemptions: [{ states: ['MN'], reason: 'resale' }] }], null, 1),
};

/** The targets by command-line name. */
export const targets: Readonly<Record<string, Target>> = {
  sst: importer('sst', 'MN', () => ['MNR2026Q4AUG28.csv', 'MNB2026Q4AUG28.csv'].map(fixture)),
  'sst-streets': importer('sst', 'WI', () => ['WIR2026Q2FEB18.csv', 'WIB2026Q2FEB18.csv'].map(fixture)),
  'zip-rates': importer('zip-rates', 'TX', () => [fixture('TAXRATES_ZIP5_TX202611.csv')]),
  woocommerce: importer('woocommerce', 'TX', () => [fixture('tax_rates.csv')]),
  cdtfa: importer('cdtfa', 'CA', () => [fixture('cdtfa.csv')]),
  texas: importer('texas', 'TX', () => [fixture('taxrates.txt')]),
  alabama: importer('alabama', 'AL', () => [fixture('taxrates_current.csv')]),
  arizona: importer('arizona', 'AZ', () => [fixture('TPT_RATETABLE_ALL_11012026.csv')]),
  illinois: importer('illinois', 'IL', () => [fixture('ordmache-current.txt')]),
  missouri: workbookImporter('missouri', 'MO'),
  virginia: workbookImporter('virginia', 'VA'),
  alaska: workbookImporter('alaska', 'AK'),
  colorado: workbookImporter('colorado', 'CO'),
  louisiana: workbookImporter('louisiana', 'LA'),
  'new-mexico': importer(
    'new-mexico',
    'NM',
    () => [changedFile('new-mexico')],
    (random) => [mutateJson(changedFile('new-mexico'), random)],
  ),
  rules: importer(
    'rules',
    'IA',
    () => [rules],
    (random) => [mutateJson(rules, random)],
  ),
  xlsx: {
    valid: () => [changedFile('missouri')],
    make: (random) => [{ name: 'rates.xlsx', content: makeWorkbook(random) }],
    run: (input) => withFiles(input, ([path = '']) => readWorkbook(path)),
  },
  zip: {
    valid: () => [fixture('tax_rates.csv')],
    make: (random) => [{ name: 'rates.zip', content: makeZip(random) }],
    getBytes: ([file]) => Math.min(listUnpackedBytes(Buffer.from(file?.content as Buffer)), 8_000_000),
    run: (input) =>
      withFiles(input, async ([path = '']) => {
        for await (const _ of (await openTable(path)).rows);
      }),
  },
  pages,
  line1,
  customers: {
    valid: () => [customers],
    make: (random) => (random.chance(0.5) ? mutateOne([customers], random) : [mutateJson(customersJson, random)]),
    run: ([file]) => customersFrom(file?.content.toString() ?? ''),
  },
  ledger: {
    valid: () => [{ name: 'ledger.ndjson', content: getLedger(ledgerLines) }],
    make: makeLedger,
    run: (input) => withFiles(input, ([path = '']) => checkExport(path)),
  },
};

/** Returns an input of a target by its number in a seed. Inputs that once caused faults come first. */
export const getInput = (name: string, seed: number, input: number): Input =>
  found[name]?.[input]?.() ?? targets[name]?.make(createRandom(seed, input)) ?? [];
