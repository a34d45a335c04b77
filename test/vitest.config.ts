import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));
// Commands that tests start as processes are compiled once and then cached.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/levy/compiled`;

/**
 * `npm test` runs everything but `*.long.test.ts`. Mode `long` runs those, on dynoxide where it has a build. Mode `amazon`
 * runs the integration tests on DynamoDB Local, without those that start processes or hardly use the database, and
 * compares the memory database with it.
 */
const modes = {
  test: {
    include: ['**/!(*.long).test.ts'],
    projects: ['unit', 'integration', 'contract', 'infra', 'simulation', 'model'],
  },
  long: { include: ['**/*.long.test.ts'], projects: ['unit', 'integration', 'contract', 'simulation', 'model'] },
  amazon: { include: ['**/!(*.long).test.ts', 'memory-database.long.test.ts'], projects: ['integration'] },
};
const notOnAmazon =
  '{accounts-*,admission-calls,cost-units,docs-guide,ledger-cli,ledger-transfer,local-*,recorded-ledger,request-lines,safety-headers,schedule-lines,versions}.test.ts';

const integrationSetup = ['test/contract/observe-exchanges.ts', 'test/support/replay-created.ts'];
const projectOf = (name: string, include: readonly string[], exclude: readonly string[]) => ({
  extends: true as const,
  test: {
    name,
    // The files of infra share the CDK, the bundles and the synthesized templates (test/infra/synthesized.ts).
    isolate: name !== 'infra' && name !== 'unit',
    include: include.map((pattern) => `test/${name}/${pattern}`),
    exclude: exclude.map((pattern) => `test/${name}/**/${pattern}`),
    // Every project fails on logged secrets. The integration tests also check each answer against the OpenAPI document and
    // replay each recorded transaction.
    setupFiles: [
      'test/support/log-watch.ts',
      'test/support/log-secrets.ts',
      ...(name === 'integration' ? integrationSetup : []),
    ],
  },
});

export default defineConfig(({ mode }) => {
  const { include, projects } = modes[mode as keyof typeof modes] ?? modes.test;
  if (mode === 'amazon') process.env['EMULATOR'] = 'amazon';
  return {
    root,
    test: {
      globalSetup: 'test/support/global-setup.ts',
      projects: projects.map((name) => projectOf(name, include, mode === 'amazon' ? [notOnAmazon] : [])),
      reporters: ['default', 'json'],
      // .ci/run sums up the reports of its runs, so each run has its own file.
      outputFile: { json: process.env['TEST_REPORT'] || 'node_modules/.cache/levy/test-report.json' },
      // One more than a small machine has cores, because a test that waits for the database leaves its core idle.
      maxWorkers: 3,
      // A slow machine must not fail a test.
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  };
});
