import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endpoints, methodsByPath } from '../../functions/endpoints.ts';
import { read as getConsole } from '../../functions/get-console.ts';
import { read as getDocs } from '../../functions/get-docs.ts';
import { type Code, errorCodes } from '../../shared/base/error-codes.ts';
import { safetyHeaders } from '../../shared/http/reply.ts';
import {
  everySetting,
  flat,
  functionAt,
  functionOf,
  type MethodSetting,
  methodsOf,
  type Properties,
  type Resource,
  synthesize,
} from './synthesized.ts';

const synthesized = synthesize();
const { ofType, propertiesOf, template } = synthesized;
const methods = methodsOf(synthesized);

const throttleOf = (one: MethodSetting) => [one.ThrottlingRateLimit, one.ThrottlingBurstLimit];

describe.each(Object.entries(endpoints))('%s', (operation, { method, path }) => {
  const here = methods.filter((at) => at.path === path);

  it('has its method with its own function', () => {
    const found = here.filter((at) => at.method === method);
    expect(found).toEqual([expect.objectContaining({ type: 'AWS_PROXY' })]);
    expect(found[0]?.handler?.toLowerCase()).toBe(operation.replaceAll('-', ''));
    // The alias, not the function: otherwise a deployment would reach all requests at once.
    expect(found[0]?.called).toBe(`${found[0]?.handler}Live`);
  });

  it('has a path whose other methods are refused, listed first for SAM', () => {
    expect(here[0]).toMatchObject({ method: 'ANY', path, handler: 'MethodNotAllowed', type: 'AWS_PROXY' });
  });

  it('can be called by this API on this path only', () => {
    const { handler, called } = here.find((at) => at.method === method) ?? {};
    const callers = propertiesOf('AWS::Lambda::Permission').filter(
      ({ FunctionName }) => functionAt(synthesized, FunctionName) === handler,
    );
    expect(callers.map(({ FunctionName }) => flat(FunctionName))).toEqual([called]);
    expect(callers.map(({ Principal }) => Principal)).toEqual(['apigateway.amazonaws.com']);
    expect(flat(callers[0]?.['SourceArn'])).toMatch(new RegExp(`:Api/\\w+/${method}${path.replace('{id}', '\\*')}$`));
  });
});

it('has no other methods than the defined endpoints, and routes the rest to method-not-allowed', () => {
  const { Variables } = functionOf(synthesized, 'method-not-allowed')[1].Properties['Environment'];
  expect(JSON.parse(Variables['METHODS_BY_PATH'] ?? '')).toEqual(methodsByPath);
  const paths = new Set(Object.values(endpoints).map(({ path }) => path));
  expect(methods).toHaveLength(Object.keys(endpoints).length + paths.size);
});

it('has a fixed logical id, and outputs its address without a final slash and the names of the tables', () => {
  expect(ofType('AWS::ApiGateway::RestApi').map(([id]) => id)).toEqual(['Api']);
  expect(Object.keys(template.Outputs)).toEqual(expect.arrayContaining(['Url', 'AccountsTable']));
  for (const table of ['TransactionsTable', 'AccountsTable', 'ContentTable'])
    expect([table, template.Outputs[table]?.Value]).toEqual([table, { Ref: table }]);
  expect(flat(template.Outputs['Url']?.Value)).toMatch(/^https:\/\/Api\.execute-api\..*\/\w+$/);
});

it('throttles requests, logs accesses, and never logs a body', () => {
  const [[, stage]] = ofType('AWS::ApiGateway::Stage') as [[string, Resource]];
  expect(stage.Properties['AccessLogSetting'].Format).toContain('$context.requestId');
  const [all, ...others] = stage.Properties['MethodSettings'];
  expect(all).toMatchObject({ HttpMethod: '*', ResourcePath: '/*', DataTraceEnabled: false });
  expect(throttleOf(all)).toEqual([5000, 2500]);
  // An override replaces every setting of the stage.
  for (const { ResourcePath: _path, HttpMethod: _method, ...settings } of others)
    expect(settings).toEqual({
      MetricsEnabled: all.MetricsEnabled,
      LoggingLevel: all.LoggingLevel,
      DataTraceEnabled: false,
      ThrottlingRateLimit: 2,
      ThrottlingBurstLimit: 20,
    });
});

it("has a throttle for each public document, so that strangers do not use the accounts' throttle", () => {
  const [[, stage]] = ofType('AWS::ApiGateway::Stage') as [[string, Resource]];
  const own = stage.Properties['MethodSettings'].slice(1);
  // By hand. API Gateway refuses a setting of the method ANY when it deploys ("Invalid method setting path").
  expect(own.map(({ HttpMethod, ResourcePath }) => `${HttpMethod} ${ResourcePath}`).sort()).toEqual([
    'GET /~1console',
    'GET /~1docs',
    'GET /~1openapi.json',
  ]);
});

it('limits the public documents to 500 GB a day without compression, as in deployment.md', async () => {
  const texts = await Promise.all([
    getDocs().text,
    getConsole().text,
    readFileSync(new URL('../../shared/http/openapi.json', import.meta.url), 'utf8'),
  ]);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  // Two a second.
  expect(bytes * 172_800).toBeLessThan(500e9);
});

it('creates the log of API Gateway errors before the stage, because API Gateway would create one without retention', () => {
  const [[id, log], ...others] = ofType('AWS::Logs::LogGroup').filter(
    ([, { Properties }]) => 'LogGroupName' in Properties,
  ) as [[string, Resource]];
  expect(others).toEqual([]);
  expect(log.Properties['LogGroupName']).toEqual({
    'Fn::Join': ['', ['API-Gateway-Execution-Logs_', { Ref: 'Api' }, '/v1']],
  });
  expect([log.Properties['RetentionInDays'], log.DeletionPolicy]).toEqual([90, 'Delete']);
  const [[, stage]] = ofType('AWS::ApiGateway::Stage') as [[string, Resource]];
  expect(stage.Properties['StageName']).toBe('v1');
  expect(stage.DependsOn).toContain(id);
});

it('accepts TLS 1.2 or newer, and compresses long responses as text', () => {
  const [api] = propertiesOf('AWS::ApiGateway::RestApi');
  expect(api).toMatchObject({ SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', EndpointAccessMode: 'BASIC' });
  expect(api?.['MinimumCompressionSize']).toBe(16_384);
  // Binary types would be sent as Base64 to clients that do not name the exact type (decision 0014).
  expect(api?.['BinaryMediaTypes']).toBeUndefined();
});

it('traces requests and publishes metrics of methods only with tracing=true and methodMetrics=true', () => {
  const all = synthesize(everySetting);
  for (const [of, isOn] of [
    [synthesize(), false],
    [all, true],
  ] as const) {
    const [stage] = of.propertiesOf('AWS::ApiGateway::Stage') as [Properties];
    expect(stage['TracingEnabled']).toBe(isOn);
    expect(stage['MethodSettings'].length).toBeGreaterThan(2);
    for (const { MetricsEnabled } of stage['MethodSettings']) expect(MetricsEnabled).toBe(isOn);
    for (const { TracingConfig } of of.propertiesOf('AWS::Lambda::Function'))
      expect(TracingConfig).toEqual(isOn ? { Mode: 'Active' } : undefined);
  }
});

it('filters no log by level, which would drop lines without one', () => {
  for (const { Architectures, LoggingConfig } of propertiesOf('AWS::Lambda::Function')) {
    expect(Architectures).toEqual(['arm64']);
    expect(LoggingConfig?.ApplicationLogLevel).toBeUndefined();
  }
});

it('functions can be invoked through the API only', () => {
  expect(ofType('AWS::Lambda::Url')).toEqual([]);
  const principals = propertiesOf('AWS::Lambda::Permission').map(({ Principal }) => Principal);
  expect(new Set(principals)).toEqual(new Set(['apigateway.amazonaws.com']));
});

const responses = propertiesOf('AWS::ApiGateway::GatewayResponse');

describe.each(responses.map((response) => [response['ResponseType'], response]))(
  'the gateway response %s',
  (_type, response) => {
    const [contentType, text] = Object.entries<string>(response['ResponseTemplates'])[0] as [string, string];
    const { errors } = JSON.parse(text);
    const headers = Object.fromEntries(
      Object.entries(response['ResponseParameters']).map(([name, value]) => [
        name.replace('gatewayresponse.header.', ''),
        value,
      ]),
    );

    it('is one error in the envelope, with a known code and its status', () => {
      expect(contentType).toBe('application/json');
      expect(Object.keys(JSON.parse(text))).toEqual(['errors']);
      expect(errors).toEqual([
        {
          status: response['StatusCode'],
          code: expect.toSatisfy((code) => Object.hasOwn(errorCodes, code)),
          title: expect.stringMatching(/^[A-Z]/),
          detail: expect.stringMatching(/\.$/),
          source: { pointer: null },
          meta: { request_id: '$context.requestId' },
        },
      ]);
      expect(response['StatusCode']).toBe(String(errorCodes[errors[0].code as Code].status));
    });

    it('has no variable except the request id, because a variable could repeat what a client sent', () => {
      expect(text.replace('$context.requestId', '')).not.toContain('$');
    });

    it('has the safety headers, quoted once, and no CORS', () => {
      for (const [name, value] of Object.entries(safetyHeaders)) {
        expect(headers[name], name).toMatch(/^'[^']+'$/);
        expect(String(headers[name]).slice(1, -1), name).toBe(value.replaceAll(" 'none'", ''));
      }
      expect(Object.keys(headers).filter((name) => /^access-control/i.test(name))).toEqual([]);
    });

    it('has the request id, and Retry-After only with 429', () => {
      expect(headers['X-Request-Id']).toBe('context.requestId');
      const limits = ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'].map((name) => headers[name]);
      expect(limits).toEqual(
        response['StatusCode'] === '429' ? ["'1'", "'5000'", "'0'"] : [undefined, undefined, undefined],
      );
    });
  },
);

it.each([
  // A bearer token on an unknown path is read by the gateway as a signature.
  ['MISSING_AUTHENTICATION_TOKEN', '404'],
  ['INVALID_SIGNATURE', '404'],
  ['DEFAULT_4XX', '404'],
  ['REQUEST_TOO_LARGE', '413'],
  ['THROTTLED', '429'],
  ['QUOTA_EXCEEDED', '429'],
  ['INTEGRATION_TIMEOUT', '503'],
  ['DEFAULT_5XX', '500'],
])('%s is answered with %s', (type, status) => {
  expect(responses.find(({ ResponseType }) => ResponseType === type)?.['StatusCode']).toBe(status);
});
