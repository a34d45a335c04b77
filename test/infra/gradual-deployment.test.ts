import { describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { flat, type Resource, synthesize, withoutBundling } from './synthesized.ts';

const { ofType, template } = synthesize();
const functions = ofType('AWS::Lambda::Function').map(([id]) => id);
const served = [...Object.keys(endpoints), 'method-not-allowed'].map((entry) => entry.replaceAll('-', ''));
const aliasOf = (handler: string) =>
  template.Resources[`${handler}Live`] as (Resource & Record<string, any>) | undefined;

describe.each(functions)('%s', (handler) => {
  const alias = aliasOf(handler);

  it('is called by the alias of its published version', () => {
    expect(alias?.Properties['Name']).toBe('live');
    expect(flat(alias?.Properties['FunctionName'])).toBe(handler);
    const version = template.Resources[flat(alias?.Properties['FunctionVersion']).replace(/\.Version$/, '')];
    expect(version?.Type).toBe('AWS::Lambda::Version');
    expect(flat(version?.Properties['FunctionName'])).toBe(handler);
  });

  it('has the version before to go back to, after the next deployment', () => {
    const [, version] = ofType('AWS::Lambda::Version').find(
      ([, { Properties }]) => flat(Properties['FunctionName']) === handler,
    ) as [string, Resource];
    // But for one that a failed deployment has just made.
    expect([version.DeletionPolicy, version.UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
  });
});

it.each(functions.filter((id) => served.includes(id.toLowerCase())))(
  'moves a tenth of the requests of %s first, and goes back on an alarm',
  (handler) => {
    const group =
      template.Resources[flat(aliasOf(handler)?.['UpdatePolicy'].CodeDeployLambdaAliasUpdate.DeploymentGroupName)];
    const { DeploymentConfigName, AutoRollbackConfiguration, AlarmConfiguration } = group?.Properties ?? {};
    expect(DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes');
    expect(AutoRollbackConfiguration).toEqual({
      Enabled: true,
      Events: expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
    });
    expect(AlarmConfiguration.Enabled).toBe(true);
    const alarms = AlarmConfiguration.Alarms.map(({ Name }: any) => template.Resources[flat(Name)]?.Properties);
    const watched = alarms.map(({ MetricName, Dimensions }: any) => [
      MetricName,
      Dimensions.map(({ Value }: any) => (typeof Value === 'string' ? Value : JSON.stringify(Value))).join(' '),
    ]);
    expect(watched).toEqual([
      ['Errors', expect.stringContaining(`"Ref":"${handler}"`)],
      ['5XXError', 'Levy v1'],
    ]);
    // An hour without requests is no reason to go back.
    for (const alarm of alarms) expect([alarm.TreatMissingData, alarm.Period]).toEqual(['notBreaching', 60]);
    for (const alarm of alarms) expect(alarm.ComparisonOperator).toBe('GreaterThanOrEqualToThreshold');
  },
);

it('may move the aliases of the API, and no other', () => {
  const moves = ofType('AWS::IAM::Policy')
    .flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement)
    .filter(({ Action }: any) => [Action].flat().includes('lambda:UpdateAlias'))
    .flatMap(({ Resource: on }: any) => on.map(flat));
  const ids = functions.filter((id) => served.includes(id.toLowerCase()));
  expect(moves.sort()).toEqual(ids.flatMap((id) => [`${id}.Arn`, `${id}.Arn:*`]).sort());
});

it('moves at once where a deployment says so, and asks nobody to watch', () => {
  const quick = synthesize({ ...withoutBundling, stage: 'dev', rollout: 'all-at-once' });
  expect(quick.ofType('AWS::CodeDeploy::DeploymentGroup')).toEqual([]);
  expect(quick.ofType('AWS::Lambda::Alias')).toHaveLength(functions.length);
});
