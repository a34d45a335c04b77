/**
 * A vitest setup file: properties draw the same values in each run, so that only a change of the code can fail one.
 * `TEST_SEED=random npm test` looks for other values.
 */
import fc from 'fast-check';

const { TEST_SEED = '1' } = process.env;
if (!/^(-?\d+|random)$/.test(TEST_SEED))
  throw new Error(`TEST_SEED is "${TEST_SEED}". Set it to a whole number, or to random.`);
if (TEST_SEED !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(TEST_SEED) });
