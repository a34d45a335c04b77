import { type Exchange, Refusal } from './exchange.ts';

/** The versions that a client may pin with Service-Version: they fix shapes, never rates (specification 9). */
export const supportedVersions: readonly string[] = ['aspen.2026-10-01'];

/** What a new account is pinned to. */
export const currentVersion = 'aspen.2026-10-01';

/** The version of this exchange: the one asked for, else the one that the account was created with. */
export const resolveVersion = (exchange: Exchange): void => {
  const version = exchange.headers.get('service-version')?.at(-1) ?? exchange.caller?.account.settings.service_version;
  if (version === undefined) throw new Error('The version is resolved after the caller is known.');
  exchange.version = version;
  if (supportedVersions.includes(version)) exchange.replyHeaders['Service-Version'] = version;
};

/** Refuse a version that does not exist. It comes after the body's own refusals (interface decisions 9). */
export const refuseUnknownVersion = ({ version = '', replyHeaders }: Exchange): void => {
  if (supportedVersions.includes(version)) return;
  // Every answer names the version that shaped it, also this one.
  replyHeaders['Service-Version'] = currentVersion;
  throw new Refusal([
    {
      code: 'validation_unknown_service_version',
      title: 'Unknown Service-Version',
      detail: 'Send one of meta.supported_versions, or leave the header out.',
      source: { header: 'Service-Version' },
      meta: { supported_versions: supportedVersions },
    },
  ]);
};
