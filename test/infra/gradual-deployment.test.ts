import { describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import {
  disposable,
  everySetting,
  flat,
  functionOf,
  idOf,
  listed,
  type Properties,
  statementsOf,
  synthesize,
} from './synthesized.ts';

const synthesized = synthesize();
const { at, ofType, template } = synthesized;
const functions = ofType('AWS::Lambda::Function').map(([id]) => id);
const served = [...Object.keys(endpoints), 'method-not-allowed'].map((entry) => functionOf(synthesized, entry)[0]);

describe.each(functions)('%s', (handler) => {
  it('is called by the alias of its published version, which outlives the next deployment', () => {
    const alias = at(`${handler}Live`);
    expect([alias['Name'], flat(alias['FunctionName'])]).toEqual(['live', handler]);
    const version = template.Resources[idOf(alias['FunctionVersion'])];
    expect([version?.Type, flat(version?.Properties['FunctionName'])]).toEqual(['AWS::Lambda::Version', handler]);
    // RetainExceptOnCreate: a failed deployment deletes the version that it published.
    expect([version?.DeletionPolicy, version?.UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
  });
});

it.each(served)('%s receives a tenth of the requests first, and is rolled back on an alarm', (handler) => {
  const { UpdatePolicy } = template.Resources[`${handler}Live`] ?? {};
  const { DeploymentConfigName, AutoRollbackConfiguration, AlarmConfiguration } = at(
    flat(UpdatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName),
  );
  expect(DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes');
  expect(AutoRollbackConfiguration).toEqual({
    Enabled: true,
    Events: expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
  });
  expect(AlarmConfiguration.Enabled).toBe(true);
  const alarms = AlarmConfiguration.Alarms.map(({ Name }: Properties) => at(flat(Name)));
  const [errors, failures] = alarms;
  expect(failures).toMatchObject({
    ...{ MetricName: '5XXError', Period: 60, Threshold: 5 },
    Dimensions: [
      { Name: 'ApiName', Value: 'Levy' },
      { Name: 'Stage', Value: 'v1' },
    ],
  });
  // The sum of the errors of the aliases that shift together, of which this is one.
  const [sum, ...read] = errors.Metrics;
  expect([sum.Expression, sum.ReturnData, errors.Threshold]).toEqual(['SUM(METRICS())', true, 1]);
  const watched = read.map(({ MetricStat: { Metric, Period, Stat } }: Properties) => {
    expect([Metric.MetricName, Period, Stat]).toEqual(['Errors', 60, 'Sum']);
    return Metric.Dimensions.map(({ Value }: Properties) => flat(Value));
  });
  expect(watched).toContainEqual([handler, `${handler}:live`]);
  expect(watched.length).toBeLessThanOrEqual(5);
  for (const { TreatMissingData, ComparisonOperator } of alarms)
    expect([TreatMissingData, ComparisonOperator]).toEqual(['notBreaching', 'GreaterThanOrEqualToThreshold']);
});

it('CodeDeploy may move the aliases of the API only', () => {
  const moves = statementsOf(synthesized)
    .filter(({ Action }) => listed(Action).includes('lambda:UpdateAlias'))
    .flatMap(({ Resource: on }) => listed(on).map(flat));
  expect(moves.sort()).toEqual(served.flatMap((id) => [`${id}.Arn`, `${id}.Arn:*`]).sort());
});

it('rollout=linear moves a tenth each minute, and rollout=all-at-once needs no CodeDeploy', () => {
  const configs = synthesize(everySetting).propertiesOf('AWS::CodeDeploy::DeploymentGroup');
  expect(new Set(configs.map(({ DeploymentConfigName }) => DeploymentConfigName))).toEqual(
    new Set(['CodeDeployDefault.LambdaLinear10PercentEvery1Minute']),
  );
  const quick = synthesize(disposable);
  expect(quick.ofType('AWS::CodeDeploy::DeploymentGroup')).toEqual([]);
  expect(quick.ofType('AWS::Lambda::Alias')).toHaveLength(quick.ofType('AWS::Lambda::Function').length);
});

/** The rounds of an update of every function: CloudFormation starts an alias when all that it depends on have shifted. */
const roundsOf = ({ ofType: resources }: typeof synthesized): string[][] => {
  const waiting = new Map(
    resources('AWS::Lambda::Alias')
      .filter(([, { UpdatePolicy }]) => UpdatePolicy)
      .map(([id, { DependsOn }]) => [id, [DependsOn ?? []].flat()] as const),
  );
  const rounds: string[][] = [];
  while (waiting.size > 0) {
    const round = [...waiting].filter(([, others]) => !others.some((other) => waiting.has(other))).map(([id]) => id);
    if (round.length === 0) throw new Error(`The aliases ${[...waiting.keys()]} wait for each other.`);
    for (const id of round) waiting.delete(id);
    rounds.push(round);
  }
  return rounds;
};

it.each([{}, everySetting])('at most five functions shift at the same time with %j, the busiest first', (context) => {
  const rounds = roundsOf(synthesize(context));
  expect(rounds.flat().sort()).toEqual(served.map((id) => `${id}Live`).sort());
  for (const round of rounds) expect(round.length).toBeLessThanOrEqual(5);
  expect(rounds.length).toBeLessThanOrEqual(Math.ceil(served.length / 5));
  // An error in shared code then appears before most functions have it.
  expect(rounds[0]).toEqual(expect.arrayContaining(['CreateCalculationLive', 'CreateTransactionLive']));
});
