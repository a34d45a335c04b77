import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, it } from 'vitest';
import { levyApp } from '../../infra/app.ts';
import { disposable, everySetting, synthesize, withoutBackups, withoutBundling } from './synthesized.ts';

type Report = { readonly violations: readonly { readonly ruleName: string }[] };
const findings = (outdir: string): string[] => {
  const { pluginReports }: { pluginReports: Report[] } = JSON.parse(
    readFileSync(join(outdir, 'validation-report.json'), 'utf8'),
  );
  return pluginReports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName));
};

it.each([{}, everySetting, disposable, withoutBackups, { sam: '1' }])(
  'cdk-nag has no unacknowledged finding or warning with %j',
  (context) => {
    expect(findings(synthesize(context).outdir)).toEqual([]);
  },
);

it('a finding of either rule pack stops the synthesis', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'levy-nag-'));
  const app = levyApp({ outdir, context: withoutBundling });
  new Queue(app.node.findChild('Levy') as Stack, 'Careless');
  expect(() => app.synth()).toThrow('AwsSolutions-SQS4');
  expect(findings(outdir)).toEqual(expect.arrayContaining(['AwsSolutions-SQS4', 'Serverless-SQSRedrivePolicy']));
});
