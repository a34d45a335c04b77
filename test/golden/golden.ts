/** Records every kind of answer of the API, and compares the answers of a changed service with the record. */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { describeDifference } from './difference.ts';
import { newRecorder, type Recorder } from './exchanges.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { type Service, startService } from './service.ts';
import { shops } from './shops.ts';

const corpus = new URL('corpus.txt.br', import.meta.url);
const shownMax = 20;
const firstDay = '2026-12-15';
/** Error codes that no request provokes in each run: they need a race, a table without a service, or thousands of entries. */
const notProvoked = [
  'conflict_filing_in_progress',
  'validation_too_many_entries',
  'system_internal_error',
  'system_service_unavailable',
];

const all: Readonly<Record<string, Scenario>> = { ...scenarios, ...shops };

/** The blocks of the recorded exchanges by scenario. */
const readCorpus = (): Map<string, string[]> => {
  try {
    const text = brotliDecompressSync(readFileSync(corpus)).toString();
    return Map.groupBy(text.split(/^(?==== )/m), (block) => /=== (\S+)/.exec(block)?.[1] ?? '');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
};

const writeCorpus = (blocks: ReadonlyMap<string, readonly string[]>): void => {
  const text = Object.keys(all)
    .flatMap((name) => blocks.get(name) ?? [])
    .join('');
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(corpus, brotliCompressSync(text, { params }));
};

/** The operations and error codes of the service that no scenario has. */
const missing = async (url: string, recorders: readonly Recorder[]): Promise<string[]> => {
  const document = await (await fetch(`${url}/openapi.json`)).text();
  const { paths } = JSON.parse(document) as { readonly paths: Readonly<Record<string, object>> };
  const operations = recorders.flatMap((one) => [...one.operations]);
  const codes = new Set(recorders.flatMap((one) => [...one.codes]));
  const isCalled = (method: string, path: string) =>
    operations.some((called) => new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`, 'i').test(called));
  const uncalled = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((name) => /^(get|post)$/.test(name) && !isCalled(name, path))
      .map((name) => `${name} ${path}`),
  );
  const known = [...document.matchAll(/"([a-z_]+)": \{\s*"status": \d+,\s*"meaning"/g)].map(
    ([, code]) => code as string,
  );
  return [...uncalled, ...new Set(known)].filter((name) => !codes.has(name) && !notProvoked.includes(name));
};

const run = async (service: Service, names: readonly string[], expected: ReadonlyMap<string, string[]>) => {
  const recorders = new Map<string, Recorder>();
  for (const name of names) {
    const startMs = performance.now();
    const recorder = newRecorder(service.url, name, expected.get(name) ?? []);
    recorders.set(name, recorder);
    await service.setDay(firstDay);
    await (all[name] as Scenario)({ ...recorder, service });
    console.log(
      `${name}: ${recorder.recorded.length} exchanges, ${((performance.now() - startMs) / 1000).toFixed(1)} s`,
    );
  }
  return recorders;
};

const compare = (
  expected: ReadonlyMap<string, string[]>,
  recorders: ReadonlyMap<string, Recorder>,
  masks: readonly RegExp[],
): number => {
  const masked = (block: string) => masks.reduce((text, mask) => text.replaceAll(mask, '<masked>'), block);
  const differences = [...recorders].flatMap(([name, { recorded }]) => {
    const before = expected.get(name) ?? [];
    const pairs = Array.from(
      { length: Math.max(before.length, recorded.length) },
      (_, at) => [before[at] ?? '', recorded[at] ?? ''] as const,
    );
    return pairs.map(([old, now]) => [masked(old), masked(now)] as const).filter(([old, now]) => old !== now);
  });
  for (const [old, now] of differences.slice(0, shownMax)) console.log(`\n${describeDifference(old, now)}`);
  const folder = tmpdir();
  for (const [name, blocks] of [
    ['expected', 0],
    ['actual', 1],
  ] as const)
    if (differences.length > 0)
      writeFileSync(join(folder, `golden-${name}.txt`), differences.map((pair) => pair[blocks]).join(''));
  if (differences.length > 0) console.log(`\nAll that differ: ${folder}/golden-expected.txt and golden-actual.txt`);
  return differences.length;
};

const { values } = parseArgs({
  options: {
    record: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    mask: { type: 'string', multiple: true },
  },
});
const names = values.only ?? Object.keys(all);
const unknown = names.filter((name) => !Object.hasOwn(all, name));
if (unknown.length > 0)
  throw new Error(`No scenario ${unknown.join(', ')}. Pass one of ${Object.keys(all).join(', ')}.`);

const expected = readCorpus();
const service = await startService();
try {
  const recorders = await run(service, names, expected);
  const gaps = values.only ? [] : await missing(service.url, [...recorders.values()]);
  if (gaps.length > 0) console.log(`Not recorded: ${gaps.join(', ')}`);
  if (values.record) {
    writeCorpus(new Map([...expected, ...[...recorders].map(([name, { recorded }]) => [name, recorded] as const)]));
    process.exitCode = gaps.length > 0 ? 1 : 0;
  } else {
    const count = compare(
      expected,
      recorders,
      (values.mask ?? []).map((text) => new RegExp(text, 'g')),
    );
    console.log(count === 0 ? 'No difference.' : `${count} exchanges differ.`);
    process.exitCode = count + gaps.length > 0 ? 1 : 0;
  }
} finally {
  await service.stop();
}
