/** `npm run pack`, which `npm ci` runs: write the generated files that are not in git. */

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompressSync, constants } from 'node:zlib';
import * as z from 'zod/mini';
import { clientTypes } from '../api/openapi/client-types.ts';
import { lazy } from '../base/collections.ts';
import { writeRates } from '../catalog/local/packed-table.ts';
import { countyNames, districtNames, listStates, rateRows } from '../catalog/local/text-tables.ts';
import { consolePage } from '../console/console.ts';
import descriptions from '../events/descriptions.json' with { type: 'json' };
import { type EventType, events } from '../events/event.ts';
import { buildReleases } from '../importers/taxability/rules.ts';
import type { PackedName } from '../packed/unpack.ts';
import { jurisdictionCode, taxStates } from '../vocabulary/jurisdiction.ts';
import type { Fulfillment } from '../vocabulary/schema.ts';
import type { PackedVocabulary, ProductAttribute } from '../vocabulary/vocabulary.ts';
import { packRates, packZips, summarizeRates } from './pack/local-tables.ts';
import { writeSourceHash } from './pack/source-hash.ts';

const resolvePath = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** Compresses a packed file. This takes much longer than generating its text, and runs in another thread. */
const compress = (text: string): Promise<Buffer> =>
  promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } });

type Named = { readonly code: string; readonly fulfillment?: Fulfillment };

const productTaxCodes = () => read(resolvePath('../vocabulary/product-tax-codes.json')) as Required<Named>[];

const vocabulary = (): PackedVocabulary => {
  const attributes = read(resolvePath('../vocabulary/attributes.json')) as (ProductAttribute & Named)[];
  const stated = [...productTaxCodes().filter(({ fulfillment }) => fulfillment !== 'shipped'), ...attributes];
  return {
    attributes: attributes.map(({ fulfillment: _, ...attribute }) => attribute),
    productTaxCodes: productTaxCodes().map(({ code }) => code),
    fulfillment: Object.fromEntries(
      stated.flatMap(({ code, fulfillment }) => (fulfillment ? [[code, fulfillment]] : [])),
    ),
  };
};

// The catalog is paged by code.
const catalog = (): unknown => productTaxCodes().sort((a, b) => (a.code < b.code ? -1 : 1));

/**
 * Returns the first four columns without the header. The other columns (confidence, source) are for readers of the
 * file. The file has no quotes.
 */
const crosswalk = (): string =>
  readFileSync(resolvePath('../vocabulary/code-crosswalk.csv'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').slice(0, 4).join(','))
    .join('\n');

const namedPlaces = (state: string) =>
  rateRows(state).map(({ county, place, place_code, aliases, parts }) => ({
    county,
    place,
    place_code,
    aliases,
    parts,
  }));

/** The tables of public names for imports, with the places of local rates by state. */
const localNames = (): unknown => ({
  counties: [...countyNames()],
  districts: [...districtNames()],
  places: Object.fromEntries(listStates().map((state) => [state, namedPlaces(state)])),
});

/**
 * A file that `npm run pack` and `npm ci` write; git ignores all but the README. Files that end in `.br` are
 * compressed.
 */
type GeneratedFile = { readonly path: string; readonly text: () => string | Promise<string> };
/** A compressed file with its name and the module whose bundles include it. */
type PackedFile = GeneratedFile & { readonly name: PackedName; readonly readBy: string };

const packed = (name: PackedName, readBy: string, text: GeneratedFile['text']): PackedFile => ({
  name,
  path: resolvePath(`../packed/${name}.br`),
  text,
  readBy,
});

const localTables = (kind: 'rates' | 'zips', textOfState: (state: string) => string): PackedFile[] =>
  listStates().map((state) =>
    packed(`${kind}-${state}`, 'shared/catalog/local/local-table.ts', () => textOfState(state)),
  );

const content: readonly PackedFile[] = [
  packed('compression-dictionary-1', 'shared/store/client/compressed.ts', () =>
    readFileSync(resolvePath('../store/client/compression-dictionary-1.txt'), 'utf8').replaceAll(/\r?\n/g, ''),
  ),
  packed('vocabulary', 'shared/vocabulary/vocabulary.ts', () => JSON.stringify(vocabulary())),
  packed('product-tax-codes', 'shared/vocabulary/catalog.ts', () => JSON.stringify(catalog())),
  packed('code-crosswalk', 'shared/vocabulary/crosswalk.ts', crosswalk),
  packed('rate-summaries', 'shared/coverage/local-rates.ts', () =>
    JSON.stringify(Object.fromEntries(listStates().map((state) => [jurisdictionCode(state), summarizeRates(state)]))),
  ),
  packed('taxjar-openapi', 'shared/taxjar/routes.ts', () =>
    JSON.stringify(JSON.parse(readFileSync(resolvePath('../taxjar/openapi.json'), 'utf8'))),
  ),
  packed('local-names', 'shared/importers/releases/import-files.ts', () => JSON.stringify(localNames())),
];

/** The texts of the releases by state. Reads the packed vocabulary and crosswalk. */
const releaseTexts = lazy(
  () => new Map(buildReleases().map(({ release }) => [release.state, JSON.stringify(release)])),
);

/** A calculation unpacks only the files of its addresses' states. */
const ofStates: readonly PackedFile[] = [
  ...taxStates
    .map(jurisdictionCode)
    .map((code) => packed(`release-${code}`, 'shared/catalog/built-in.ts', () => releaseTexts().get(code) as string)),
  ...localTables('rates', (state) => writeRates(packRates(state))),
  ...localTables('zips', packZips),
];

// Modules that read generated files are imported after these files are written. The examples of the OpenAPI document
// are calculated with the packed content, and the page of GET /docs shows the document.
const openApi = async (): Promise<string> => {
  const { openApiText } = await import('../api/openapi/document.ts');
  const { endpoints, tags } = await import('../../functions/endpoints.ts');
  return openApiText(Object.values(endpoints), tags);
};

/** The page with the table of endpoints. It is in git, because GitHub shows it. */
const endpointsPage = async (): Promise<string> => {
  const { endpoints } = await import('../../functions/endpoints.ts');
  const rows = Object.values(endpoints).map(
    ({ name, method, path, summary, scope }) =>
      `| [\`${method} ${path}\`](../../functions/${name}.ts) | ${summary} | ${scope ?? 'none'} |\n`,
  );
  const text = readFileSync(resolvePath('../../infra/docs/endpoints.md'), 'utf8');
  const head = '| Endpoint | Purpose | Scope |\n|---|---|---|\n';
  const start = text.indexOf(head) + head.length;
  return text.slice(0, start) + rows.join('') + text.slice(text.indexOf('\n\n', start) + 1);
};

/** The description of each field of an event by its path. `*` is an element of a list. */
const fieldTexts: Readonly<Record<string, string>> = descriptions.fields;

type Node = { properties?: Record<string, Node>; items?: Node; description?: string; additionalProperties?: unknown };

const describedNode = (node: Node, path: readonly string[] = []): Node => ({
  ...(fieldTexts[path.join('.')] && { description: fieldTexts[path.join('.')] }),
  ...node,
  ...(node.properties && {
    properties: Object.fromEntries(
      Object.entries(node.properties).map(([name, child]) => [name, describedNode(child, [...path, name])]),
    ),
  }),
  ...(node.items?.properties && { items: describedNode(node.items, [...path, '*']) }),
});

/**
 * Returns the published schema of an event's detail. It allows additional properties, so new fields do not break
 * consumers.
 */
const buildEventSchema = (type: EventType): Record<string, unknown> => {
  const { $schema, ...schema } = z.toJSONSchema(events[type], {
    target: 'draft-2020-12',
    io: 'input',
    // Drop the descriptions and component names of the OpenAPI document.
    metadata: z.registry(),
  });
  const { description, example } = descriptions.events[type];
  return {
    $schema,
    $id: `urn:levy:event:${type}`,
    title: type,
    description,
    ...describedNode(schema as Node),
    examples: [example],
  };
};

const schemas: readonly GeneratedFile[] = [
  ...(Object.keys(events) as EventType[]).map((type) => ({
    path: resolvePath(`../events/schemas/${type}.json`),
    text: () => `${JSON.stringify(buildEventSchema(type), null, 2)}\n`,
  })),
  { path: resolvePath('../../infra/docs/endpoints.md'), text: endpointsPage },
  { path: resolvePath('../api/openapi.json'), text: openApi },
  { path: resolvePath('../client/openapi-types.ts'), text: async () => clientTypes(await openApi()) },
];

const pages: readonly PackedFile[] = [
  packed('docs', 'functions/get-docs.ts', async () => JSON.stringify((await import('../docs/docs.ts')).docs())),
  packed('console', 'functions/get-console.ts', () => JSON.stringify(consolePage())),
];

/** The data that is deployed with functions: compressed text, generated from the files that people edit. */
export const packedFiles: readonly PackedFile[] = [...content, ...ofStates, ...pages];

/** All generated files, in the order in which they are written. */
export const generatedFiles: readonly GeneratedFile[] = [...content, ...ofStates, ...schemas, ...pages];

const hasText = (path: string, text: string): boolean => {
  try {
    const bytes = readFileSync(path);
    return (path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString() === text;
  } catch {
    // The file does not exist, or is damaged.
    return false;
  }
};

/** Writes a file, unless it already has this text. Returns its size in bytes. */
const write = async ({ path, text }: GeneratedFile): Promise<number> => {
  const content = await text();
  if (!hasText(path, content)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith('.br') ? await compress(content) : content);
  }
  return statSync(path).size;
};

/** Writes all generated files. `npm ci` runs it as `npm run pack`. */
const writeAll = async (): Promise<void> => {
  const writeInOrder = async (files: readonly GeneratedFile[]) => {
    for (const file of files) console.log(`${basename(file.path)}: ${await write(file)} bytes`);
  };
  await writeInOrder(content);
  const sizes = await Promise.all(ofStates.map(write));
  await writeInOrder([...schemas, ...pages]);
  writeSourceHash();
  console.log(`releases and local tables of all states: ${sizes.reduce((sum, size) => sum + size, 0)} bytes`);
};

if (import.meta.main) await writeAll();
