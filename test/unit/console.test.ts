import * as fc from 'fast-check';
import { unzipSync } from 'fflate';
import readExcelFile from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import { daysBetween } from '../../shared/base/calendar.ts';
import { csvText } from '../../shared/base/csv.ts';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import { LevyRefused, LevyUnavailable } from '../../shared/client/client.ts';
import { exportFile, parseCsv } from '../../shared/console/client/export-file.ts';
import {
  dueText,
  getSum,
  grouped,
  instantText,
  monthsBefore,
  monthsFrom,
  percent,
  percentChange,
  periodText,
  todayIn,
} from '../../shared/console/client/format.ts';
import { certificatesFrom } from '../../shared/console/client/forms.ts';
import { brokenVersion } from '../../shared/console/client/history-chain.ts';
import { returnedFrom, sha256, signInAddress } from '../../shared/console/client/oidc.ts';
import {
  earlierRanges,
  getMonthly,
  listCurrencies,
  listUnregisteredTax,
  measures,
  type Row,
  stateTotals,
  sumTotals,
} from '../../shared/console/client/report.ts';
import { linkTo, parseRoute } from '../../shared/console/client/route.ts';
import { type PageRequest, type Part, searchPage } from '../../shared/console/client/search.ts';
import { actorName, getTrouble } from '../../shared/console/client/session.ts';
import { tiles } from '../../shared/console/client/tile-map.ts';
import { hashEntry } from '../../shared/ledger/audit.ts';

const decimal = fc
  .tuple(fc.bigInt(-(10n ** 15n), 10n ** 15n), fc.integer({ min: 0, max: 3 }))
  .map(([minor, decimals]) => ({ minor, decimals }));
const written = ({ minor, decimals }: { minor: bigint; decimals: number }): string => {
  const digits = String(minor < 0n ? -minor : minor).padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return `${minor < 0n ? '-' : ''}${digits.slice(0, at)}${decimals ? `.${digits.slice(at)}` : ''}`;
};

it('sums amounts exactly', () => {
  fc.assert(
    fc.property(fc.array(decimal, { minLength: 1 }), (values) => {
      const thousandths = values.reduce((sum, { minor, decimals }) => sum + minor * 10n ** BigInt(3 - decimals), 0n);
      expect(getSum([...values.map(written), '0.000'])).toBe(written({ minor: thousandths, decimals: 3 }));
    }),
  );
});

it('formats amounts, rates, days, months, timestamps and periods', () => {
  expect(['1234567.89', '-1234', '999.00'].map(grouped)).toEqual(['1,234,567.89', '-1,234', '999.00']);
  const rates = { '0.08875': '8.875%', '0.06': '6%', '0': '0%', '0.1': '10%', '0.00375': '0.375%', '1': '100%' };
  expect(Object.keys(rates).map(percent)).toEqual(Object.values(rates));
  for (const [start, end, name] of [
    ['2026-08-01', '2026-08-31', 'Aug 2026'],
    ['2026-07-01', '2026-09-30', 'Jul to Sep 2026'],
    ['2028-02-01', '2028-02-29', 'Feb 2028'],
    ['2026-01-01', '2026-12-31', '2026'],
    ['2026-08-15', '2026-08-31', '2026-08-15 to 2026-08-31'],
    ['2026-12-01', '2027-02-28', '2026-12-01 to 2027-02-28'],
  ] as const)
    expect(periodText(start, end)).toBe(name);
  const instant = Date.parse('2026-11-01T03:00:00Z');
  expect(['UTC', 'America/New_York'].map((zone) => todayIn(zone, instant))).toEqual(['2026-11-01', '2026-10-31']);
  expect(instantText('2026-11-01T03:04:59.999Z', 'America/New_York')).toBe('2026-10-31 23:04 EDT');
  expect([monthsBefore('2026-01', 1), monthsBefore('2026-11', 11)]).toEqual(['2025-12', '2025-12']);
  expect(monthsFrom('2025-11', '2026-02')).toEqual(['2025-11', '2025-12', '2026-01', '2026-02']);
  expect(daysBetween('2026-02-27', '2026-03-01')).toBe(2);
  expect([0, 1, -20].map(dueText)).toEqual(['due today', 'due in 1 day', '20 days overdue']);
});

describe('the report', () => {
  const amounts = (tax_amount: string) => ({ tax_amount, taxable_amount: tax_amount, gross_amount: tax_amount });
  const row = (currency: string, month: string, sold: string, credited: string) =>
    ({ state: 'US-MI', currency, month, sales: amounts(sold), credits: amounts(credited) }) as Row;

  it.each([
    ['USD', '10.00', '2.50', ['0.00', '7.50']],
    ['JPY', '1000', '1200', ['0', '-200']],
    ['KWD', '1.500', '0.000', ['0.000', '1.500']],
  ])('uses the decimals of %s, even in a month without sales', (currency, sold, credited, expected) => {
    const rows = [row(currency, '2026-10', sold, credited), row('EUR', '2026-09', '9.99', '0.00')];
    const months = getMonthly(rows, { currency, state: '', measure: measures[0] }, '2026-09', '2026-10');
    expect(months.map(({ amount }) => amount)).toEqual(expected);
  });

  it('subtracts credits and lists the currency with the most documents first', () => {
    const counted = (found: Row, count: number): Row => {
      return { ...found, sales: { ...found.sales, count }, credits: { ...found.credits, count: 0 } };
    };
    const [cad, usd] = [row('CAD', '2026-09', '9.00', '0.00'), row('USD', '2026-10', '10.00', '2.50')];
    const rows = [counted(cad, 4), counted(usd, 290)];
    expect(listCurrencies(rows)).toEqual(['USD', 'CAD']);
    const amounts = { tax: '7.50', taxable: '7.50', sales: '7.50', credits: '-2.50' };
    expect(sumTotals(rows, 'USD', 'US-MI')).toEqual(amounts);
    expect(stateTotals(rows, 'USD')).toEqual([{ state: 'US-MI', amounts }]);
  });

  it('lists the tax of states without a registration, by currency, unless credits refunded it', () => {
    const inOhio = (found: Row): Row => ({ ...found, state: 'US-OH' });
    const rows = [
      row('USD', '2026-09', '6.00', '0.00'),
      inOhio(row('USD', '2026-09', '4.00', '0.00')),
      inOhio(row('USD', '2026-10', '0.20', '1.20')),
      inOhio(row('CAD', '2026-10', '8.00', '8.00')),
      inOhio(row('JPY', '2026-10', '0', '5')),
    ];
    expect(listUnregisteredTax(rows, new Set(['US-MI'])).toSorted((a, b) => (a.amount < b.amount ? -1 : 1))).toEqual([
      { state: 'US-OH', currency: 'JPY', amount: '-5' },
      { state: 'US-OH', currency: 'USD', amount: '3.00' },
    ]);
  });
});

describe('routes', () => {
  it('round-trips routes through links', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 3 }),
        fc.dictionary(fc.string({ minLength: 1 }), fc.string({ minLength: 1 })),
        (path, query) => {
          const { path: read, query: found } = parseRoute(linkTo(path, query));
          expect([read, Object.fromEntries(found)]).toEqual([path, { ...query }]);
        },
      ),
    );
  });

  it('keeps paths with malformed escapes unchanged', () => expect(parseRoute('#/a%ZZ').path).toEqual(['a%ZZ']));
});

describe('error messages', () => {
  const error = { code: 'some_code', detail: 'Send another.' };
  const refusal = (status: number) =>
    new LevyRefused({ status, ...error, errors: [{ ...error, title: 'Another is needed' }] });
  const outgoing = { method: 'GET', url: 'https://levy.example', headers: new Headers(), body: null };
  const unavailable = (status: number | null) =>
    new LevyUnavailable(outgoing, 1, status === null ? null : { status, headers: new Headers(), body: {} }, null);

  it.each([
    [refusal(401), 'signed_out'],
    [refusal(403), 'forbidden'],
    [refusal(409), 'changed'],
    [refusal(412), 'changed'],
    [refusal(422), 'refused'],
    [unavailable(429), 'busy'],
    [unavailable(503), 'broken'],
    [unavailable(null), 'offline'],
    [new TypeError('x'), 'broken'],
  ])('returns the kind "$1" for $0', (error, kind) => expect(getTrouble(error)?.kind).toBe(kind));

  it('includes the detail of a refusal', () => expect(getTrouble(refusal(422))?.advice).toBe('Send another.'));

  it('ignores an aborted request', () => expect(getTrouble(new DOMException('stopped', 'AbortError'))).toBeNull());
});

it('names the actor, and does not show a token as a key or a schedule', () => {
  const unnamed = { id: 'key_2', label: null };
  const account = { api_keys: [{ id: 'key_1', label: 'Ann, finance' }, unnamed] };
  for (const [by, name] of [
    ['key_1', 'Ann, finance'],
    ['key_2', 'key_2'],
    ['key_gone', 'key_gone'],
    ['token:ann@example', 'ann@example (single sign-on)'],
    ['token:operator', 'operator (single sign-on)'],
    ['token:key_1', 'key_1 (single sign-on)'],
    ['close-periods', 'Schedule'],
    ['operator', 'Operator'],
  ] as const)
    expect([by, actorName(account, by)]).toEqual([by, name]);
});

describe('the hash chain of a history', () => {
  const entries = (): Parameters<typeof brokenVersion>[1][number][] => {
    const all: Parameters<typeof brokenVersion>[1][number][] = [];
    for (let version = 1; version <= 4; version++) {
      const previous_hash = all.at(-1)?.hash ?? null;
      const entry = { version, at: '2026-11-01T00:00:00.000Z', by: 'key_1', from: null, to: 'draft', fields: ['a'] };
      const hashed = { transactionId: 'txn_1', ...entry, stateHash: `s${version}`, previousHash: previous_hash };
      all.push({ ...entry, state_hash: `s${version}`, previous_hash, hash: hashEntry(hashed) });
    }
    return all;
  };

  it('accepts an unchanged history', async () => expect(await brokenVersion('txn_1', entries(), 4)).toBeNull());

  it.each([
    ['a changed field', (all) => all.with(1, { ...(all[1] as never as (typeof all)[1]), by: 'key_2' } as never), 2],
    ['a removed entry', (all) => all.toSpliced(1, 1), 3],
    ['a removed first entry', (all) => all.slice(1), 2],
    ['a removed last entry', (all) => all.slice(0, -1), 4],
    ['no entries', () => [], 1],
  ] as readonly [string, (all: ReturnType<typeof entries>) => ReturnType<typeof entries>, number][])(
    'detects %s',
    async (_, change, version) => expect(await brokenVersion('txn_1', change(entries()), 4)).toBe(version),
  );
});

describe('sign-in', () => {
  const issuer = 'https://login.example';
  const configured = { issuer, client_id: 'console', scope: 'openid', origins: [issuer] };
  const store = () => {
    const items = new Map<string, string>();
    return {
      items,
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    };
  };
  const json =
    (body: object, status = 200) =>
    async () =>
      new Response(JSON.stringify(body), { status });
  const endpoints = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
  const page = { address: 'https://levy.example/v1/console?x=1#/filings', hash: '#/filings' };

  it('uses the challenge of RFC 7636, appendix B', async () =>
    expect(await sha256('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    ));

  it('rejects the configuration of a different issuer, and a token endpoint on another host', async () => {
    const response = signInAddress(configured, page, store(), json({ ...endpoints, issuer: 'https://evil.example' }));
    await expect(response).rejects.toThrow('contains a different issuer');
    const elsewhere = { ...endpoints, token_endpoint: 'https://tokens.example/token' };
    await expect(signInAddress(configured, page, store(), json(elsewhere))).rejects.toThrow('not at the issuer');
  });

  it('stores nothing if a code is used twice, and explains the missing token', async () => {
    const kept = store();
    const address = new URL(await signInAddress(configured, page, kept, json(endpoints)));
    expect(address.searchParams.get('redirect_uri')).toBe('https://levy.example/v1/console');
    const back = `https://levy.example/v1/console?code=c&state=${address.searchParams.get('state')}`;
    const send = async (url: string | URL | Request) =>
      String(url).endsWith('/token') ? json({ error: 'invalid_grant' }, 400)() : json(endpoints)();
    expect(await returnedFrom(configured, back, kept, send)).toEqual({ failure: expect.stringContaining('400') });
    expect(kept.items.size).toBe(0);
    const again = await returnedFrom(configured, back, kept, send);
    expect(again).toMatchObject({ failure: expect.stringContaining('did not begin in this tab') });
    expect(await returnedFrom(configured, 'https://levy.example/v1/console', kept, send)).toBeNull();
  });

  it("shows the issuer's error message only if the sign-in began in this tab", async () => {
    const kept = store();
    const refusal = 'https://levy.example/v1/console?error=denied&error_description=Send+your+key+to+us';
    const foreign = await returnedFrom(configured, refusal, kept, json(endpoints));
    expect(foreign).toMatchObject({ failure: expect.stringContaining('did not begin in this tab') });
    const state = new URL(await signInAddress(configured, page, kept, json(endpoints))).searchParams.get('state');
    const own = await returnedFrom(configured, `${refusal}&state=${state}`, kept, json(endpoints));
    expect(own).toMatchObject({ failure: expect.stringContaining('Send your key') });
  });
});

it('omits empty strings from the certificates of a form, and removes a certificate without a reason', () => {
  const document_url = 'https://a.example/C-1';
  const sent = { 'reason-0': 'resale', 'certificate_number-0': 'C-1', 'document_url-0': document_url };
  const empty = { 'valid_from-0': '', 'valid_to-0': '', 'reason-1': '', 'states-1': '' };
  const values = { ...sent, 'states-0': 'mi, OH', ...empty };
  const terms = { certificate_number: 'C-1', document_url, valid_from: null, valid_to: null };
  expect(certificatesFrom(values)).toEqual([{ reason: 'resale', states: ['mi', 'OH'], ...terms }]);
  expect(certificatesFrom({ ...values, 'reason-0': 'remove' })).toEqual([]);
  expect(certificatesFrom({ ...values, 'valid_from-1': '2026-01-01' })).toContain('certificate 2');
});

it('draws one map tile per state with content, each in a different place', () => {
  const states = builtInReleases().map(({ state }) => state.slice(3));
  expect(Object.keys(tiles).sort()).toEqual(states.sort());
  expect(new Set(Object.values(tiles).map(String)).size).toBe(states.length);
});

describe('the search of a list', () => {
  /** A list in which each request searches a part. Each request advances the clock by a number of seconds. */
  const getSearch = (parts: readonly (readonly string[])[], { limit = 3, seconds = 0 } = {}) => {
    const requests: PageRequest[] = [];
    const progress: Part<string>[] = [];
    let nowMs = 0;
    const found = searchPage<string>({
      load: async (request) => {
        requests.push(request);
        nowMs += seconds * 1000;
        const at = Number(request.starting_after ?? 0);
        const isLast = at === parts.length - 1;
        const rows = (parts[at] ?? []).slice(0, request.limit);
        return isLast ? { rows, next: null, backTo: null } : { rows, next: `${at + 1}`, backTo: `2026-01-${20 - at}` };
      },
      limit,
      after: null,
      now: () => nowMs,
      onProgress: (part: Part<string>) => void progress.push(part),
    });
    return { found, requests, progress };
  };

  it('continues until the page is full, and requests only the remaining rows', async () => {
    const { found, requests } = getSearch([[], ['a'], [], ['b', 'c', 'd'], ['e']]);
    expect(await found).toMatchObject({ rows: ['a', 'b', 'c'], next: '4', backTo: '2026-01-17' });
    const limits = requests.map(({ starting_after, limit }) => `${starting_after} ${limit}`);
    expect(limits).toEqual(['undefined 3', '1 3', '2 2', '3 2']);
  });

  it('ends only at the end of the list', async () => {
    const { found, progress } = getSearch([[], [], []]);
    expect(await found).toEqual({ rows: [], next: null, backTo: null });
    expect(progress.map(({ backTo }) => backTo)).toEqual(['2026-01-20', '2026-01-19']);
  });

  it.each([
    ['a few seconds if it has found rows', [['a'], [], [], []], 2],
    ['20 seconds while it has found nothing', Array.from({ length: 30 }, () => []), 7],
  ])('stops after %s and returns a cursor to continue from', async (_when, parts, most) => {
    const { found, requests } = getSearch(parts, { seconds: 3 });
    expect((await found).next).toBe(String(requests.length));
    expect(requests.length).toBeLessThanOrEqual(most);
    expect(requests.length).toBeLessThan(parts.length);
  });
});

it.each([
  ['100.00', '112.50', '12.5'],
  ['100.00', '87.5', '-12.5'],
  ['3.00', '4.00', '33.3'],
  ['8.00', '7.99', '-0.1'],
  ['-50.00', '25.00', '150.0'],
  ['-50.00', '-75.00', '-50.0'],
  ['1', '1', '0.0'],
  ['0.00', '5.00', null],
  ['0.01', '9999999999.99', '99999999999800.0'],
])('returns the change from %s to %s in percent: %s', (before, after, expected) => {
  expect(percentChange(before, after)).toBe(expected);
});

it.each([
  [{ from: '2026-03', to: '2026-03' }, ['2026-02 2026-02', '2025-03 2025-03']],
  [{ from: '2026-01', to: '2026-03' }, ['2025-10 2025-12', '2025-01 2025-03']],
  [{ from: '2025-04', to: '2026-03' }, ['2024-04 2025-03']],
])('compares %j with the months before and the same months of last year', (range, expected) => {
  expect(earlierRanges(range).map(({ from, to }) => `${from} ${to}`)).toEqual(expected);
});

const columns = ['id', 'note', 'tax_amount', 'count', 'rate'] as const;
type Cells = Record<(typeof columns)[number], string | number | null>;
const emptyRow = { id: 'a', note: null, tax_amount: null, count: null, rate: null };
const row = (values: Partial<Cells>): Cells => ({ ...emptyRow, ...values });

/** Exports pages of rows, and returns the file and the progress. */
const exported = async (format: 'CSV' | 'XLSX', ...pages: Cells[][]) => {
  const counts: number[] = [];
  const read = async ({ starting_after = '0' }) => {
    const at = Number(starting_after);
    const next = at + 1 < pages.length ? { starting_after: String(at + 1) } : null;
    return { csv: csvText(columns, pages[at] ?? []), next };
  };
  const file = await exportFile(format, { read, onRows: (count) => void counts.push(count) });
  return { bytes: Buffer.from(await file.arrayBuffer()), counts };
};
const getSheet = (bytes: Buffer) => Buffer.from(unzipSync(bytes)['xl/sheet.xml'] ?? []).toString();

it('parses the cells of CSV text', () => {
  const texts = ['', 'a', 'a,b', '"', 'say ""hi"", or\r\nnot', ' x '];
  const rows = texts.map((note) => row({ note }));
  expect(parseCsv(csvText(columns, rows))).toEqual([[...columns], ...texts.map((note) => ['a', note, '', '', ''])]);
});

it('writes a workbook whose cells equal the CSV file, with numbers where a double has all of the digits', async () => {
  const pages = [
    [row({ note: 'Müller & <Söhne>', tax_amount: '-1234.50', count: 3, rate: '0.08875' })],
    [],
    [
      row({ note: '=1+1', tax_amount: '9999999999999.99' }),
      row({ note: '_x0041_\u0001', tax_amount: '12345678901234.56' }),
      row({ note: '0012', tax_amount: '0.00', count: 0 }),
    ],
  ];
  const { bytes, counts } = await exported('XLSX', ...pages);
  const [sheet] = (await readExcelFile(bytes)) as unknown as { data: unknown[][] }[];
  expect(sheet?.data).toEqual([
    [...columns],
    ['a', 'Müller & <Söhne>', -1234.5, 3, 0.08875],
    ['a', "'=1+1", 9999999999999.99, null, null],
    ['a', '_x0041_\ufffd', '12345678901234.56', null, null],
    ['a', '0012', 0, 0, null],
  ]);
  expect(counts).toEqual([1, 1, 4]);
  expect(getSheet(bytes)).toContain('<v>-1234.50</v>');
  const csv = (await exported('CSV', ...pages)).bytes.toString();
  expect(csv).toBe(`\ufeff${csvText(columns, pages.flat())}`);
});

it('writes 100,000 rows, with the sum of their amounts', async () => {
  const buildRow = (page: number, at: number) =>
    row({ id: `txn_${page * 100 + at}`, tax_amount: `${page}.${10 + (at % 90)}` });
  const pages = Array.from({ length: 1000 }, (_, page) => Array.from({ length: 100 }, (_, at) => buildRow(page, at)));
  const { bytes, counts } = await exported('XLSX', ...pages);
  expect(counts.at(-1)).toBe(100_000);
  const values = getSheet(bytes).matchAll(/<v>(\d+)\.(\d\d)<\/v>/g);
  const cents = [...values].map(([, whole, part]) => BigInt(`${whole}${part}`));
  expect(cents).toHaveLength(100_000);
  // Each whole amount from 0 to 999 has 100 rows, with the cents 10 to 99 and then 10 to 19.
  const parts = Array.from({ length: 100 }, (_, at) => 10 + (at % 90)).reduce((sum, part) => sum + part, 0);
  expect(cents.reduce((sum, value) => sum + value, 0n)).toBe(BigInt(100 * 100 * ((999 * 1000) / 2) + 1000 * parts));
});
