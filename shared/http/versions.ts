import type { Problem } from '../base/problem.ts';
import { callerOf, type Exchange, Refusal } from './exchange.ts';
import { type Version, versions } from './versions/shape.ts';

const namesOf = (known: readonly Version[]): readonly string[] => known.map(({ name }) => name);

/** The versions that a client may pin with Service-Version. They fix shapes, never rates. */
export const supportedVersions = namesOf(versions);

/** The version that a new account is pinned to. */
export const currentVersion = supportedVersions.at(-1) as string;

// A repeated header is joined, and then matches no version.
const sentVersion = ({ headers }: Exchange): string | undefined => headers.get('service-version')?.join(', ');

const announce = (exchange: Exchange, version: string, known: readonly string[]): void => {
  exchange.version = version;
  exchange.supportedVersions = known;
  // Every response names the version that shaped it, even one that refuses an unknown version.
  exchange.replyHeaders['Service-Version'] = known.includes(version) ? version : (known.at(-1) as string);
  exchange.replyHeaders['Vary'] = 'Service-Version';
};

/** Set the version before authentication: the requested one, else the current one. A 401 response has it. */
export const setRequestedVersion = (exchange: Exchange): void =>
  announce(exchange, sentVersion(exchange) ?? currentVersion, supportedVersions);

/**
 * The version of this exchange: the requested one, else the one that the account was created with.
 *
 * An endpoint uses the current shapes only. The exchange carries the changes since the requested version, oldest first: a
 * request passes through them in this order, and the response in reverse.
 */
export const resolveVersion =
  (operation: string, known: readonly Version[] = versions) =>
  (exchange: Exchange): void => {
    const version = sentVersion(exchange) ?? callerOf(exchange).account.settings.service_version;
    const names = namesOf(known);
    announce(exchange, version, names);
    exchange.changes = known
      .slice(names.indexOf(version) + 1)
      .flatMap(({ changes }) => changes.flatMap(({ of }) => of[operation] ?? []));
  };

export const unknownVersion = (known: readonly string[]): Problem => ({
  code: 'validation_unknown_service_version',
  title: 'Unknown Service-Version',
  detail: 'Send one of meta.supported_versions, or leave the header out.',
  source: { header: 'Service-Version' },
  meta: { supported_versions: known },
});

/** Refuse an unknown version. Refusals of the body come first. */
export const refuseUnknownVersion = ({
  version = '',
  supportedVersions: known = supportedVersions,
}: Exchange): void => {
  if (known.includes(version)) return;
  throw new Refusal([unknownVersion(known)]);
};
