/** The fuzz targets: all code that reads external files, pages and texts. */

import { customersFrom } from '../../shared/cli/customers/put.ts';
import { checkExport } from '../../shared/cli/ledger/read-export.ts';
import { buildRelease } from '../../shared/importers/build.ts';
import { openTable } from '../../shared/importers/files/rows.ts';
import { readWorkbook } from '../../shared/importers/files/workbook.ts';
import { type Format, importers } from '../../shared/importers/importers.ts';
import { baseOf, fixture, type TestCell, type TestFile, withFiles } from '../fixtures/imports/harness.ts';
import { newMexicoFile } from '../fixtures/imports/new-mexico.ts';
import {
  alaskaFile,
  alaskaRows,
  coloradoFile,
  coloradoRows,
  louisianaFile,
  louisianaRows,
  missouriFile,
  missouriRows,
  virginiaFile,
  virginiaSheets,
} from '../fixtures/imports/workbooks.ts';
import { found } from './found.ts';
import { ledgerLines, ledgerOf, makeLedger } from './ledgers.ts';
import { pages } from './pages.ts';
import { line1 } from './streets.ts';
import type { Input, Target } from './target.ts';
import { type Random, randomOf } from './target.ts';
import { mutateBytes, mutateJson, mutateOne } from './texts.ts';
import { makeWorkbook, makeZip, mutateRows, unpackedBytesOf } from './workbooks.ts';

/** Builds a release and reads its parts one at a time, as an import does. */
const importAndRead = (format: Format, state: string, input: Input): Promise<void> =>
  withFiles(input, async (paths, tempFolder) => {
    const base = baseOf(state);
    const entries = importers[format].read(paths, { state, base });
    const identity = {
      id: `US-${state}@2026-11-21.1`,
      position: { below: base.id, chain: [], bottom: base.id },
      importer: importers[format],
      importedAt: '2026-11-21T08:00:00.000Z',
    };
    const built = await buildRelease({ ...identity, entries, base, tempFolder });
    if (built.outcome === 'built') for await (const _ of built.parts());
  });

const importer = (format: Format, state: string, valid: () => Input, make?: (random: Random) => Input): Target => ({
  valid,
  make: make ?? ((random) => mutateOne(valid(), random)),
  run: (input) => importAndRead(format, state, input),
});

type Rows = readonly (readonly TestCell[])[];

const workbookImporter = (format: Format, state: string, rows: Rows, file: (rows: Rows) => TestFile): Target =>
  importer(
    format,
    state,
    () => [file(rows)],
    (random) => {
      const { name, content } = file(mutateRows(rows, random));
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
  missouri: workbookImporter('missouri', 'MO', missouriRows, (rows) => missouriFile([...rows])),
  virginia: workbookImporter('virginia', 'VA', virginiaSheets()['Current']?.rows ?? [], (rows) =>
    virginiaFile({ A: { title: '1/1/2027 - Present', rows: [...rows] } }),
  ),
  alaska: workbookImporter('alaska', 'AK', alaskaRows, (rows) => alaskaFile([...rows])),
  colorado: workbookImporter('colorado', 'CO', coloradoRows, (rows) => coloradoFile([...rows])),
  louisiana: workbookImporter('louisiana', 'LA', louisianaRows, (rows) => louisianaFile([...rows])),
  'new-mexico': importer(
    'new-mexico',
    'NM',
    () => [newMexicoFile()],
    (random) => [mutateJson(newMexicoFile(), random)],
  ),
  rules: importer(
    'rules',
    'IA',
    () => [rules],
    (random) => [mutateJson(rules, random)],
  ),
  xlsx: {
    valid: () => [missouriFile()],
    make: (random) => [{ name: 'rates.xlsx', content: makeWorkbook(random) }],
    run: (input) => withFiles(input, ([path = '']) => readWorkbook(path)),
  },
  zip: {
    valid: () => [fixture('tax_rates.csv')],
    make: (random) => [{ name: 'rates.zip', content: makeZip(random) }],
    bytesOf: ([file]) => Math.min(unpackedBytesOf(Buffer.from(file?.content as Buffer)), 8_000_000),
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
    valid: () => [{ name: 'ledger.ndjson', content: ledgerOf(ledgerLines) }],
    make: makeLedger,
    run: (input) => withFiles(input, ([path = '']) => checkExport(path)),
  },
};

/** Returns an input of a target by its number in a seed. Inputs that once caused faults come first. */
export const inputOf = (name: string, seed: number, input: number): Input =>
  found[name]?.[input]?.() ?? targets[name]?.make(randomOf(seed, input)) ?? [];
