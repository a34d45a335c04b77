import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));
// Commands that tests start as processes are compiled once and then cached.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/levy/compiled`;

/** The integration tests with the most conditions, indexes and pages. */
const onAmazon =
  '{account-store,close-periods,content-imports,content-store,create-filing,create-transaction,credits,history,idempotency,list-filings,list-transactions,reconciliations,update-filing,update-transaction}.test.ts';

/**
 * `npm test` runs everything but `*.long.test.ts`. Mode `long` runs those, and more of the random orders and invalid
 * requests. Mode `browser` drives the console in Chromium. Mode `amazon` runs some integration tests
 * on DynamoDB Local, and compares the memory database with it.
 */
const modes = {
  test: {
    include: ['**/!(*.long).test.ts'],
    projects: ['unit', 'integration', 'contract', 'infra', 'simulation', 'model'],
  },
  long: {
    include: ['**/*.long.test.ts', '{http-bad-input,tax-orders}.test.ts'],
    projects: ['unit', 'integration', 'contract', 'simulation', 'model'],
  },
  browser: { include: ['**/!(*.long).test.ts'], projects: ['browser'] },
  amazon: { include: [onAmazon, 'memory-database.test.ts'], projects: ['integration'] },
};

const integrationSetup = ['test/contract/observe-exchanges.ts', 'test/support/replay-created.ts'];
const projectOf = (name: string, include: readonly string[]) => ({
  extends: true as const,
  test: {
    name,
    // The files of infra share the CDK, the bundles and the synthesized templates (test/infra/synthesized.ts).
    isolate: name !== 'infra' && name !== 'unit',
    include: include.map((pattern) => `test/${name}/${pattern}`),
    // Every project fails on logged secrets. The integration tests also check each answer against the OpenAPI document and
    // replay each recorded transaction.
    setupFiles: [
      'test/support/avoid-midnight.ts',
      'test/support/random-seed.ts',
      'test/support/log-watch.ts',
      'test/support/log-secrets.ts',
      ...(name === 'integration' ? integrationSetup : []),
    ],
  },
});

export default defineConfig(({ mode }) => {
  const { include, projects } = modes[mode as keyof typeof modes] ?? modes.test;
  return {
    root,
    test: {
      globalSetup: 'test/support/global-setup.ts',
      projects: projects.map((name) => projectOf(name, include)),
      reporters: ['default', 'json'],
      // .ci/run sums up the reports of its runs, so each run has its own file.
      outputFile: { json: process.env['TEST_REPORT'] || 'node_modules/.cache/levy/test-report.json' },
      // One more than a small machine has cores, because a test that waits for the database leaves its core idle. DynamoDB
      // Local needs a core: requests to it time out on a machine that is overloaded.
      maxWorkers: mode === 'amazon' ? 1 : 3,
      // A slow machine must not fail a test.
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  };
});
