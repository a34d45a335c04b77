/** Replacements for two modules of the SDK in the bundles. */

/**
 * The first step of the SDK's default credential chain. Lambda always sets credentials in the environment. The rest of
 * the chain (SSO, STS, profiles) would add 130 KiB.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';

/** The cache of endpoint discovery, which the client disables. The original would add 8 KiB. */
export class EndpointCache {}
