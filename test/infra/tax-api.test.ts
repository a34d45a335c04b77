import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { endpoints, methodsByPath } from '../../functions/endpoints.ts';
import { read as getConsole } from '../../functions/get-console.ts';
import { read as getDocs } from '../../functions/get-docs.ts';
import { safetyHeaders } from '../../shared/api/reply.ts';
import { type Code, errorCodes } from '../../shared/base/error-codes.ts';
import { everySetting, flat, functionAt, functionOf, methodsOf, type Properties, synthesize } from './synthesized.ts';

const synthesized = synthesize();
const { at, ofType, propertiesOf, template } = synthesized;
const methods = methodsOf(synthesized);
const stageOf = (of: typeof synthesized): Properties => of.propertiesOf('AWS::ApiGateway::Stage')[0];
const [[stageId, stageResource]] = ofType('AWS::ApiGateway::Stage') as [ReturnType<typeof ofType>[number]];
const tls = 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09';

it.each(Object.entries(endpoints))('%s has its method, which calls its own function', (operation, { method, path }) => {
  const here = methods.filter((one) => one.path === path);
  const found = here.filter((one) => one.method === method);
  expect(found).toEqual([expect.objectContaining({ type: 'aws_proxy' })]);
  const { handler, called } = found[0] ?? {};
  expect(handler?.toLowerCase()).toBe(operation.replaceAll('-', ''));
  // Not the function: without the alias, a deployment would reach all requests at once.
  expect(called).toBe(`${handler}Live`);
  // For SAM, ANY is first: the last one of a template wins.
  expect(here[0]).toMatchObject({ method: 'ANY', path, handler: 'MethodNotAllowed', type: 'aws_proxy' });
  const callers = propertiesOf('AWS::Lambda::Permission').filter(
    ({ FunctionName }) => functionAt(synthesized, FunctionName) === handler,
  );
  expect(callers.map(({ FunctionName, Principal }) => [flat(FunctionName), Principal])).toEqual([
    [called, 'apigateway.amazonaws.com'],
  ]);
  expect(flat(callers[0].SourceArn)).toMatch(new RegExp(`:Api/v1/${method}${path.replace('{id}', '\\*')}$`));
});

it('has no other methods than the defined endpoints, and gives their methods to method-not-allowed', () => {
  const { Variables } = functionOf(synthesized, 'method-not-allowed')[1].Properties.Environment;
  expect(JSON.parse(Variables.METHODS_BY_PATH)).toEqual(methodsByPath);
  const paths = new Set(Object.values(endpoints).map(({ path }) => path));
  expect(methods).toHaveLength(Object.keys(endpoints).length + paths.size);
  // All methods are in the definition.
  expect([ofType('AWS::ApiGateway::Method'), ofType('AWS::ApiGateway::Resource')]).toEqual([[], []]);
});

it('has a fixed logical id, and outputs its address without a final slash', () => {
  expect(ofType('AWS::ApiGateway::RestApi').map(([id]) => id)).toEqual(['Api']);
  expect(flat(template.Outputs['Url']?.Value)).toMatch(/^https:\/\/Api\.execute-api\..*\/\w+$/);
});

it('throttles requests, logs accesses, and never logs a body', () => {
  expect(stageOf(synthesized).AccessLogSetting.Format).toContain('$context.requestId');
  const [all, ...others] = stageOf(synthesized).MethodSettings;
  const rates = { ThrottlingRateLimit: 5000, ThrottlingBurstLimit: 2500 };
  expect(all).toMatchObject({ HttpMethod: '*', ResourcePath: '/*', DataTraceEnabled: false, ...rates });
  // By hand. API Gateway refuses a setting of the method ANY when it deploys ("Invalid method setting path"). An override replaces
  // every setting of the stage. Strangers do not use the throttle of the accounts.
  const documents = ['/~1console', '/~1docs', '/~1openapi.json'].map((ResourcePath) => ({
    ...{ ...all, ResourcePath, HttpMethod: 'GET' },
    ...{ ThrottlingRateLimit: 2, ThrottlingBurstLimit: 20 },
  }));
  expect(others).toHaveLength(documents.length);
  expect(others).toEqual(expect.arrayContaining(documents));
});

it('the public documents send at most 500 GB a day without compression, as deployment.md says', async () => {
  const texts = await Promise.all([
    getDocs().text,
    getConsole().text,
    readFileSync(new URL('../../shared/api/openapi.json', import.meta.url), 'utf8'),
  ]);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  // Two a second.
  expect(bytes * 172_800).toBeLessThan(500e9);
});

it('creates the log of API Gateway errors before the stage, because API Gateway would create one without retention', () => {
  const named = ofType('AWS::Logs::LogGroup').filter(([, { Properties }]) => 'LogGroupName' in Properties);
  expect(named.map(([id, { DeletionPolicy, Properties }]) => [id, DeletionPolicy, Properties])).toEqual([
    [
      'ExecutionLog',
      'Delete',
      {
        LogGroupName: { 'Fn::Join': ['', ['API-Gateway-Execution-Logs_', { Ref: 'Api' }, '/v1']] },
        RetentionInDays: 90,
      },
    ],
  ]);
  expect(stageOf(synthesized).StageName).toBe('v1');
  expect(stageResource.DependsOn).toContain('ExecutionLog');
});

// An import of the definition replaces settings that it does not name.
it.each([synthesized, synthesize(everySetting)])(
  'accepts TLS 1.2 or newer, and compresses long responses as text',
  ({ at: of }) => {
    const { Body: body, ...api } = of('Api');
    expect(api).toMatchObject({ SecurityPolicy: tls, EndpointAccessMode: 'BASIC', MinimumCompressionSize: 16_384 });
    expect(body).toMatchObject({
      'x-amazon-apigateway-security-policy': tls,
      'x-amazon-apigateway-endpoint-access-mode': 'BASIC',
      'x-amazon-apigateway-minimum-compression-size': 16_384,
      'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: api.DisableExecuteApiEndpoint },
    });
    // Binary types would be sent as Base64 to clients that do not name the exact type (decision 0014).
    expect([api.BinaryMediaTypes, body['x-amazon-apigateway-binary-media-types']]).toEqual([undefined, undefined]);
  },
);

it('deploys the definition again when it changes', () => {
  const deploymentOf = (of: typeof synthesized) => stageOf(of).DeploymentId.Ref;
  expect(deploymentOf(synthesize({ console: 'false' }))).not.toBe(deploymentOf(synthesized));
  expect(stageId).toBe(synthesize({ console: 'false' }).ofType('AWS::ApiGateway::Stage')[0]?.[0]);
});

it('traces requests and publishes metrics of methods only with tracing=true and methodMetrics=true', () => {
  for (const [of, isOn] of [
    [synthesized, false],
    [synthesize(everySetting), true],
  ] as const) {
    expect(stageOf(of).TracingEnabled).toBe(isOn);
    expect(stageOf(of).MethodSettings.length).toBeGreaterThan(2);
    for (const { MetricsEnabled } of stageOf(of).MethodSettings) expect(MetricsEnabled).toBe(isOn);
    for (const { TracingConfig } of of.propertiesOf('AWS::Lambda::Function'))
      expect(TracingConfig).toEqual(isOn ? { Mode: 'Active' } : undefined);
  }
});

it('functions can be invoked through the API only, and filter no log by level, which would drop lines without one', () => {
  expect(ofType('AWS::Lambda::Url')).toEqual([]);
  const principals = propertiesOf('AWS::Lambda::Permission').map(({ Principal }) => Principal);
  expect(new Set(principals)).toEqual(new Set(['apigateway.amazonaws.com']));
  for (const { Architectures, LoggingConfig } of propertiesOf('AWS::Lambda::Function')) {
    expect(Architectures).toEqual(['arm64']);
    expect(LoggingConfig).toEqual({ LogFormat: 'JSON', LogGroup: { Ref: 'FunctionLogs' } });
  }
});

const responses: Record<string, Properties> = at('Api').Body['x-amazon-apigateway-gateway-responses'];

it.each(Object.entries(responses))('the gateway response %s is one error in the envelope', (_type, response) => {
  const { statusCode, responseTemplates, responseParameters } = response;
  expect(Object.keys(responseTemplates)).toEqual(['application/json']);
  const text = responseTemplates['application/json'];
  const { errors, ...others } = JSON.parse(text);
  expect(others).toEqual({});
  expect(errors).toEqual([
    {
      status: String(statusCode),
      code: expect.toSatisfy((code) => Object.hasOwn(errorCodes, code)),
      title: expect.stringMatching(/^[A-Z]/),
      detail: expect.stringMatching(/\.$/),
      source: { pointer: null },
      meta: { request_id: '$context.requestId' },
    },
  ]);
  expect(statusCode).toBe(errorCodes[errors[0].code as Code].status);
  // A variable could repeat what a client sent.
  expect(text.replace('$context.requestId', '')).not.toContain('$');
  const headerOf = (name: string): string | undefined => responseParameters[`gatewayresponse.header.${name}`];
  for (const [name, value] of Object.entries(safetyHeaders)) {
    expect(headerOf(name), name).toMatch(/^'[^']+'$/);
    expect(String(headerOf(name)).slice(1, -1), name).toBe(value.replaceAll(" 'none'", ''));
  }
  expect(Object.keys(responseParameters).filter((name) => /access-control/i.test(name))).toEqual([]);
  expect(headerOf('X-Request-Id')).toBe('context.requestId');
  expect(['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'].map(headerOf)).toEqual(
    statusCode === 429 ? ["'1'", "'5000'", "'0'"] : [undefined, undefined, undefined],
  );
});

it('answers each refusal of the gateway with its status', () => {
  // A bearer token on an unknown path is read by the gateway as a signature.
  const expected = {
    ...{ MISSING_AUTHENTICATION_TOKEN: 404, INVALID_SIGNATURE: 404, DEFAULT_4XX: 404, REQUEST_TOO_LARGE: 413 },
    ...{ THROTTLED: 429, QUOTA_EXCEEDED: 429, INTEGRATION_TIMEOUT: 503, DEFAULT_5XX: 500 },
  };
  for (const [type, status] of Object.entries(expected))
    expect([type, responses[type].statusCode]).toEqual([type, status]);
});

it('without the console, the API has no path for it, and no output names it', () => {
  const without = synthesize({ console: 'false' });
  for (const [of, has] of [
    [synthesized, true],
    [without, false],
  ] as const)
    expect([methodsOf(of).some(({ path }) => path === '/console'), 'Console' in of.template.Outputs]).toEqual([
      has,
      has,
    ]);
});
