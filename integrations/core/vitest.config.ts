import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Each test file starts the service, and loading it is half of the CPU time of its start.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../../node_modules/.cache/levy/compiled', import.meta.url),
);

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    setupFiles: [fileURLToPath(new URL('../../test/support/test-day.ts', import.meta.url))],
    // The default on a machine with two cores is one. A test waits for its service, which runs in another process.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    ...(process.env['TEST_REPORT'] && {
      reporters: ['default', 'json'],
      outputFile: { json: process.env['TEST_REPORT'] },
    }),
  },
});
