import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    setupFiles: [fileURLToPath(new URL('../../test/support/avoid-midnight.ts', import.meta.url))],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    ...(process.env['TEST_REPORT'] && {
      reporters: ['default', 'json'],
      outputFile: { json: process.env['TEST_REPORT'] },
    }),
  },
});
