import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, it } from 'vitest';
import { levyApp } from '../../infra/app.ts';
import { synthesize, withoutBundling } from './synthesized.ts';

const findings = (outdir: string): string[] => {
  const { pluginReports } = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8'));
  return pluginReports.flatMap(({ violations }: any) => violations.map(({ ruleName }: any) => ruleName));
};

it.each([{}, { sam: 'true' }, { gatewayLogRole: 'keep', backups: 'none' }])(
  'leaves no finding of cdk-nag unacknowledged, warnings included, with %j',
  (context) => {
    expect(findings(synthesize({ ...withoutBundling, ...context }).outdir)).toEqual([]);
  },
);

it('is not synthesized with a finding of either rule pack', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'levy-nag-'));
  const app = levyApp({ outdir, context: withoutBundling });
  new Queue(app.node.findChild('Levy') as Stack, 'Careless');
  expect(() => app.synth()).toThrow('AwsSolutions-SQS4');
  expect(findings(outdir)).toEqual(expect.arrayContaining(['AwsSolutions-SQS4', 'Serverless-SQSRedrivePolicy']));
});
