import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { ServiceStack } from '../../infra/service-stack.ts';
import { settingsOf } from '../../infra/settings.ts';
import { withoutBundling } from './synthesized.ts';

it('two stages stand in one app, each with its own settings', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'levy-infra-'));
  const app = new App({ outdir, context: withoutBundling });
  for (const stage of ['staging', 'production']) {
    const settings = settingsOf(new App({ context: { stage, logRetention: stage === 'staging' ? '30' : '365' } }));
    new ServiceStack(app, stage, { settings, env: { account: '111122223333', region: 'us-east-2' } });
  }
  app.synth();
  const { artifacts } = JSON.parse(readFileSync(join(outdir, 'manifest.json'), 'utf8'));
  const seen = ['staging', 'production'].map((stage) => {
    const { Resources } = JSON.parse(readFileSync(join(outdir, `${stage}.template.json`), 'utf8'));
    const logs = Object.values<any>(Resources).filter(({ Type }) => Type === 'AWS::Logs::LogGroup');
    const { stackName } = artifacts[stage].properties;
    const days = [...new Set(logs.map(({ Properties }) => Properties.RetentionInDays))];
    return [stackName, Resources.Api.Properties.Name, days, artifacts[stage].environment];
  });
  const where = 'aws://111122223333/us-east-2';
  expect(seen).toEqual([
    ['Levy-staging', 'Levy-staging', [30], where],
    ['Levy-production', 'Levy-production', [365], where],
  ]);
});
