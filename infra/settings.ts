import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IConstruct, Node } from 'constructs';
import { endpoints, schedules } from '../functions/endpoints.ts';
import type { Entry } from './bundling.ts';
import { flag, matching, oneOf, refuse, text, wholeNumber } from './context.ts';
import { awsAddressOf, type Domain, domainOf } from './domain-settings.ts';
import { oidcOf, oidcVariables } from './oidc-settings.ts';

/** The settings of a deployment, from the CDK's context (`-c name=value`, or cdk.json). Decision 0016 explains the defaults. */
export type Settings = {
  /** Which of several deployments in one account this is; `null` for the one without a name. */
  readonly stage: string | null;
  /** What the stack is called, and whatever else must have a name that no other stage has: Levy, or Levy-staging. */
  readonly name: string;
  /** The address for alarm mails; `null` sends none. */
  readonly alarmEmail: string | null;
  readonly domain: Domain | null;
  /** Whether the API answers at AWS's address as well; only what has a domain may shut it. */
  readonly awsAddress: 'open' | 'shut';
  /** Whether data outlives the stack: tables, their backups and their key. Only a named stage may say no. */
  readonly removal: 'retain' | 'destroy';
  /** Whose key encrypts the tables and their backups. */
  readonly encryption: 'aws-owned' | 'customer-managed';
  /** Whether copies of the tables are taken by a plan. Point-in-time recovery is always on. */
  readonly backups: 'plan' | 'none';
  /** Who can delete a backup before its expiry: every principal with the permission, or no one. */
  readonly backupLock: 'none' | 'governance' | 'compliance';
  readonly logRetention: RetentionDays;
  /** Whether the stack makes the account's one role for API Gateway's logs, or the account has one already. */
  readonly gatewayLogRole: 'make' | 'keep';
  /** How many instances a function has for itself, and at most; the others share what the account has. */
  readonly reservedConcurrency: Readonly<Partial<Record<Entry, number>>>;
  /** How requests move to a new version of the functions. */
  readonly rollout: 'canary' | 'linear' | 'all-at-once';
  /** The web ACL before the API, with the requests that one address may send in five minutes; `null` without one. */
  readonly waf: { readonly requestsPerAddress: number } | null;
  /** Whether the ledger tells of its changes on a bus (decision 0018). */
  readonly events: boolean;
  /** The template is for `sam local`: the host's architecture, and the emulator's address and table names. */
  readonly sam: boolean;
  /** Who issues the bearer tokens that the API accepts, as the functions' variables; without it, API keys only. */
  readonly oidc: Readonly<Record<string, string>>;
  /** The given settings as text: `stage=staging, waf=true`. An output has it, so that `cdk diff` shows a lost setting. */
  readonly given: string;
};

// The names that the context may have. A misspelled name is refused instead of ignored.
const names = [
  ...['stage', 'alarmEmail', 'domain', 'certificate', 'hostedZone', 'awsAddress', 'removal', 'encryption', 'backups'],
  ...['backupLock', 'logRetention', 'gatewayLogRole', 'reservedConcurrency', 'rollout', 'waf', 'wafRequestsPerAddress'],
  ...['events', 'sam'],
  ...Object.keys(oidcVariables),
];
// What the CDK itself puts there is named with a colon, an at sign or a slash, but for this one.
const others = /[:@/]|^acknowledged-issue-numbers$/;

const checkNames = (node: Node): void => {
  for (const [name, value] of Object.entries(node.getAllContext()))
    if (!names.includes(name) && !others.test(name))
      refuse(name, String(value), `There is no such setting. Give one of: ${names.join(', ')}.`);
};

const stageOf = (node: Node): Pick<Settings, 'stage' | 'name'> => {
  const remedy = 'Give a lower-case word of at most 20 letters, digits and hyphens, such as staging.';
  const stage = matching(node, 'stage', /^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/, remedy);
  return { stage, name: stage === null ? 'Levy' : `Levy-${stage}` };
};

const givenOf = (node: Node): string => {
  const given = names.flatMap((name) => {
    const value = text(node, name);
    return value === null ? [] : [`${name}=${value}`];
  });
  return given.join(', ') || 'none';
};

const removalOf = (node: Node, { stage }: Pick<Settings, 'stage'>): Settings['removal'] => {
  const removal = oneOf(node, 'removal', ['retain', 'destroy']);
  if (removal === 'destroy' && stage === null)
    return refuse('removal', removal, 'Give stage as well: only a deployment that has a name may lose its data.');
  return removal;
};

const daysOf = (node: Node): RetentionDays => {
  const known = Object.values(RetentionDays).filter(
    (days) => typeof days === 'number' && days !== RetentionDays.INFINITE,
  );
  return Number(oneOf(node, 'logRetention', ['90', ...known.map(String)]));
};

const entries = [...Object.keys(endpoints), ...Object.keys(schedules), 'method-not-allowed', 'announce-changes'];

const reservedOf = (node: Node): Settings['reservedConcurrency'] => {
  const given = text(node, 'reservedConcurrency');
  const reserved = (given ?? '')
    .split(',')
    .filter(Boolean)
    .map((pair) => pair.split(':'));
  return Object.fromEntries(
    reserved.map(([entry = '', instances = '']) => {
      if (entries.includes(entry)) return [entry, wholeNumber('reservedConcurrency', instances, [1, 100_000])];
      return refuse(
        'reservedConcurrency',
        given ?? '',
        `Give function:instances,...; functions are ${entries.join(', ')}.`,
      );
    }),
  );
};

const wafOf = (node: Node): Settings['waf'] => {
  const isOn = flag(node, 'waf', false);
  const given = text(node, 'wafRequestsPerAddress');
  if (given !== null && !isOn) return refuse('wafRequestsPerAddress', given, 'Give waf=true as well, or leave it out.');
  // Twice what an account may send by itself: the limit of an account is the API's, and this one is for floods.
  return isOn
    ? { requestsPerAddress: wholeNumber('wafRequestsPerAddress', given ?? '120000', [10, 2_000_000_000]) }
    : null;
};

/** Read the deployment's settings from the context of the app; a half-made choice stops the synthesis. */
export const settingsOf = ({ node }: IConstruct): Settings => {
  checkNames(node);
  const stage = stageOf(node);
  const domain = domainOf(node);
  return {
    ...stage,
    alarmEmail: matching(
      node,
      'alarmEmail',
      /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
      'Give one address, such as tax@example.com.',
    ),
    domain,
    awsAddress: awsAddressOf(node, domain),
    removal: removalOf(node, stage),
    encryption: oneOf(node, 'encryption', ['aws-owned', 'customer-managed']),
    backups: oneOf(node, 'backups', ['plan', 'none']),
    backupLock: oneOf(node, 'backupLock', ['none', 'governance', 'compliance']),
    logRetention: daysOf(node),
    gatewayLogRole: oneOf(node, 'gatewayLogRole', ['make', 'keep']),
    reservedConcurrency: reservedOf(node),
    rollout: oneOf(node, 'rollout', ['canary', 'linear', 'all-at-once']),
    waf: wafOf(node),
    events: flag(node, 'events', true),
    sam: flag(node, 'sam', false),
    oidc: oidcOf(node),
    given: givenOf(node),
  };
};
