import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bundledSdk } from '../support/bundled-sdk.ts';

const { DynamoDBClient: BundledClient, GetItemCommand } = bundledSdk();
const given = { region: 'us-east-1', maxAttempts: 3, requestHandler: { requestTimeout: 1500 } };
const real = new DynamoDBClient(given);
const bundled = new BundledClient(given);

afterEach(() => vi.unstubAllEnvs());

describe('the client of the bundles, beside that of the SDK,', () => {
  it('has all settings but those that no step of our calls reads', () => {
    const keys = (client: DynamoDBClient) => Object.keys(client.config).sort();
    const left = keys(real).filter((key) => !keys(bundled).includes(key));
    expect(keys(bundled).filter((key) => !keys(real).includes(key))).toEqual([]);
    expect(left).toEqual([
      'accountIdEndpointMode',
      'customUserAgent',
      'defaultSocketTimeout',
      'defaultUserAgentProvider',
      'defaultsMode',
      'endpointCache',
      'endpointDiscoveryCommandCtor',
      'endpointDiscoveryEnabled',
      'endpointDiscoveryEnabledProvider',
      'extensions',
      'isClientEndpointDiscoveryEnabled',
      'retryMode',
      'urlParser',
      'userAgentAppId',
    ]);
  });

  it('takes the same steps in the same order, but for the log that nobody reads', () => {
    const steps = real.middlewareStack.identify().filter((step) => !step.startsWith('loggerMiddleware'));
    expect(bundled.middlewareStack.identify()).toEqual(steps);
  });

  it.each(['maxAttempts', 'useDualstackEndpoint', 'useFipsEndpoint', 'region', 'disableClockSkewCorrection'] as const)(
    'has the same %s',
    async (key) => expect(await bundled.config[key]()).toBe(await real.config[key]()),
  );

  it.each(['serviceId', 'defaultSigningName', 'signingEscapePath', 'disableHostPrefix', 'runtime', 'tls'] as const)(
    'has the same %s',
    (key) => expect(bundled.config[key as 'serviceId']).toBe(real.config[key as 'serviceId']),
  );

  it('retries as often and after the same pauses', async () => {
    const plain = async (client: DynamoDBClient) => JSON.parse(JSON.stringify(await client.config.retryStrategy()));
    expect(await plain(bundled)).toEqual(await plain(real));
  });
});

describe('the endpoint', () => {
  const at = (Region: string, Endpoint?: string, UseFIPS = false, UseDualStack = false) =>
    ({ Region, UseFIPS, UseDualStack, ...(Endpoint && { Endpoint }) }) as const;
  const resolved = (client: DynamoDBClient, ...parameters: Parameters<typeof at>) => {
    const { url, properties, headers } = client.config.endpointProvider(at(...parameters));
    return { url: url.href, properties: { ...properties, metricValues: undefined }, headers };
  };

  it.each([
    ...['us-east-1', 'us-west-2', 'eu-central-1', 'eu-south-2', 'ap-southeast-7', 'sa-east-1', 'ca-west-1'],
    ...['me-central-1', 'af-south-1', 'il-central-1', 'mx-central-1', 'us-gov-west-1', 'us-gov-east-1'],
    ...['cn-north-1', 'cn-northwest-1'],
  ])('of %s is the one that the SDK knows', (region) => {
    expect(resolved(bundled, region)).toEqual(resolved(real, region));
  });

  it('that is configured goes before that of the region', () => {
    const local = 'http://127.0.0.1:8000';
    expect(resolved(bundled, 'us-east-1', local)).toEqual(resolved(real, 'us-east-1', local));
  });

  it.each(['us-iso-east-1', 'us-isob-east-1', 'eu-isoe-west-1', 'eusc-de-east-1', 'local', 'us-east-1.evil.example'])(
    'of %s is an error and no guess',
    (region) => expect(() => resolved(bundled, region)).toThrow(`in the region "${region}"`),
  );

  it.each([
    ['FIPS', true, false],
    ['dual-stack', false, true],
  ])('for %s is an error and no guess', (_, fips, dualStack) => {
    expect(() => resolved(bundled, 'us-east-1', undefined, fips, dualStack)).toThrow('no FIPS and no dual-stack');
  });

  it.each(['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'])(
    'is refused where %s asks for another',
    async (name) => {
      for (const key of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(key, 'local');
      vi.stubEnv(name, 'true');
      const call = bundled.send(new GetItemCommand({ TableName: 'accounts', Key: { pk: { S: 'a' } } }));
      await expect(call).rejects.toThrow('no FIPS and no dual-stack');
    },
  );
});

it('the environment names an endpoint too, as emulators of the cloud have it', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
  expect(await new BundledClient(given).config.endpoint?.()).toMatchObject({ hostname: '127.0.0.1', port: 4566 });
  const configured = new BundledClient({ ...given, endpoint: 'http://127.0.0.1:8000' });
  expect(await configured.config.endpoint?.()).toMatchObject({ port: 8000 });
});

it('a setting that the client of the bundles does not know is an error', () => {
  expect(() => new BundledClient({ ...given, retryMode: 'adaptive' })).toThrow('has no setting retryMode');
  expect(() => new BundledClient({ region: 'us-east-1' })).toThrow('a number of attempts');
});
