import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { endpoints, schedules } from '../../functions/endpoints.ts';
import { bundle, type Entry } from '../../infra/bundling.ts';
import { packedFiles } from '../../shared/cli/pack.ts';
import { getEvent } from '../support/handler-calls.ts';
import { buildRequest } from './content.ts';
import { type Figure, inNewProcess, median, rounded } from './figure.ts';

const functions = [
  ...Object.keys(endpoints),
  ...Object.keys(schedules),
  'method-not-allowed',
  'announce-changes',
  'count-transactions',
];
const measured = 'create-calculation';
// Bundled like a function of the service.
const control = '../test/bench/cold-start-control';
const rounds = 20;
const warmUps = 2;

/** Bundles the control and every function as the deployment does, each into a folder with its name. */
export const bundleFigures = (folder: string): Figure[] => {
  bundle(control as Entry, join(folder, 'control'));
  return functions.map((name) => {
    const outdir = join(folder, name);
    bundle(name as Entry, outdir);
    const code = readdirSync(outdir).filter((file) => file.endsWith('.js'));
    const texts = code.map((file) => readFileSync(join(outdir, file)));
    const kibibytes = (files: readonly Buffer[]) => rounded(files.reduce((sum, { length }) => sum + length / 1024, 0));
    return {
      figure: 'bundle',
      of: name,
      minified_kibibytes: kibibytes(texts),
      gzipped_kibibytes: kibibytes(texts.map((text) => gzipSync(text))),
    };
  });
};

/** Measures the size of the built-in local rates. */
export const packedFigure = (): Figure => {
  const kilobytes = (pattern: RegExp) =>
    packedFiles.reduce((sum, { name, path }) => sum + (pattern.test(name) ? statSync(path).size / 1000 : 0), 0);
  return {
    figure: 'local_rates_packed',
    of: 'tables of all states',
    kilobytes: rounded(kilobytes(/^(rates|zips)-/)),
    rates_kilobytes: rounded(kilobytes(/^rates-/)),
    zips_kilobytes: rounded(kilobytes(/^zips-/)),
  };
};

const figures = { imported: 'cold_import', replied: 'cold_first_database_reply', answered: 'cold_answer' } as const;
type Phase = keyof typeof figures;

/**
 * Measures how long a new process takes to import a bundle, to get the first database response, and to respond for ten
 * lines.
 *
 * The first responses are comparable: the control reads one item, and our function reads the API key's item. Before it
 * responds, our function makes two more sequential calls, for the account and its rate window, and one parallel call,
 * for the use of the key. The variants alternate, so the machine's load affects both.
 */
export const coldStartFigures = (folder: string, apiKey: string): Figure[] => {
  const event = JSON.stringify(
    getEvent('POST', '/calculations', { body: buildRequest(10), headers: { 'X-API-Key': apiKey } }),
  );
  const start = (name: string) =>
    inNewProcess<Record<Phase, number>>('cold-start-probe.cjs', [join(folder, name, 'index.js'), event]);
  const variants = [measured, 'control'];
  const all = Array.from({ length: warmUps + rounds }, () => variants.map(start)).slice(warmUps);
  return Object.entries(figures).flatMap(([phase, figure]) =>
    variants.map((of, at) => {
      const values = all.map((round) => round[at]?.[phase as Phase] ?? Number.NaN);
      return {
        figure,
        of,
        since: 'require of the bundle',
        rounds,
        milliseconds: rounded(median(values)),
        min_milliseconds: rounded(Math.min(...values)),
      };
    }),
  );
};
