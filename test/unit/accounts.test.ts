import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { type ApiKey, hashKey, isMisspelt, newApiKey } from '../../shared/accounts/api-key.ts';
import { inTimeZone, isTimeZone, startOfDay, taxDateAt } from '../../shared/accounts/time-zone.ts';
import { getState, parseScopes } from '../../shared/cli/accounts/keys.ts';
import { assignmentsFrom } from '../../shared/cli/accounts/settings.ts';
import { overlapMs, parseAddress, parseExpiry, parseName } from '../../shared/cli/terminal/arguments.ts';
import { CommandError } from '../../shared/cli/terminal/run-command.ts';
import settingCases from '../fixtures/settings.json' with { type: 'json' };
import { readCases } from '../support/facts.ts';
import { createFolder } from '../support/temporary-files.ts';

describe('API keys', () => {
  it('creates unique keys that start with levy_, are 44 characters long and have a valid checksum', () => {
    const keys = Array.from({ length: 1000 }, newApiKey);
    expect(new Set(keys).size).toBe(1000);
    for (const key of keys) expect(key).toMatch(/^levy_[0-9A-Za-z]{39}$/);
    for (const key of keys) expect(isMisspelt(key)).toBe(false);
  });

  it('rejects a key in which any character changes or two are swapped', () => {
    const key = newApiKey();
    for (let at = 'levy_'.length; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(isMisspelt(key.slice(0, at) + other + key.slice(at + 1)), `character ${at}`).toBe(true);
      const exchanged = key.slice(0, at) + (key[at + 1] ?? '') + key[at] + key.slice(at + 2);
      if (exchanged !== key) expect(isMisspelt(exchanged), `exchanged at ${at}`).toBe(true);
    }
  });

  it.each(['', 'any string', 'levy_', 'levy_demo', `levy_${'a'.repeat(40)}`, `LEVY_${'a'.repeat(39)}`])(
    'looks up an API key of a different format, which is not a misspelled Levy key: "%s"',
    (key) => expect(isMisspelt(key)).toBe(false),
  );

  it('stores a key as its SHA-256 hash', () => {
    // The digest is from FIPS 180-2, appendix B.1.
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

/** Options of `npm run accounts`: durations, scopes, names and settings. */

const nowMs = Date.parse('2026-11-21T12:00:00.000Z');

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof CommandError || error instanceof InvalidArgumentError) return error.message;
    throw error;
  }
  throw new Error('It was not refused.');
};

describe('--expires', () => {
  it.each([
    ['1m', '2026-11-21T12:01:00.000Z'],
    ['12h', '2026-11-22T00:00:00.000Z'],
    ['90d', '2027-02-19T12:00:00.000Z'],
    ['8w', '2027-01-16T12:00:00.000Z'],
    ['2027-06-30T00:00Z', '2027-06-30T00:00:00.000Z'],
    ['2027-06-30T23:30:00.5-05:00', '2027-07-01T04:30:00.500Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['never', null],
  ])('parses %s as an expiry at %s', (text, end) => expect(parseExpiry(text, nowMs)).toBe(end));

  it.each([
    ...['', '90', '-1d', '1.5d', '90 d', '1y', '2027-06-30', '2027-06-30T00:00:00', '2027-02-29T00:00:00Z'].map(
      (text) => [text, 'Pass a duration'],
    ),
    ['0d', 'has already passed'],
    ['2026-11-21T12:00:00+01:00', 'has already passed'],
    ['3661d', 'more than ten years'],
    ['9999-01-01T00:00:00Z', 'more than ten years'],
  ])('rejects "%s": %s', (text = '', because) => expect(refusal(() => parseExpiry(text, nowMs))).toContain(because));
});

it.each([
  ['0', 0],
  ['30m', 1_800_000],
  ['24h', 86_400_000],
  ['90d', 7_776_000_000],
])('parses --overlap %s as %i ms', (text, ms) => expect(overlapMs(text)).toBe(ms));

it.each([
  ['read', ['read']],
  ['write', ['write']],
  ['read,write', ['read', 'write']],
  ['write, read,write', ['read', 'write']],
])('parses the scopes "%s" as %o', (text, scopes) => expect(parseScopes(text)).toEqual(scopes));

it('trims a name', () => expect(parseName('  Müller & Söhne  ')).toBe('Müller & Söhne'));

// Not an InvalidArgumentError, because commander prints its value.
it.each([
  () => parseName('\u001b[31mred'),
  () => parseAddress('https://shop:secret@levy.example'),
  () => parseAddress('https://:secret@levy.example'),
  () => parseAddress('http://shop:secret@levy.example'),
])('does not print what it refuses: %s', (parse) => expect(parse).toThrow(CommandError));

const badScopes = [',', 'admin', 'read,admin', 'READ', 'read write', 'read,'];
const refused: readonly (readonly [read: (text: string) => unknown, message: string, ...texts: string[]])[] = [
  [overlapMs, 'Pass a duration of at most 90d, such as 24h, or 0.', '', '24', 'never', '91d'],
  [parseScopes, 'Pass one or more of read, write and settings, separated by commas.', '', ...badScopes],
  [
    parseName,
    'Pass a name or label of 1 to 100 characters, without control characters.',
    ...['', '  ', 'a\nb', '\u001b[31mred', 'a\u0000', 'a\u202eb', 'a\u2028b', 'a'.repeat(101)],
  ],
];
it.each(refused.flatMap(([read, message, ...texts]) => texts.map((text) => ({ read, message, text }))))(
  'rejects "$text": $message',
  ({ read, message, text }) => expect(refusal(() => read(text))).toContain(message),
);

describe('the state of a key', () => {
  const created_at = '2026-10-01T00:00:00.000Z';
  const key = (terms: Partial<ApiKey>): ApiKey => {
    return { id: 'key_1', account: 'acct_1', scopes: ['read'], created_at, expires_at: null, ...terms };
  };
  const at = (ms: number) => new Date(nowMs + ms).toISOString();
  it.each([
    [{}, 'active'],
    [{ expires_at: at(1) }, 'active'],
    [{ expires_at: at(0) }, 'expired'],
    [{ expires_at: at(1), replaced_by: 'key_2' }, 'overlapping'],
    [{ expires_at: at(0), replaced_by: 'key_2' }, 'expired'],
    [{ expires_at: at(1), replaced_by: 'key_2', revoked_at: at(-1) }, 'revoked'],
    [{ expires_at: at(-1), revoked_at: at(-2) }, 'revoked'],
  ] as const)('returns the state $1 for $0', (terms, state) => expect(getState(key(terms), nowMs)).toBe(state));
});

const michigan = { state: 'MI', from: '2026-01-01', to: null, frequency: 'month' };

/** A setting as text or JSON, with its parsed value or a part of the refusal. */
type SettingCase = {
  readonly name: string;
  readonly text?: string;
  readonly json?: unknown;
  readonly setting?: unknown;
  readonly refused?: string;
};

describe('settings', () => {
  const cases = readCases<SettingCase>(settingCases, {
    required: ['name'],
    optional: ['text', 'json'],
    oneOf: ['setting', 'refused'],
  });
  it.each(cases)('parses %j', (one) => {
    const assignment = `${one.name}=${one.text ?? JSON.stringify(one.json)}`;
    if (one.refused === undefined) expect(assignmentsFrom([assignment])).toEqual({ [one.name]: one.setting });
    else expect(refusal(() => assignmentsFrom([assignment]))).toContain(one.refused);
  });

  it('sets several settings at once', () => {
    expect(assignmentsFrom(['rate_limit=0', 'time_zone=UTC'])).toEqual({ rate_limit: 0, time_zone: 'UTC' });
    expect(assignmentsFrom([])).toEqual({});
    expect(refusal(() => assignmentsFrom(['rate_limit']))).toContain('rate_limit=500');
  });

  it('accepts assignments of all settings except service_version', () => {
    for (const name of Object.keys(defaultSettings('v')))
      expect(refusal(() => assignmentsFrom([`${name}=?`]))).toContain(
        name === 'service_version' ? 'Change it with `settings --service-version`.' : `${name} cannot be ?. Pass `,
      );
  });

  it('reads settings from a file', () => {
    const folder = createFolder();
    const file = join(folder, 'registrations.json');
    writeFileSync(file, JSON.stringify([michigan]));
    expect(assignmentsFrom([`registrations=@${file}`])).toEqual({ registrations: [michigan] });
    writeFileSync(file, `\uFEFF${JSON.stringify([michigan])}`);
    expect(assignmentsFrom([`registrations=@${file}`])).toEqual({ registrations: [michigan] });
    writeFileSync(join(folder, 'wrong.json'), '[{"state":"MI",]');
    const wrong = refusal(() => assignmentsFrom([`registrations=@${join(folder, 'wrong.json')}`]));
    expect(wrong).toMatch(/wrong\.json is not JSON: expected .* at line 1, column 16\.$/);
    // npm runs scripts in the project folder.
    vi.stubEnv('INIT_CWD', folder);
    expect(assignmentsFrom(['registrations=@registrations.json'])).toEqual({ registrations: [michigan] });
    expect(() => assignmentsFrom([`registrations=@${file}.not`])).toThrow('ENOENT');
  });

  it('rejects a setting that is set twice', () =>
    expect(refusal(() => assignmentsFrom(['rate_limit=1', 'rate_limit=1']))).toBe(
      'rate_limit is set twice. Pass it once.',
    ));

  it('accepts or rejects any input without throwing', () => {
    const names = Object.keys(defaultSettings('v'));
    const value = fc.oneof(fc.string(), fc.json());
    // `@` reads the value from a file.
    const text = fc.tuple(fc.constantFrom(...names), value).map(([name, sent]) => `${name}=${sent.replace(/^@/, '')}`);
    fc.assert(
      fc.property(text, (assignment) => {
        try {
          assignmentsFrom([assignment]);
        } catch (error) {
          expect(error).toBeInstanceOf(CommandError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('time zones', () => {
  const america = ['America/New_York', 'America/Phoenix'];
  const zones = ['UTC', ...america, 'Pacific/Honolulu', 'Asia/Kathmandu', 'Pacific/Kiritimati'];

  /** Returns the day of a timestamp in a time zone, as the runtime formats it. */
  const dayIn = (timeMs: number, timeZone: string): string =>
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(timeMs);

  describe('tax dates in a time zone', () => {
    it.each([
      ['2026-11-01T00:30:00Z', 'America/New_York', '2026-10-31T20:30:00-04:00'],
      ['2026-11-01T06:30:00Z', 'America/New_York', '2026-11-01T01:30:00-05:00'],
      ['2026-10-31T20:00:00-04:00', 'UTC', '2026-11-01T00:00:00Z'],
      ['2026-10-31T20:00:00.123456789-04:00', 'America/Chicago', '2026-10-31T19:00:00.123456789-05:00'],
      ['2026-11-01T00:30:00.5Z', 'UTC', '2026-11-01T00:30:00.5Z'],
      ['2026-11-01T00:30:00+00:00', 'Europe/London', '2026-11-01T00:30:00+00:00'],
      ['2026-11-01', 'America/New_York', '2026-11-01'],
      ['0000-01-01T00:00:00Z', 'America/New_York', '0000-01-01T00:00:00Z'],
      ['no instant', 'America/New_York', 'no instant'],
    ])('interprets %s in %s as %s', (text, timeZone, expected) => {
      expect(inTimeZone(text, timeZone)).toBe(expected);
    });

    it('starts with the local day, keeps the instant, and changes nothing in the same zone', () => {
      fc.assert(
        fc.property(
          fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) }),
          fc.constantFrom(...zones),
          fc.constantFrom(...zones),
          (timeMs, first, second) => {
            const there = inTimeZone(taxDateAt(timeMs, first), second);
            expect(there.slice(0, 10)).toBe(dayIn(timeMs, second));
            expect(Date.parse(there)).toBe(timeMs);
            expect(inTimeZone(there, second)).toBe(there);
          },
        ),
        { numRuns: 3_000 },
      );
    });
  });

  it.each([
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z'],
    ['2026-11-02', 'America/New_York', '2026-11-02T05:00:00.000Z'],
    ['2026-03-09', 'America/New_York', '2026-03-09T04:00:00.000Z'],
    ['2026-11-01', 'Pacific/Honolulu', '2026-11-01T10:00:00.000Z'],
    ['2026-11-01', 'Asia/Kathmandu', '2026-10-31T18:15:00.000Z'],
    ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'],
    ['2026-11-01', 'UTC', '2026-11-01T00:00:00.000Z'],
  ])('starts the day %s in %s at %s', (day, timeZone, expected) => {
    expect(startOfDay(day, timeZone)).toBe(expected);
  });

  it('accepts only IANA names', () => {
    for (const name of ['UTC', 'America/New_York', 'Pacific/Honolulu']) expect(isTimeZone(name), name).toBe(true);
    for (const name of ['', 'EST', 'EST5EDT', 'GMT', 'New York', '-04:00', '+05', 'EDT?', 'Mars/Olympus'])
      expect(isTimeZone(name), name).toBe(false);
  });
});
