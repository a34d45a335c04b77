/** Parsing of settings. templates.snapshot.txt shows their effect on the templates. */
import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { afterEach, expect, it, vi } from 'vitest';
import { readSettings } from '../../infra/settings.ts';

const settings = (context: Record<string, unknown>) => readSettings(new App({ context }));

it.each([
  [true, ['true', '1', true, 1]],
  [false, ['false', '0', false, 0]],
])('parses $1 as $0, from -c or cdk.json', (expected, words) => {
  for (const word of words) {
    expect(settings({ sam: word }).sam).toBe(expected);
    expect(settings({ events: word }).events).toBe(expected);
  }
  expect(settings({ contentMirror: '' })).toMatchObject({ sam: false, events: true, contentMirror: null });
});

/** Refused settings, as `-c` passes them, each with a part of the expected message. */
const refused = readFileSync(new URL('refused-settings.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

it.each(refused)('rejects and prints what to set: %s', (line) => {
  const [given = '', remedy = ''] = line.split(' | ');
  const pairs = given.split(' ').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  expect(remedy).not.toBe('');
  expect(() => settings(Object.fromEntries(pairs))).toThrow(remedy);
});

it('rejects an object', () => {
  expect(() => settings({ stage: { name: 'a' } })).toThrow('stage is \'{"name":"a"}\'. Set a string');
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
