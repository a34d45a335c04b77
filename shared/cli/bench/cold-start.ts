import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventOf } from './event.ts';
import { type Figure, median, rounded } from './figure.ts';
import { requestOf } from './four-jurisdictions.ts';

const variants = ['create-calculation', 'control'] as const;

/** Milliseconds since the first `require`, as cold-start-probe.cjs prints them. */
type Start = Readonly<Record<'imported' | 'replied' | 'answered', number>>;

const probe = fileURLToPath(new URL('cold-start-probe.cjs', import.meta.url));
const rounds = 20;
const warmUps = 2;

// NODE_OPTIONS, NODE_COMPILE_CACHE and NODE_V8_COVERAGE would change how Node starts.
const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_')));

const start = (folder: string, event: string): Start => {
  const { stdout, stderr } = spawnSync(process.execPath, [probe, join(folder, 'index.js'), event], {
    encoding: 'utf8',
    env: environment(),
  });
  if (!/"statusCode":200/.test(stdout)) throw new Error(`A cold start failed: ${stdout}${stderr}`);
  return JSON.parse(stdout);
};

const figureOf = (figure: string, of: string, values: readonly number[]): Figure => ({
  figure,
  of,
  since: 'require of the bundle',
  rounds,
  milliseconds: rounded(median(values)),
  min_milliseconds: rounded(Math.min(...values)),
});

/** The event of the first request to an instance: a calculation with ten lines. */
export const firstRequest = (apiKey: string): string =>
  JSON.stringify(eventOf({ operation: 'create-calculation', apiKey, body: requestOf(10, 0) }));

const figures = { imported: 'cold_import', replied: 'cold_first_database_reply', answered: 'cold_answer' } as const;
const phases = Object.keys(figures) as (keyof Start)[];

/**
 * How long a fresh process takes to import a bundle, to the first reply of the database, and to the answer.
 *
 * The first replies are comparable: the control reads one item, and our function reads the item of the API key. Before it
 * answers, our function makes two more calls in sequence, for the account and its rate window, and one in parallel, for
 * the use of the key. The variants alternate, so that the load of the machine affects both.
 */
export const coldStartFigures = (folder: string, event: string): Figure[] => {
  const rows = Array.from({ length: warmUps + rounds }, () => variants.map((name) => start(join(folder, name), event)));
  const valuesOf = (name: (typeof variants)[number], phase: keyof Start) =>
    rows.slice(warmUps).map((row) => (row[variants.indexOf(name)] as Start)[phase]);
  const [ours, control] = [valuesOf('create-calculation', 'replied'), valuesOf('control', 'replied')];
  return [
    ...phases.flatMap((phase) => variants.map((name) => figureOf(figures[phase], name, valuesOf(name, phase)))),
    {
      figure: 'cold_first_database_reply_ratio',
      of: 'create-calculation to control',
      ratio: rounded(median(ours) / median(control)),
      min_ratio: rounded(Math.min(...ours) / Math.min(...control)),
    },
  ];
};
