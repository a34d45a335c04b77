/**
 * Replaces the SDK's default credential chain in the bundles with the first step of that chain.
 *
 * Lambda always sets credentials in the environment. The rest of the chain (SSO, STS, profiles) would add 130 KiB.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
