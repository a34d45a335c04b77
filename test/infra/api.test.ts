/** The API's methods, functions and gateway responses, and the gradual deployment of the functions. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { endpoints, methodsByPath } from '../../functions/endpoints.ts';
import { read as getConsole } from '../../functions/get-console.ts';
import { read as getDocs } from '../../functions/get-docs.ts';
import { safetyHeaders } from '../../shared/api/response.ts';
import { type Code, errorStatuses } from '../../shared/base/error-codes.ts';
import {
  deployments,
  flat,
  functionAt,
  getFunction,
  getId,
  listed,
  listMethods,
  listStatements,
  type Properties,
  type Synthesized,
} from './synthesized.ts';

const { standard: synthesized, everySetting: all, withoutConsole, disposable } = deployments;
const { at, ofType, listProperties, template } = synthesized;
const methods = listMethods(synthesized);
const getStage = (deployment: Synthesized): Properties => deployment.listProperties('AWS::ApiGateway::Stage')[0];

it.each(Object.entries(endpoints))('defines the method that calls %s', (operation, { method, path }) => {
  const here = methods.filter((one) => one.path === path);
  const [handler] = getFunction(synthesized, operation);
  const called = `${handler}Live`;
  // API Gateway calls the alias. Without it, a deployment would reach all requests at once.
  expect(here.filter((one) => one.method === method)).toMatchObject([{ type: 'aws_proxy', handler, called }]);
  // ANY comes first because SAM uses the last match in a template.
  expect(here[0]).toMatchObject({ method: 'ANY', handler: 'MethodNotAllowed', type: 'aws_proxy' });
  const callers = listProperties('AWS::Lambda::Permission').filter(
    ({ FunctionName }) => functionAt(synthesized, FunctionName) === handler,
  );
  expect(callers.map(({ FunctionName, Principal }) => [flat(FunctionName), Principal])).toEqual([
    [called, 'apigateway.amazonaws.com'],
  ]);
  expect(flat(callers[0].SourceArn)).toMatch(new RegExp(`:Api/v1/${method}${path.replace('{id}', '\\*')}$`));
});

it('allows no other methods, and allows only the API to invoke its functions', () => {
  const { Variables } = getFunction(synthesized, 'method-not-allowed')[1].Properties.Environment;
  expect(JSON.parse(Variables.METHODS_BY_PATH)).toEqual(methodsByPath);
  expect(methods).toHaveLength(
    // The additional method is the catch-all of the TaxJar-compatible API.
    Object.keys(endpoints).length + new Set(Object.values(endpoints).map(({ path }) => path)).size + 1,
  );
  // The local service has controls that need no key.
  expect(methods.filter(({ path }) => path.includes('_local'))).toEqual([]);
  for (const type of ['ApiGateway::Method', 'ApiGateway::Resource', 'Lambda::Url', 'Events::EventBusPolicy'])
    expect(ofType(`AWS::${type}`)).toEqual([]);
  const principals = listProperties('AWS::Lambda::Permission').map(({ Principal }) => Principal);
  expect(new Set(principals)).toEqual(new Set(['apigateway.amazonaws.com']));
});

it('runs every function on arm64 without a log filter by level, which would drop lines without a level', () => {
  for (const of of [synthesized, all])
    for (const { Architectures, LoggingConfig, TracingConfig } of of.listProperties('AWS::Lambda::Function'))
      expect([Architectures, LoggingConfig, TracingConfig]).toEqual([
        ['arm64'],
        { LogFormat: 'JSON', LogGroup: { Ref: 'FunctionLogs' } },
        of === all ? { Mode: 'Active' } : undefined,
      ]);
});

it('passes the issuer, the claims and the scopes only to functions that authenticate, and to the console', () => {
  const getOidc = (operation: string) => {
    const { Variables } = getFunction(all, operation)[1].Properties.Environment;
    return Object.entries(Variables).filter(([name]) => name.startsWith('OIDC_'));
  };
  const expected = getOidc('create-calculation');
  expect(expected).toHaveLength(9);
  for (const [operation, { scope }] of Object.entries(endpoints))
    expect([operation, getOidc(operation)]).toEqual([
      operation,
      scope === null && operation !== 'get-console' ? [] : expected,
    ]);
});

it('limits the public documents to 500 GB a day without compression, as deployment.md states', async () => {
  const openapi = readFileSync(new URL('../../shared/api/openapi.json', import.meta.url), 'utf8');
  const texts = await Promise.all([getDocs().text, getConsole().text, openapi]);
  // The throttle is two requests per second.
  expect(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) * 172_800).toBeLessThan(500e9);
});

it('creates the API Gateway error log before the stage, because API Gateway would create it without retention', () => {
  expect(ofType('AWS::ApiGateway::Stage').map(([, { DependsOn }]) => DependsOn?.includes('ExecutionLog'))).toEqual([
    true,
  ]);
});

it("removes the console's path with console=false, deploys the changed definition and keeps the stage", () => {
  for (const [of, has] of [
    [synthesized, true],
    [withoutConsole, false],
  ] as const)
    expect([listMethods(of).some(({ path }) => path === '/console'), 'Console' in of.template.Outputs]).toEqual([
      has,
      has,
    ]);
  const settings: Properties[] = getStage(withoutConsole).MethodSettings;
  expect(settings.map(({ ResourcePath }) => ResourcePath)).toEqual(['/*', '/~1openapi.json', '/~1docs']);
  expect(getStage(withoutConsole).DeploymentId).not.toEqual(getStage(synthesized).DeploymentId);
  expect(withoutConsole.ofType('AWS::ApiGateway::Stage')[0]?.[0]).toBe(ofType('AWS::ApiGateway::Stage')[0]?.[0]);
});

const responses: Record<string, Properties> = at('Api').Body['x-amazon-apigateway-gateway-responses'];

// Written by hand. On an unknown path, API Gateway parses a bearer token as a signature.
const statuses: Record<string, number> = {
  MISSING_AUTHENTICATION_TOKEN: 404,
  INVALID_SIGNATURE: 404,
  DEFAULT_4XX: 404,
  REQUEST_TOO_LARGE: 413,
  THROTTLED: 429,
  QUOTA_EXCEEDED: 429,
  INTEGRATION_TIMEOUT: 503,
  DEFAULT_5XX: 500,
};

it('defines a gateway response for each refusal that needs no function', () =>
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(Object.keys(statuses))));

it.each(Object.entries(responses))('defines the gateway response %s as one error in the envelope', (type, response) => {
  const { statusCode, responseTemplates, responseParameters } = response;
  expect(statusCode).toBe(statuses[type] ?? statusCode);
  expect(Object.keys(responseTemplates)).toEqual(['application/json']);
  const text = responseTemplates['application/json'];
  const { errors, ...others } = JSON.parse(text);
  expect([others, errors]).toEqual([
    {},
    [
      {
        status: String(errorStatuses[errors[0].code as Code]),
        code: errors[0].code,
        title: expect.stringMatching(/^[A-Z]/),
        detail: expect.stringMatching(/\.$/),
        source: { pointer: null },
        meta: { request_id: '$context.requestId' },
      },
    ],
  ]);
  expect(String(statusCode)).toBe(errors[0].status);
  // A variable could echo input from the client.
  expect(text.replace('$context.requestId', '')).not.toContain('$');
  const getHeader = (name: string): string | undefined => responseParameters[`gatewayresponse.header.${name}`];
  for (const [name, value] of Object.entries(safetyHeaders))
    expect(getHeader(name)).toBe(`'${value.replaceAll(" 'none'", '')}'`);
  expect(Object.keys(responseParameters).filter((name) => /access-control/i.test(name))).toEqual([]);
  expect(getHeader('X-Request-Id')).toBe('context.requestId');
  expect(['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'].map(getHeader)).toEqual(
    statusCode === 429 ? ["'1'", "'5000'", "'0'"] : [undefined, undefined, undefined],
  );
});

const served = [...Object.keys(endpoints), 'method-not-allowed', 'taxjar'].map(
  (entry) => getFunction(synthesized, entry)[0],
);

it.each(ofType('AWS::Lambda::Function').map(([id]) => id))(
  'calls %s through the alias of its published version, which the next deployment retains',
  (handler) => {
    const alias = at(`${handler}Live`);
    expect([alias.Name, flat(alias.FunctionName)]).toEqual(['live', handler]);
    const version = template.Resources[getId(alias.FunctionVersion)];
    expect([version?.Type, flat(version?.Properties.FunctionName)]).toEqual(['AWS::Lambda::Version', handler]);
    // RetainExceptOnCreate: a failed deployment deletes the version that it published.
    expect([version?.DeletionPolicy, version?.UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
  },
);

it.each(served)('sends 10% of the requests to a new version of %s first, and rolls back on an alarm', (handler) => {
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
  const [errors, failures] = AlarmConfiguration.Alarms.map(({ Name }: Properties) => flat(Name));
  expect(failures).toMatch(/^TaxApiDeploymentsFailures/);
  // The alarm sums the errors of the aliases that shift together, including this one.
  const watched = at(errors).Metrics.flatMap(({ MetricStat }: Properties) =>
    MetricStat ? [MetricStat.Metric.Dimensions.map(({ Value }: Properties) => flat(Value))] : [],
  );
  expect(watched).toContainEqual([handler, `${handler}:live`]);
  expect(watched.length).toBeLessThanOrEqual(5);
});

it("allows CodeDeploy to shift only the API's aliases", () => {
  const moves = listStatements(synthesized)
    .filter(({ Action }) => listed(Action).includes('lambda:UpdateAlias'))
    .flatMap(({ Resource: on }) => listed(on).map(flat));
  expect(moves.sort()).toEqual(served.flatMap((id) => [`${id}.Arn`, `${id}.Arn:*`]).sort());
});

it('shifts 10% each minute with rollout=linear, and needs no CodeDeploy with rollout=all-at-once', () => {
  const configs = all.listProperties('AWS::CodeDeploy::DeploymentGroup').map((group) => group.DeploymentConfigName);
  expect(new Set(configs)).toEqual(new Set(['CodeDeployDefault.LambdaLinear10PercentEvery1Minute']));
  expect(disposable.ofType('AWS::CodeDeploy::DeploymentGroup')).toEqual([]);
  expect(disposable.ofType('AWS::Lambda::Alias')).toHaveLength(disposable.ofType('AWS::Lambda::Function').length);
});

/**
 * Returns the rounds of an update of every function: CloudFormation starts an alias after all its dependencies have
 * shifted.
 */
const listRounds = ({ ofType: resources }: Synthesized): string[][] => {
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

it.each(['standard', 'everySetting'] as const)(
  'shifts the traffic of at most five functions at a time, the busiest first (%s)',
  (name) => {
    const rounds = listRounds(deployments[name]);
    expect(rounds.flat().sort()).toEqual(served.map((id) => `${id}Live`).sort());
    for (const round of rounds) expect(round.length).toBeLessThanOrEqual(5);
    expect(rounds.length).toBeLessThanOrEqual(Math.ceil(served.length / 5));
    // An error in shared code is then detected before most functions have it.
    expect(rounds[0]).toEqual(expect.arrayContaining(['CreateCalculationLive', 'CreateTransactionLive']));
  },
);
