import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, type Entry, entries } from '../../infra/bundling.ts';
import { getEvent } from '../support/handler-calls.ts';
import { buildRequest } from './content.ts';
import { type Figure, inNewProcess, median, rounded } from './figure.ts';

/** Bundles every function as the deployment does, each into a folder with its name, and measures the code. */
export const bundleFigures = (folder: string): Figure[] =>
  entries.map((of) => {
    const outdir = join(folder, of);
    bundle(of, outdir);
    const code = readdirSync(outdir).filter((file) => file.endsWith('.js'));
    const bytes = code.reduce((sum, file) => sum + statSync(join(outdir, file)).size, 0);
    return { figure: 'bundle', of, minified_kibibytes: rounded(bytes / 1024) };
  });

/** The entries by name. The control is bundled like a function of the service. */
const variants = { 'create-calculation': 'create-calculation', control: '../test/bench/cold-start-control' };
const rounds = 20;
const warmUps = 2;

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
  const names = Object.keys(variants);
  for (const [name, entry] of Object.entries(variants)) bundle(entry as Entry, join(folder, name));
  const all = Array.from({ length: warmUps + rounds }, () => names.map(start)).slice(warmUps);
  return Object.entries(figures).flatMap(([phase, figure]) =>
    names.map((of, at) => {
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
