import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IConstruct } from 'constructs';
import { z } from 'zod';
import { CommandError } from '../shared/base/command-error.ts';
import { entries } from './bundling.ts';

const text = z.string('Set a string, a number or a boolean.');
const matching = (pattern: RegExp, remedy: string) => text.regex(pattern, remedy).nullable().default(null);
/** An enumerated setting. The first value is the default. */
const oneWord = <const Word extends string>(words: readonly [Word, ...Word[]]) =>
  z.enum(words, `Set one of: ${words.join(', ')}.`).default(words[0] as z.core.util.NoUndefined<Word>);
const flag = (initial: boolean) =>
  z
    .enum(['true', '1', 'false', '0'], 'Set true or false.')
    .transform((value) => value === 'true' || value === '1')
    .default(initial);
const wholeNumber = (least: number, most: number) => {
  const remedy = `Set a whole number from ${least} to ${most}.`;
  return text.regex(/^\d+$/, remedy).transform(Number).pipe(z.number().min(least, remedy).max(most, remedy));
};

const retentions = Object.values(RetentionDays).filter((days) => Number(days) > 0 && days !== RetentionDays.INFINITE);

const shape = {
  /** Name of this deployment among several in one account; `null` if it has no name. */
  stage: matching(
    /^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/,
    'Set a lower-case word of at most 20 letters, digits and hyphens, such as staging.',
  ),
  /** Address for alarm mails; `null` sends none. */
  alarmEmail: matching(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'Set one address, such as tax@example.com.'),
  /** Address for mails about returns that are due soon or overdue; `null` sends none. */
  reminderEmail: matching(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'Set one address, such as finance@example.com.'),
  /** Custom host name of the API. */
  domain: matching(/^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/, 'Set a host name, such as tax.example.com.'),
  certificate: matching(
    /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
    "Set the ARN of an ACM certificate for the domain, in the stacks' region.",
  ),
  /** Route 53 zone for the record; `null` if the DNS record is managed elsewhere. */
  hostedZone: matching(/^Z[A-Z0-9]{1,31}$/, 'Set the id of a hosted zone, such as Z0123456789ABC.'),
  /** Whether the execute-api address remains enabled in addition to the domain. */
  awsAddress: oneWord(['open', 'shut']),
  /** Whether data outlives its stack: tables, their backups and their key. */
  removal: oneWord(['retain', 'destroy']),
  /** Whose key encrypts the tables and their backups. */
  encryption: oneWord(['aws-owned', 'customer-managed']),
  /** How often AWS Backup backs up the tables. Point-in-time recovery is always on. */
  backups: oneWord(['monthly', 'daily', 'none']),
  /** A vault in another account or region that gets a copy of each backup; `null` makes no copies. */
  backupCopyTo: matching(
    /^arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[A-Za-z0-9_-]{2,50}$/,
    'Set the ARN of a backup vault, such as arn:aws:backup:us-west-2:123456789012:backup-vault:levy.',
  ),
  /** Who can delete a backup before its expiry: every principal with the permission, or no one. */
  backupLock: oneWord(['none', 'governance', 'compliance']),
  /** Whether functions publish all metrics, or only the metrics of alarms and the dashboard's first row. */
  metrics: oneWord(['essential', 'full']),
  /** Whether X-Ray traces requests. */
  tracing: flag(false),
  /** Whether API Gateway publishes metrics for each method. */
  methodMetrics: flag(false),
  /** Address of the runbook for alarm mails; `null` uses the file in this repository. */
  runbookUrl: matching(/^https:\/\/[^\s#]+$/, 'Set the https address of your copy of infra/runbook.md, without #.'),
  logRetention: oneWord(['90', ...retentions.map(String)]).transform((days): RetentionDays => Number(days)),
  /** Whether the stack creates the account's single role for API Gateway's logs, or uses the existing role. */
  gatewayLogRole: oneWord(['make', 'keep']),
  /** Instances reserved for a function. A reservation is also a limit. */
  reservedConcurrency: text
    .transform((pairs) => {
      const reserved = pairs.split(',').filter(Boolean);
      return Object.fromEntries(reserved.map((pair) => [pair.split(':')[0] ?? '', pair.split(':')[1] ?? '']));
    })
    .pipe(
      z.partialRecord(z.enum(entries), wholeNumber(1, 100_000), {
        error: `Set function:instances,...; functions are ${entries.join(', ')}.`,
      }),
    )
    .default({}),
  /** How requests shift to a new version of the functions. */
  rollout: oneWord(['canary', 'linear', 'all-at-once']),
  /** Whether a web ACL protects the API. */
  waf: flag(false),
  /**
   * Maximum requests of one IP address in five minutes. The default is twice the limit of an account, so it stops only
   * floods.
   */
  wafRequestsPerAddress: wholeNumber(10, 2_000_000_000).default(120_000),
  /** Whether the ledger publishes its changes on an event bus (decision 0018). */
  events: flag(true),
  /**
   * Whether schedules update tax content from the publishers, and whether they activate releases that pass the gates
   * (decision 0022).
   */
  contentUpdates: oneWord(['propose', 'off', 'activate']),
  /** A mirror that the schedules read instead of the publishers (`LEVY_CONTENT_MIRROR`); `null` reads the publishers. */
  contentMirror: matching(
    /^https:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:\/[\w.~-]+)*\/?$/i,
    'Set an https address without a query, such as https://mirror.example.com/rates.',
  ),
  /** Whether the template is for `sam local`: the architecture of the host, the emulator's address and table names. */
  sam: flag(false),
  oidcIssuer: matching(/^https:\/\//, 'Set an https address.'),
  oidcAudience: text.nullable().default(null),
  oidcAccountClaim: text.nullable().default(null),
  oidcScopesClaim: text.nullable().default(null),
  oidcReadScope: text.nullable().default(null),
  oidcWriteScope: text.nullable().default(null),
  oidcSettingsScope: text.nullable().default(null),
  /** Public client of the console at the issuer; without it, users sign in to the console with API keys. */
  oidcClientId: text.nullable().default(null),
  /** Origin of the issuer's token endpoint, if it differs from the issuer's origin. */
  oidcTokenOrigin: matching(
    /^https:\/\/[a-z0-9.-]+(?::\d{1,5})?$/,
    'Set an https origin, such as https://login.example.com.',
  ),
  /** Whether the API has the console. */
  console: flag(true),
  /** Whether the deployment has the TaxJar-compatible API. */
  taxjar: flag(true),
};
const names = Object.keys(shape) as (keyof typeof shape)[];
const schema = z.strictObject(shape, {
  error: ({ code }) => (code === 'unrecognized_keys' ? `Unknown setting. Set one of: ${names.join(', ')}.` : undefined),
});

/** Settings of a deployment, from the CDK's context (`-c name=value`, or cdk.json). Decision 0016 explains the defaults. */
export type Settings = Readonly<z.output<typeof schema>> & {
  /** Suffix of the stack names: empty, or for example -staging. */
  readonly suffix: string;
  /** Name of the service stack, and the prefix of other names: Levy, or for example Levy-staging. */
  readonly name: string;
  /** The issuer of bearer tokens as environment variables (shared/config/environment.ts); empty without one. */
  readonly oidc: Readonly<Record<string, string>>;
  /**
   * The settings that were passed, as a string: `stage=staging, waf=true`. An output contains it, so `cdk diff` shows a
   * lost setting.
   */
  readonly given: string;
};

const forDomain = 'Also set domain: the host name of the API.';
/** A setting, its value (`null` for any), the setting that it requires, and the fix. */
const requirements: readonly (readonly [keyof typeof shape, string | null, keyof typeof shape, string])[] = [
  ['domain', null, 'certificate', 'Also set certificate, to the ARN of an ACM certificate for the domain.'],
  ['certificate', null, 'domain', forDomain],
  ['hostedZone', null, 'domain', forDomain],
  ['awsAddress', 'shut', 'domain', 'Also set domain: the API must have an address.'],
  ['removal', 'destroy', 'stage', 'Also set stage: only a named deployment can be deleted with its data.'],
  ['reminderEmail', null, 'events', 'Also set events=true, or omit it: the event bus sends the reminders.'],
  ['wafRequestsPerAddress', null, 'waf', 'Also set waf=true, or omit it.'],
  // With only one of the two, functions would start and reject every token.
  ['oidcIssuer', null, 'oidcAudience', 'Also set oidcAudience: the audience of the tokens.'],
  ['oidcTokenOrigin', null, 'oidcClientId', 'Also set oidcClientId: the client of the console.'],
  ...names
    .filter((name) => /^oidc(?!Issuer|TokenOrigin)/.test(name))
    .map((name) => [name, null, 'oidcIssuer', 'Also set oidcIssuer: the issuer of the tokens.'] as const),
];

const refuse = (name: string, value: unknown, remedy: string): never => {
  const given = typeof value === 'object' ? JSON.stringify(value) : value;
  throw new CommandError(`The context value ${name} is '${given}'. ${remedy}`);
};

/**
 * Regions with EventBridge Pipes: https://docs.aws.amazon.com/general/latest/gr/ev_pipes.html, and the two in China. A
 * list of unsupported regions would go stale: new AWS regions start without Pipes.
 */
const regionsWithPipes: ReadonlySet<string> = new Set(
  `us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 sa-east-1 eu-central-1 eu-central-2 eu-west-1 eu-west-2 eu-west-3
  eu-north-1 eu-south-1 eu-south-2 me-south-1 me-central-1 af-south-1 ap-east-1 ap-south-1 ap-south-2 ap-northeast-1
  ap-northeast-2 ap-northeast-3 ap-southeast-1 ap-southeast-2 ap-southeast-3 cn-north-1 cn-northwest-1`.split(/\s+/),
);

/** Names of context values that belong to the CDK. */
const cdkNames = /[:@/]|^acknowledged-issue-numbers$/;

/** Refuses reserved concurrency of a function that another setting turns off. */
const refuseMissingFunctions = (data: z.infer<typeof schema>, given: Readonly<Record<string, unknown>>): void => {
  for (const [entry, name, isOn] of [
    ['get-console', 'console', data.console],
    ['taxjar', 'taxjar', data.taxjar],
    ['announce-changes', 'events', data.events],
    ['update-content', 'contentUpdates', data.contentUpdates !== 'off'],
  ] as const)
    if (entry in data.reservedConcurrency && !isOn)
      refuse(
        'reservedConcurrency',
        given['reservedConcurrency'],
        `Omit ${entry}: with ${name}=${given[name]}, this function does not exist.`,
      );
};

/**
 * Reads the settings from the app's context. Throws a `CommandError` on an unknown name, an invalid value or a missing
 * required setting.
 */
export const readSettings = ({ node }: IConstruct): Settings => {
  const given: Record<string, unknown> = {};
  // `-c` passes strings; cdk.json also has numbers and booleans.
  for (const [name, value] of Object.entries(node.getAllContext()))
    if (!cdkNames.test(name) && value !== undefined && value !== null && value !== '')
      given[name] = typeof value === 'object' ? value : String(value);
  const { data, error } = schema.safeParse(given);
  if (!data) {
    const [issue] = error.issues;
    const name = String(issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path[0]);
    return refuse(name, given[name], issue?.message ?? '');
  }
  for (const [name, value, required, remedy] of requirements)
    if (given[name] !== undefined && (value ?? given[name]) === given[name] && !data[required])
      refuse(name, given[name], remedy);
  refuseMissingFunctions(data, given);
  if (data.backupCopyTo !== null && (data.backups === 'none' || data.removal === 'destroy'))
    refuse(
      'backupCopyTo',
      given['backupCopyTo'],
      'There are no backups to copy. Omit it, or set backups=monthly without removal=destroy.',
    );
  // The CLI determines the region before the synthesis.
  const region = process.env['CDK_DEFAULT_REGION'];
  if (region && !regionsWithPipes.has(region) && data.events && !data.sam)
    refuse('events', true, `The region ${region} has no EventBridge Pipes. Set events=false, or use another region.`);
  const set = names.filter((name) => given[name] !== undefined);
  const oidc = set.filter((name) => name.startsWith('oidc'));
  const suffix = data.stage === null ? '' : `-${data.stage}`;
  return {
    ...data,
    suffix,
    name: `Levy${suffix}`,
    // SAM supports neither event buses nor pipes, and runs no schedules.
    ...(data.sam && { events: false, contentUpdates: 'off' }),
    // Converts oidcReadScope to OIDC_READ_SCOPE.
    oidc: Object.fromEntries(oidc.map((name) => [name.replaceAll(/[A-Z]/g, '_$&').toUpperCase(), String(given[name])])),
    given: set.map((name) => `${name}=${given[name]}`).join(', ') || 'none',
  };
};
