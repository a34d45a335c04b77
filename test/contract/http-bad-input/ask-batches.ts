import { type Batch, type Counts, runBatch } from './run.ts';
import { Service } from './service.ts';

// `BAD_INPUT=7` asks with another seed; `BAD_INPUT=7:3:120` asks only what a failure names.
const [seed = 1, only, last] = (process.env['BAD_INPUT'] || '1').split(':').map(Number);
const batchSize = 500;
/** More would tell nothing new. */
const wrongMax = 20;

/** The batches from a number to below another: those that are asked for. */
export const batchesFrom = (from: number, end: number): readonly Batch[] =>
  Array.from({ length: end - from }, (_, at) => from + at)
    .filter((batch) => only === undefined || batch === only)
    .map((batch) => ({ seed, batch, requests: only === undefined ? batchSize : (last ?? batchSize - 1) + 1 }));

export const requestsIn = (batches: readonly Batch[]): number =>
  batches.reduce((sum, { requests }) => sum + requests, 0);

/** Ask all batches of a service of their own. Answers the story of everything that was wrong, and how often what was answered. */
export const askBatches = async (batches: readonly Batch[]): Promise<{ wrong: string[]; answered: number }> => {
  const service = new Service();
  const counts: Counts = { answers: new Map(), codes: new Map() };
  const wrong: string[] = [];
  const stop = service.start();
  try {
    for (const batch of batches) {
      wrong.push(...(await runBatch(batch, service, counts)));
      if (wrong.length > wrongMax) break;
    }
  } finally {
    stop();
  }
  if (process.env['BAD_INPUT_COUNTS'])
    for (const of of [counts.answers, counts.codes])
      console.log(
        [...of]
          .toSorted()
          .map((one) => one.join(' '))
          .join('\n'),
      );
  return { wrong, answered: counts.answers.values().reduce((sum, count) => sum + count, 0) };
};
