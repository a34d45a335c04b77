/** The vitest setup file of every project. */
import fc from 'fast-check';
import { afterAll, vi } from 'vitest';
import { onSend } from './http.ts';
import { keepSecret, leaks, secretsIn, startWatch } from './log-watch.ts';

// Property tests use the same values in each run, so only a code change can make one fail. `TEST_SEED=random npm test`
// tries new values.
const { TEST_SEED = '1' } = process.env;
if (!/^(-?\d+|random)$/.test(TEST_SEED))
  throw new Error(`TEST_SEED is "${TEST_SEED}". Set it to a whole number, or to random.`);
if (TEST_SEED !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(TEST_SEED) });

// Fails a test file if the service logs a secret or data that the test sends through test/support/http.ts.
startWatch();
const stopWatching = onSend(({ body, headers = {} }) => {
  keepSecret(secretsIn(body));
  const credentials = Object.entries(headers).filter(([name]) =>
    /^(x-api-key|authorization|idempotency-key)$/i.test(name),
  );
  keepSecret(credentials.flatMap(([, value]) => value ?? []).filter((value) => value.length > 7));
});
afterAll(() => {
  stopWatching();
  // The next file in this worker may share the modules, so undo what this file's tests replaced.
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  const found = leaks();
  if (found.length > 0) throw new Error(`The service's log is for nobody's data.\n${found.join('\n')}`);
});
