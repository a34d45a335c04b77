/** What a synthesis prints besides warnings: nothing, or one sentence about a wrong setting. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { synthesize } from './synthesized.ts';

type Flag = {
  readonly userValue?: unknown;
  readonly recommendedValue: unknown;
  readonly unconfiguredBehavesLike?: { readonly v2?: unknown };
};
type Artifact = { readonly type: string; readonly properties: { readonly flags: Record<string, Flag> } };

it('configures every flag of the CDK that differs from its recommendation, which the CLI would count', () => {
  const { artifacts } = JSON.parse(readFileSync(join(synthesize().outdir, 'manifest.json'), 'utf8'));
  const report = (Object.values(artifacts) as Artifact[]).find(({ type }) => type === 'cdk:feature-flag-report');
  const flags = Object.entries(report?.properties.flags ?? {});
  expect(flags.length).toBeGreaterThan(50);
  const counted = flags.filter(
    ([, { userValue, recommendedValue, unconfiguredBehavesLike: by }]) =>
      userValue === undefined && (by?.v2 ?? false) !== recommendedValue,
  );
  expect(counted.map(([name]) => name)).toEqual([]);
});

it.each([
  [{ stage: 'Production' }, /^The context value stage is 'Production'\. .+\n$/],
  [{ alarmMail: 'tax@example.com' }, /^The context value alarmMail is 'tax@example\.com'\. .+\n$/],
])('a wrong setting ends the app with one line and no stack: %j', (context, line) => {
  const app = fileURLToPath(new URL('../../infra/app.ts', import.meta.url));
  const env = { ...process.env, NODE_OPTIONS: '', CDK_CONTEXT_JSON: JSON.stringify(context) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [app], { env, encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(line);
});
