import { describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { type Code, errorCodes } from '../../shared/error-codes.ts';
import { safetyHeaders } from '../../shared/http/reply.ts';
import { flat, functionAt, methodsOf, type Resource, synthesize } from './synthesized.ts';

const synthesized = synthesize();
const { ofType, template } = synthesized;
const methods = methodsOf(synthesized);

describe.each(Object.entries(endpoints))('%s', (operation, { method, path }) => {
  const here = methods.filter((at) => at.path === path);

  it('has its method, with its own function behind it', () => {
    const found = here.filter((at) => at.method === method);
    expect(found).toEqual([expect.objectContaining({ type: 'AWS_PROXY' })]);
    expect(found[0]?.handler?.toLowerCase()).toBe(operation.replaceAll('-', ''));
    // Past the alias, a deployment would reach everybody at once.
    expect(found[0]?.called).toBe(`${found[0]?.handler}Live`);
  });

  it('stands on a path whose other methods are refused, which SAM must read first', () => {
    expect(here[0]).toMatchObject({ method: 'ANY', path, handler: 'MethodNotAllowed', type: 'AWS_PROXY' });
  });

  it('can be called by this API on this path only', () => {
    const { handler, called } = here.find((at) => at.method === method) ?? {};
    const callers = ofType('AWS::Lambda::Permission')
      .map(([, { Properties }]) => Properties)
      .filter(({ FunctionName }) => functionAt(synthesized, FunctionName) === handler);
    expect(callers.map(({ FunctionName }) => flat(FunctionName))).toEqual([called]);
    expect(callers.map(({ Principal }) => Principal)).toEqual(['apigateway.amazonaws.com']);
    expect(flat(callers[0]?.['SourceArn'])).toMatch(new RegExp(`:Api/\\w+/${method}${path.replace('{id}', '\\*')}$`));
  });
});

it('has no method beside the defined endpoints', () => {
  const paths = new Set(Object.values(endpoints).map(({ path }) => path));
  expect(methods).toHaveLength(Object.keys(endpoints).length + paths.size);
});

it('keeps its address when constructs move, and prints it without a slash at its end', () => {
  expect(ofType('AWS::ApiGateway::RestApi').map(([id]) => id)).toEqual(['Api']);
  expect(Object.keys(template.Outputs)).toEqual(expect.arrayContaining(['Url', 'AccountsTable']));
  // What the commands that work on a deployment are told.
  for (const table of ['TransactionsTable', 'AccountsTable', 'ContentTable'])
    expect([table, template.Outputs[table]?.Value]).toEqual([table, { Ref: table }]);
  expect(flat(template.Outputs['Url'].Value)).toMatch(/^https:\/\/Api\.execute-api\..*\/\w+$/);
});

it('throttles, logs accesses, and never logs a body', () => {
  const [[, stage]] = ofType('AWS::ApiGateway::Stage') as [[string, Resource]];
  expect(stage.Properties['AccessLogSetting'].Format).toContain('$context.requestId');
  expect(stage.Properties['MethodSettings']).toEqual([
    expect.objectContaining({
      HttpMethod: '*',
      ResourcePath: '/*',
      ThrottlingRateLimit: 5000,
      ThrottlingBurstLimit: 2500,
      DataTraceEnabled: false,
    }),
  ]);
});

it('makes the log that API Gateway writes of its errors before the stage, or it would be kept for ever', () => {
  const [[id, log], ...others] = ofType('AWS::Logs::LogGroup').filter(
    ([, { Properties }]) => 'LogGroupName' in Properties,
  ) as [[string, Resource]];
  expect(others).toEqual([]);
  expect(log.Properties['LogGroupName']).toEqual({
    'Fn::Join': ['', ['API-Gateway-Execution-Logs_', { Ref: 'Api' }, '/v1']],
  });
  expect([log.Properties['RetentionInDays'], log.DeletionPolicy]).toEqual([90, 'Delete']);
  const [[, stage]] = ofType('AWS::ApiGateway::Stage') as [[string, Resource & { DependsOn?: string[] }]];
  expect(stage.Properties['StageName']).toBe('v1');
  expect(stage.DependsOn).toContain(id);
});

it('takes TLS 1.2 or newer, with forward secrecy', () => {
  const [[, { Properties: api }]] = ofType('AWS::ApiGateway::RestApi') as [[string, Resource]];
  expect(api).toMatchObject({ SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', EndpointAccessMode: 'BASIC' });
});

it('compresses what is long, and makes no calculation wait for it', () => {
  const [[, { Properties: api }]] = ofType('AWS::ApiGateway::RestApi') as [[string, Resource]];
  expect(api['MinimumCompressionSize']).toBe(16_384);
  // Bytes would be sent as Base64 to whoever does not ask for them by their very type (decision 0014).
  expect(api['BinaryMediaTypes']).toBeUndefined();
});

it('traces every request, and every function', () => {
  const [[, stage]] = ofType('AWS::ApiGateway::Stage') as [[string, Resource]];
  expect(stage.Properties['TracingEnabled']).toBe(true);
  for (const [id, { Properties }] of ofType('AWS::Lambda::Function'))
    expect([id, Properties['TracingConfig'], Properties['Architectures']]).toEqual([id, { Mode: 'Active' }, ['arm64']]);
});

it('has no way to a function but the API', () => {
  expect(ofType('AWS::Lambda::Url')).toEqual([]);
  const principals = ofType('AWS::Lambda::Permission').map(([, { Properties }]) => Properties['Principal']);
  expect(new Set(principals)).toEqual(new Set(['apigateway.amazonaws.com']));
});

const responses = ofType('AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties);

it('answers in the envelope whatever the gateway itself refuses', () => {
  // Every type that API Gateway documents falls under one of these or has its own response.
  expect(responses.map(({ ResponseType }) => ResponseType)).toEqual(
    expect.arrayContaining([
      'DEFAULT_4XX',
      'DEFAULT_5XX',
      'MISSING_AUTHENTICATION_TOKEN',
      'THROTTLED',
      'REQUEST_TOO_LARGE',
    ]),
  );
});

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

    it('is one error in the envelope, with a code of ours and its status', () => {
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

    it('holds no variable but the request id, as the gateway would fill in what a client sent', () => {
      expect(text.replace('$context.requestId', '')).not.toContain('$');
    });

    it('carries the safety headers of every answer, quoted once, and no CORS', () => {
      for (const [name, value] of Object.entries(safetyHeaders)) {
        expect(headers[name], name).toMatch(/^'[^']+'$/);
        expect(String(headers[name]).slice(1, -1), name).toBe(value.replaceAll(" 'none'", ''));
      }
      expect(Object.keys(headers).filter((name) => /^access-control/i.test(name))).toEqual([]);
    });

    it('names its request, and says when to come again exactly if it is a 429', () => {
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
