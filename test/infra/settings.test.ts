/** Parsing of settings. templates.snapshot.txt shows their effect on the templates. */
import { App } from 'aws-cdk-lib';
import { afterEach, expect, it, vi } from 'vitest';
import { readSettings } from '../../infra/settings.ts';
import { certificate, everySetting } from './synthesized.ts';

const settings = (context: Record<string, unknown>) => readSettings(new App({ context }));
const { backupCopyTo } = everySetting;
const oidc = { oidcIssuer: 'https://login.example.com/', oidcAudience: 'levy' };

it.each([
  [true, ['true', '1', true, 1]],
  [false, ['false', '0', false, 0]],
])('parses as %s a switch from -c or cdk.json: %j', (expected, words) => {
  for (const word of words) {
    expect(settings({ sam: word }).sam).toBe(expected);
    expect(settings({ events: word }).events).toBe(expected);
  }
  expect(settings({ contentMirror: '' })).toMatchObject({ sam: false, events: true, contentMirror: null });
});

it.each([
  [{ stage: 'Production' }, "stage is 'Production'. Set a lower-case word"],
  [{ stage: '-a' }, "stage is '-a'"],
  [{ stage: 'a'.repeat(21) }, 'at most 20'],
  [{ stage: { name: 'a' } }, 'stage is \'{"name":"a"}\'. Set a string'],
  [{ alarmEmail: 'tax' }, "alarmEmail is 'tax'. Set one address"],
  [{ reminderEmail: 'tax' }, "reminderEmail is 'tax'. Set one address"],
  [
    { reminderEmail: 'tax@example.com', events: 'false' },
    "reminderEmail is 'tax@example.com'. Set events=true as well",
  ],
  [{ domain: 'tax.example.com' }, "domain is 'tax.example.com'. Set certificate as well"],
  [{ domain: 'https://tax.example.com', certificate }, 'Set a host name'],
  [{ domain: 'tax.example.com', certificate: 'arn:aws:acm:x' }, "certificate is 'arn:aws:acm:x'. Set the ARN"],
  [{ certificate }, 'Set domain as well'],
  [{ contentMirror: 'http://mirror.example' }, "contentMirror is 'http://mirror.example'. Set an https address"],
  [{ contentMirror: 'mirror.example.com' }, 'Set an https address'],
  [{ contentMirror: 'https://' }, 'Set an https address'],
  [{ contentMirror: 'https://user:word@mirror.example.com' }, 'Set an https address'],
  [{ contentMirror: 'https://mirror.example.com/?key=1' }, 'without a query'],
  [{ hostedZone: 'Z0123456789ABC' }, "hostedZone is 'Z0123456789ABC'. Set domain as well"],
  [{ awsAddress: 'shut' }, "awsAddress is 'shut'. Set domain as well"],
  [{ backups: 'plan' }, "backups is 'plan'. Set one of: monthly, daily, none."],
  [{ backupCopyTo: 'levy-copies' }, "backupCopyTo is 'levy-copies'. Set the ARN of a backup vault"],
  [{ backupCopyTo, backups: 'none' }, 'There are no backups to copy'],
  [{ backupCopyTo, stage: 'dev', removal: 'destroy' }, 'There are no backups to copy'],
  [{ metrics: 'all' }, "metrics is 'all'. Set one of: essential, full."],
  [{ tracing: 'on' }, "tracing is 'on'. Set true or false."],
  [{ runbookUrl: 'infra/runbook.md' }, "runbookUrl is 'infra/runbook.md'. Set the https address"],
  [{ runbookUrl: 'https://wiki.example.com/levy#runbook' }, 'without #'],
  [{ gatewayLogRole: 'mine' }, 'Set one of: make, keep.'],
  [{ removal: 'destroy' }, "removal is 'destroy'. Set stage as well"],
  [{ removal: 'delete' }, 'Set one of: retain, destroy.'],
  [{ encryption: 'none' }, 'Set one of: aws-owned, customer-managed.'],
  [{ backupLock: 'yes' }, 'Set one of: none, governance, compliance.'],
  [{ logRetention: '100' }, "logRetention is '100'. Set one of: 90, 1, 3, 5"],
  [{ logRetention: '9999' }, "logRetention is '9999'"],
  [{ reservedConcurrency: 'create-calculations:5' }, 'functions are create-calculation, '],
  [{ reservedConcurrency: 'create-calculation:0' }, 'Set a whole number from 1 to 100000.'],
  [{ reservedConcurrency: 'create-calculation' }, "is 'create-calculation'. Set a whole number"],
  [{ rollout: 'slow' }, 'Set one of: canary, linear, all-at-once.'],
  [{ wafRequestsPerAddress: '1000' }, 'Set waf=true as well'],
  [{ waf: 'true', wafRequestsPerAddress: '9' }, 'Set a whole number from 10'],
  [{ alarmMail: 'tax@example.com' }, "alarmMail is 'tax@example.com'. There is no such setting. Set one of: stage"],
  [{ oidcIssuer: oidc.oidcIssuer }, 'Set oidcAudience as well'],
  [{ oidcAudience: 'levy' }, 'Set oidcIssuer as well'],
  [{ ...oidc, oidcTokenOrigin: 'https://a.example' }, 'Set oidcClientId as well'],
  [{ oidcScopesClaim: 'scp' }, 'Set oidcIssuer as well'],
  [{ ...oidc, oidcIssuer: 'http://login.example.com' }, 'Set an https address.'],
] as const)('rejects %j and prints what to set', (context, remedy) => {
  expect(() => settings(context)).toThrow(remedy);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

// Written by hand: the regions whose CloudFormation lacks AWS::Pipes::Pipe, and one that does not exist yet.
it.each([
  ...['us-gov-west-1', 'us-gov-east-1', 'ca-west-1', 'mx-central-1', 'il-central-1', 'ap-east-2'],
  ...['ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7', 'us-north-9'],
])('rejects events in %s with the region and the fix, and accepts events=false and sam', (region) => {
  vi.stubEnv('CDK_DEFAULT_REGION', region);
  for (const context of [{}, { events: 'true' }])
    expect(() => settings(context)).toThrow(new RegExp(`\\b${region}\\b.*events=false`));
  for (const context of [{ events: 'false' }, { sam: 'true' }]) expect(settings(context).name).toBe('Levy');
});

it.each(['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'eu-central-1', ''])(
  'accepts events in %j',
  (region) => {
    vi.stubEnv('CDK_DEFAULT_REGION', region);
    expect(settings({}).events).toBe(true);
  },
);
