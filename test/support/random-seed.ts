/**
 * A vitest setup file: properties draw the same values in each run, so that a change is judged by what it changes.
 * `TEST_SEED=random npm test` looks for other values.
 */
import fc from 'fast-check';

const { TEST_SEED = '1' } = process.env;
if (TEST_SEED !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(TEST_SEED) });
