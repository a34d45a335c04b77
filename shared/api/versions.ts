import type { Problem } from '../base/result.ts';
import { Refusal, type RequestContext, requireCaller } from './request-context.ts';

/**
 * The versions that a client may pin with Service-Version, oldest first. A version fixes formats, never rates (decision
 * 0013).
 */
export const supportedVersions: readonly string[] = ['aspen.2026-10-01'];

/** The version that a new account is pinned to. */
export const currentVersion = supportedVersions.at(-1) as string;

// Repeated headers are joined, so they match no version.
const sentVersion = ({ headers }: RequestContext): string | undefined => headers.get('service-version')?.join(', ');

const announce = (context: RequestContext, version: string): void => {
  context.version = version;
  // Every response contains the version of its format, even the refusal of an unknown version.
  context.responseHeaders['Service-Version'] = supportedVersions.includes(version) ? version : currentVersion;
  context.responseHeaders['Vary'] = 'Service-Version';
};

/** Sets the version before authentication: the requested version, else the current one. A 401 response reports it. */
export const setRequestedVersion = (context: RequestContext): void =>
  announce(context, sentVersion(context) ?? currentVersion);

/** Sets the version of an authenticated request: the requested version, else the account's pinned version. */
export const resolveVersion = (context: RequestContext): void =>
  announce(context, sentVersion(context) ?? requireCaller(context).account.settings.service_version);

export const unknownVersion: Problem = {
  code: 'validation_unknown_service_version',
  title: 'Unknown Service-Version',
  detail: 'Send one of meta.supported_versions, or leave the header out.',
  source: { header: 'Service-Version' },
  meta: { supported_versions: supportedVersions },
};

/** Refuses an unknown version. Refusals of the body come first. */
export const refuseUnknownVersion = ({ version = '' }: RequestContext): void => {
  if (!supportedVersions.includes(version)) throw new Refusal([unknownVersion]);
};
