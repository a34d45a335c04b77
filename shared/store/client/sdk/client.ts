import type { DynamoDBClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes } from '@aws-sdk/client-dynamodb';
import { defaultDynamoDBHttpAuthSchemeParametersProvider } from '@aws-sdk/client-dynamodb/dist-es/auth/httpAuthSchemeProvider.js';
import { getHostHeaderPlugin, getRecursionDetectionPlugin } from '@aws-sdk/core/client';
import {
  DefaultIdentityProviderConfig,
  getHttpAuthSchemeEndpointRuleSetPlugin,
  getHttpSigningPlugin,
} from '@smithy/core';
import { Client } from '@smithy/core/client';
import { getContentLengthPlugin } from '@smithy/core/protocols';
import { getRetryPlugin } from '@smithy/core/retry';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import type { HttpHandlerOptions } from '@smithy/types';
import { type Given, settingsOf } from './client-settings.ts';
import { userAgentPlugin } from './user-agent.ts';

/**
 * The SDK's client for DynamoDB, put together from the SDK's own parts as the SDK does it, less what none of our calls
 * needs: configuration files, adaptive retries, the discovery of endpoints, a log, and the choice between modes of it.
 *
 * The SDK's wiring reaches all of that from one module, so that nothing of it can be left out. Commands, marshalling,
 * errors, retries, timeouts and signatures are the SDK's. A test compares settings, steps and requests with its client.
 */
export class DynamoDBClient extends Client<
  HttpHandlerOptions,
  ServiceInputTypes,
  ServiceOutputTypes,
  DynamoDBClientResolvedConfig
> {
  constructor(given: Given) {
    super(settingsOf(given));
    const { config, middlewareStack } = this;
    middlewareStack.use(getSchemaSerdePlugin(config));
    middlewareStack.use(userAgentPlugin);
    middlewareStack.use(getRetryPlugin(config));
    middlewareStack.use(getContentLengthPlugin(config));
    middlewareStack.use(getHostHeaderPlugin(config));
    middlewareStack.use(getRecursionDetectionPlugin(config));
    middlewareStack.use(
      getHttpAuthSchemeEndpointRuleSetPlugin(config, {
        httpAuthSchemeParametersProvider: defaultDynamoDBHttpAuthSchemeParametersProvider,
        identityProviderConfigProvider: async ({ credentials }) =>
          new DefaultIdentityProviderConfig({ 'aws.auth#sigv4': credentials }),
      }),
    );
    middlewareStack.use(getHttpSigningPlugin(config));
  }
}
