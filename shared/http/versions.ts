import { type Exchange, Refusal } from './exchange.ts';
import { type Version, versions } from './versions/version.ts';

const namesOf = (known: readonly Version[]): readonly string[] => known.map(({ name }) => name);

/** The versions that a client may pin with Service-Version: they fix shapes, never rates (specification 9). */
export const supportedVersions = namesOf(versions);

/** What a new account is pinned to. */
export const currentVersion = supportedVersions.at(-1) as string;

// Sent twice, it is no version.
const sentVersion = ({ headers }: Exchange): string | undefined => headers.get('service-version')?.join(', ');

const announce = (exchange: Exchange, version: string, known: readonly string[]): void => {
  exchange.version = version;
  exchange.supportedVersions = known;
  // Every answer names the version that shaped it, also the one that refuses another.
  exchange.replyHeaders['Service-Version'] = known.includes(version) ? version : (known.at(-1) as string);
  exchange.replyHeaders['Vary'] = 'Service-Version';
};

/** The version before anyone is known: the one asked for, else the current one. Refusals of strangers carry it. */
export const presumeVersion = (exchange: Exchange): void =>
  announce(exchange, sentVersion(exchange) ?? currentVersion, supportedVersions);

/**
 * The version of this exchange: the one asked for, else the one that the account was created with.
 *
 * An operation knows the current shapes only. What has changed for it since the version that was asked for goes with the
 * exchange, the oldest change first: a request passes through all of them, and the answer back, from the newest on. That
 * chain of transformations is how long-lived APIs keep one code and many versions.
 */
export const resolveVersion =
  (operation: string, known: readonly Version[] = versions) =>
  (exchange: Exchange): void => {
    if (!exchange.caller) throw new Error('The version is resolved after the caller is known.');
    const version = sentVersion(exchange) ?? exchange.caller.account.settings.service_version;
    const names = namesOf(known);
    announce(exchange, version, names);
    exchange.changes = known
      .slice(names.indexOf(version) + 1)
      .flatMap(({ changes }) => changes.flatMap(({ of }) => of[operation] ?? []));
  };

/** Refuse a version that does not exist. It comes after the body's own refusals (interface decisions 9). */
export const refuseUnknownVersion = ({
  version = '',
  supportedVersions: known = supportedVersions,
}: Exchange): void => {
  if (known.includes(version)) return;
  throw new Refusal([
    {
      code: 'validation_unknown_service_version',
      title: 'Unknown Service-Version',
      detail: 'Send one of meta.supported_versions, or leave the header out.',
      source: { header: 'Service-Version' },
      meta: { supported_versions: known },
    },
  ]);
};
