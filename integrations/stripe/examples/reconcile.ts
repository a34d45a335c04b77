/** Reconciles yesterday and today: `node examples/reconcile.ts`. Exits with 1 if something needs manual action. */
import { billing } from './setup.ts';

const dayMs = 24 * 60 * 60_000;
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const report = await billing.reconcile({ from: day(Date.now() - dayMs), to: day(Date.now()) });
console.log(JSON.stringify(report, null, 2));
if (report.problems.length + report.extra.length > 0) process.exitCode = 1;
