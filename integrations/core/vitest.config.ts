import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    ...(process.env['TEST_REPORT'] && {
      reporters: ['default', 'json'],
      outputFile: { json: process.env['TEST_REPORT'] },
    }),
  },
});
