import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = fileURLToPath(new URL('..', import.meta.url));
// Commands that tests start as processes are compiled once and then cached.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/levy/compiled`;

/** The integration tests that use the most conditions, indexes and pages. */
const onAmazon =
  '{content-imports,content-store,create-transaction,credits,idempotency,list-transactions,update-transaction}.test.ts';

/**
 * `npm test` runs everything but `*.long.test.ts`, and mode `long` runs those. Mode `browser` drives the console in
 * Chromium. Mode `amazon` runs some integration tests on DynamoDB Local, and compares the memory database with it.
 */
const modes = {
  test: {
    include: ['**/!(*.long).test.ts'],
    projects: ['unit', 'integration', 'contract', 'infra'],
  },
  long: {
    include: ['**/*.long.test.ts'],
    projects: ['unit', 'integration', 'contract', 'infra', 'simulation', 'model'],
  },
  browser: { include: ['**/!(*.long).test.ts'], projects: ['browser'] },
  amazon: { include: [onAmazon, 'memory-database.test.ts'], projects: ['integration'] },
};

/** Marks test files that change shared state of their process: loaded modules, or the environment. */
const isolated = '@isolated';

/** The projects of a suite. The files of a project share their modules, except in the project with the suffix `-isolated`. */
const listProjects = (suite: string, include: readonly string[]) => {
  const callsApi = suite === 'integration' || suite === 'contract';
  const project = (name: string, isolate: boolean, exclude: readonly string[] = []) => ({
    extends: true as const,
    test: {
      name,
      isolate,
      include: include.map((pattern) => `test/${suite}/${pattern}`),
      exclude: [...exclude],
      setupFiles: [
        'test/support/test-day.ts',
        'test/support/setup.ts',
        ...(callsApi ? ['test/support/setup-api.ts'] : []),
      ],
    },
  });
  // The files of infra share the synthesized templates (test/infra/synthesized.ts).
  // Files that share modules delete their tables, which the database of `npm start` does not support.
  const canShare = callsApi && !process.env['DYNAMODB_ENDPOINT'];
  if (!canShare) return [project(suite, suite !== 'unit' && suite !== 'infra')];
  const files = readdirSync(`${root}test/${suite}`).filter((name) => name.endsWith('.test.ts'));
  const isIsolated = (name: string) => readFileSync(`${root}test/${suite}/${name}`, 'utf8').includes(isolated);
  const paths = (isWanted: (name: string) => boolean) => files.filter(isWanted).map((name) => `test/${suite}/${name}`);
  return [
    project(suite, false, paths(isIsolated)),
    project(
      `${suite}-isolated`,
      true,
      paths((name) => !isIsolated(name)),
    ),
  ];
};

/**
 * The files that start first: one that takes minutes and starts last would run alone at the end. `deployment.test.ts`
 * synthesizes the templates.
 */
const slowest = [
  'deployment.test.ts',
  'schedules.long.test.ts',
  'processes.long.test.ts',
  'http-bad-input.long.test.ts',
  'memory.long.test.ts',
  'bundling.long.test.ts',
];

/** Starts the slowest files first, and those that wait for the templates last. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = slowest.flatMap((name) => sorted.filter(({ moduleId }) => basename(moduleId) === name));
    const others = sorted.filter((file) => !first.includes(file));
    const isWaiting = ({ project }: TestSpecification) => project.name === 'infra';
    return [...first, ...others.filter((file) => !isWaiting(file)), ...others.filter(isWaiting)];
  }
}

export default defineConfig(({ mode }) => {
  const { include, projects } = modes[mode as keyof typeof modes] ?? modes.test;
  return {
    root,
    test: {
      globalSetup: 'test/support/global-setup.ts',
      projects: projects.flatMap((suite) => listProjects(suite, include)),
      sequence: { sequencer: SlowestFirst },
      reporters: ['default', 'json'],
      // .ci/run adds up the reports of its runs, so each run writes a separate file.
      outputFile: { json: process.env['TEST_REPORT'] || 'node_modules/.cache/levy/test-report.json' },
      // One more than the cores of a small machine, because a test that waits for the database leaves its core idle.
      // DynamoDB Local needs a core: on an overloaded machine, requests to it time out.
      maxWorkers: mode === 'amazon' ? 1 : 3,
      // A slow machine must not fail a test.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 30_000 } },
    },
  };
});
