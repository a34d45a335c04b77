import { type Exchange, Refusal } from './exchange.ts';

/** The versions that a client may pin with Service-Version: they fix shapes, never rates (specification 9). */
export const supportedVersions: readonly string[] = ['aspen.2026-10-01'];

/** What a new account is pinned to. */
export const currentVersion = 'aspen.2026-10-01';

const sentVersion = ({ headers }: Exchange): string | undefined => headers.get('service-version')?.at(-1);

const announce = (exchange: Exchange, version: string): void => {
  exchange.version = version;
  // Every answer names the version that shaped it, also the one that refuses another.
  exchange.replyHeaders['Service-Version'] = supportedVersions.includes(version) ? version : currentVersion;
};

/** The version before anyone is known: the one asked for, else the current one. Refusals of strangers carry it. */
export const presumeVersion = (exchange: Exchange): void => announce(exchange, sentVersion(exchange) ?? currentVersion);

/** The version of this exchange: the one asked for, else the one that the account was created with. */
export const resolveVersion = (exchange: Exchange): void => {
  if (!exchange.caller) throw new Error('The version is resolved after the caller is known.');
  announce(exchange, sentVersion(exchange) ?? exchange.caller.account.settings.service_version);
};

/** Refuse a version that does not exist. It comes after the body's own refusals (interface decisions 9). */
export const refuseUnknownVersion = ({ version = '' }: Exchange): void => {
  if (supportedVersions.includes(version)) return;
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
