import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));
// What tests start as processes of their own is compiled once, not a hundred times.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/levy/compiled`;
const integrationSetup = ['test/contract/observe-exchanges.ts', 'test/support/replay-created.ts'];
const project = (name: string) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    // Nothing that is logged may give away what was sent. And whatever an integration test asks the API is held against
    // the OpenAPI document, and what it records is replayed.
    setupFiles: [
      'test/support/log-watch.ts',
      'test/support/log-secrets.ts',
      ...(name === 'integration' ? integrationSetup : []),
    ],
  },
});

export default defineConfig({
  root,
  test: {
    globalSetup: 'test/support/global-setup.ts',
    projects: ['unit', 'integration', 'contract', 'infra', 'simulation', 'model'].map(project),
    reporters: ['default', 'json'],
    // Where .ci/run counts; a second run must not count the first one's again.
    outputFile: { json: process.env['TEST_REPORT'] || 'node_modules/.cache/levy/test-report.json' },
    // One more than a small machine has cores: a test that waits for the database leaves its core to another.
    maxWorkers: 3,
    // A slow machine is not a wrong answer.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
