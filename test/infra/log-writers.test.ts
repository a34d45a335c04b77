import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const service = ['shared/**/*.ts', 'functions/*.ts', 'infra/local/*.ts'];
// The client is a package for shops, and its example prints to stdout.
const operators = /^shared\/(cli|docs|client)\//;

const writes = globSync(service, { cwd: root })
  .filter((path) => !operators.test(path))
  .flatMap((path) =>
    [...readFileSync(root + path, 'utf8').matchAll(/(?:console\.\w+|process\.std(?:out|err)\.write)\(.*/g)].map(
      ([line]) => ({ path, line }),
    ),
  );

// A new writer is a deliberate decision: CloudWatch stores its lines for three months.
it('only the listed files write to the log', () => {
  expect([...new Set(writes.map(({ path }) => path))].sort()).toEqual([
    'functions/count-transactions.ts',
    'functions/sweep-drafts.ts',
    'functions/update-content.ts',
    'infra/local/gateway.ts',
    'infra/local/handlers.ts',
    'infra/local/start.ts',
    'shared/api/define-schedule.ts',
    'shared/api/reply.ts',
    'shared/observability/metric.ts',
    'shared/store/filings/filing-ports.ts',
  ]);
});

it('only the name and location of errors are logged, except when npm start fails', () => {
  const whole = writes.filter(({ line }) => {
    const said = line
      .replace(/^console\.\w+/, '')
      .replace(/failureLine\(\w+\)/, '')
      .replaceAll(/[`'][^`']*[`']/g, '');
    return /\b(error|thrown|cause)\b/.test(said.replace(/\(error: unknown\) =>/, ''));
  });
  expect(whole.map(({ path }) => path)).toEqual(['infra/local/start.ts']);
});
