import type { DynamoDBClientResolvedConfig } from '@aws-sdk/client-dynamodb';
import {
  defaultDynamoDBHttpAuthSchemeProvider,
  resolveHttpAuthSchemeConfig,
} from '@aws-sdk/client-dynamodb/dist-es/auth/httpAuthSchemeProvider.js';
import { errorTypeRegistries } from '@aws-sdk/client-dynamodb/dist-es/schemas/schemas_0.js';
import { AwsSdkSigV4Signer } from '@aws-sdk/core/httpAuthSchemes';
import { AwsJson1_0Protocol } from '@aws-sdk/core/protocols';
import { DynamoDBJsonCodec2 } from '@aws-sdk/dynamodb-codec';
import { NoOpLogger } from '@smithy/core/client';
import { resolveEndpointConfig } from '@smithy/core/endpoints';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { calculateBodyLength, fromBase64, fromUtf8, toBase64, toUtf8 } from '@smithy/core/serde';
import { NodeHttpHandler, streamCollector } from '@smithy/node-http-handler';
import { endpointOf } from './endpoint.ts';
import { credentials } from './env-credentials.ts';
import { Sha256 } from './sha256.ts';

/** The settings that we give our client. */
export interface Given {
  readonly region: string;
  readonly endpoint?: string;
  readonly maxAttempts: number;
  readonly requestHandler: Parameters<typeof NodeHttpHandler.create>[0];
}

const asked = (name: string) => async () => process.env[name] === 'true';

/**
 * What the SDK's client makes of the same settings, where neither configuration files nor other modes of it are asked.
 *
 * The environment still names an endpoint (LocalStack does so) and still asks for FIPS and dual-stack ones, which fail.
 */
export const settingsOf = ({ region, endpoint, maxAttempts, requestHandler, ...others }: Given) => {
  if (!region || !maxAttempts) throw new Error('The database client needs a region and a number of attempts.');
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new Error(`The bundled database client has no setting ${unknown.join(', ')}.`);
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL } = process.env;
  // The first pause is the one that the SDK's client has for DynamoDB.
  const retryStrategy = new StandardRetryStrategy({ maxAttempts, baseDelay: 25 });
  const settings = {
    apiVersion: '2012-08-10',
    base64Decoder: fromBase64,
    base64Encoder: toBase64,
    bodyLengthChecker: calculateBodyLength,
    credentialDefaultProvider: () => credentials,
    defaultSigningName: 'dynamodb',
    disableHostPrefix: false,
    endpoint: endpoint || AWS_ENDPOINT_URL_DYNAMODB || AWS_ENDPOINT_URL || undefined,
    endpointProvider: endpointOf,
    httpAuthSchemeProvider: defaultDynamoDBHttpAuthSchemeProvider,
    httpAuthSchemes: [
      {
        schemeId: 'aws.auth#sigv4',
        identityProvider: (known: { getIdentityProvider: (id: string) => unknown }) =>
          known.getIdentityProvider('aws.auth#sigv4'),
        signer: new AwsSdkSigV4Signer(),
      },
    ],
    logger: new NoOpLogger(),
    maxAttempts: async () => maxAttempts,
    protocol: AwsJson1_0Protocol,
    protocolSettings: {
      defaultNamespace: 'com.amazonaws.dynamodb',
      errorTypeRegistries,
      version: '2012-08-10',
      serviceTarget: 'DynamoDB_20120810',
      jsonCodec: new DynamoDBJsonCodec2(),
    },
    region: async () => region,
    requestHandler: NodeHttpHandler.create(requestHandler),
    retryStrategy: async () => retryStrategy,
    runtime: 'node',
    serviceId: 'DynamoDB',
    sha256: Sha256,
    streamCollector,
    useDualstackEndpoint: asked('AWS_USE_DUALSTACK_ENDPOINT'),
    useFipsEndpoint: asked('AWS_USE_FIPS_ENDPOINT'),
    utf8Decoder: fromUtf8,
    utf8Encoder: toUtf8,
  };
  return resolveHttpAuthSchemeConfig(
    resolveEndpointConfig(settings as never),
  ) as unknown as DynamoDBClientResolvedConfig;
};
