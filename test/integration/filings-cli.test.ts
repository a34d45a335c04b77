/** `npm run filings`: its output, exports and changes, compared with the API and with sums of the recorded transactions. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { Decimal } from 'decimal.js';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dayBefore, lastDay, toDay, toMonth } from '../../shared/base/calendar.ts';
import { filingsProgram } from '../../shared/cli/filings.ts';
import { now } from '../../shared/config/clock.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { intercept, noFaults } from '../support/faults.ts';
import {
  closedFiling,
  createFiler,
  csv,
  dryRun,
  expectVerified,
  type Filer,
  monthly,
  soldOn,
} from '../support/filings.ts';
import type { Schema } from '../support/http.ts';
import { expectFailure, expectSuccess, runInProcess } from '../support/run-command.ts';
import { buildCreditRequest, made } from '../support/sales.ts';
import { createFolder } from '../support/temporary-files.ts';

const august = ['--state', 'IN', '--period-end', '2021-08-31'];
const michigan = (day: string) => ['--state', 'Michigan', '--period-end', day];

const createShop = (caller: Caller) => ({
  caller,
  filer: createFiler(caller),
  run: (...args: string[]) => runInProcess(filingsProgram(), [...args, '--account', caller.account.id]),
});
type Shop = ReturnType<typeof createShop>;

let shop: Shop;
const folder = createFolder();
const recorded: Schema<'Transaction'>[] = [];
const notCovered = new Set<string>();

/**
 * The ledger has 108 sales and 6 credits in Indiana in August 2025. Every ninth sale is not covered, and one is
 * over-collected.
 */
const recordAugust = async (filer: Filer) => {
  for (let at = 0; at < 108; at++) {
    const product_tax_code = at % 9 === 0 ? 'FOOD.GROCERY' : 'GENERAL';
    const customer = { id: `buyer, ${at}`, address: { city: 'Indianapolis', state: 'IN', postal_code: '46204' } };
    const line_items = [{ product_tax_code, quantity: '1', unit_price: `${at + 1}.35` }];
    const body = { status: 'finalized', reference_id: `order-${at}`, tax_date: '2021-08-15', customer, line_items };
    const sale = await made(filer.create({ ...body, ...(at === 50 && { tax_amount: '9.99' }) }));
    recorded.push(sale);
    if (at % 9 === 0) notCovered.add(sale.id);
    if (at % 20 === 5) recorded.push(await made(filer.create(buildCreditRequest(sale, { tax_date: '2021-08-20' }))));
  }
};

const getSum = (
  transactions: readonly Schema<'Transaction'>[],
  amount: (one: Schema<'Transaction'>) => Decimal.Value,
) =>
  transactions
    .reduce((sum, one) => sum.plus(new Decimal(amount(one)).times(one.type === 'credit' ? -1 : 1)), new Decimal(0))
    .toFixed(2);
const getGross = ({ line_items }: Schema<'Transaction'>) => Decimal.sum(...line_items.map((line) => line.net_amount));

const columnSum = (rows: readonly Record<string, string>[], name: string) =>
  rows.reduce((sum, row) => sum.plus(row[name] ?? 0), new Decimal(0)).toFixed(2);
const readRows = async (name: string): Promise<Record<string, string>[]> =>
  parse(await readFile(join(folder, name), 'utf8'), { columns: true, bom: true });

/** Expects an error: one line, exit code 1, nothing on standard output. */
const refusal = async (...args: string[]) => {
  const { code, out, err } = await shop.run(...args);
  expect([code, out, err.split('\n').length]).toEqual([1, '', 2]);
  return err.trimEnd();
};

const words = (text: string) => text.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));

beforeAll(async () => {
  shop = createShop(await newCaller({ settings: { books_open_from: '2020-01-01' } }));
  await recordAugust(shop.filer);
  for (const day of ['2026-08-03', '2026-09-04', '2026-10-05']) await soldOn(shop.filer, day);
  await closedFiling(shop.filer, 'MI', '2026-08-31');
});

describe('a period from dry run to filed', () => {
  let id: string;
  const gross = () => getSum(recorded, getGross);
  const tax = () => getSum(recorded, (one) => one.tax_amount);

  it('prints the amounts that the API returns in a dry run, and exports the totals', async () => {
    const { code, out } = await shop.run('dry-run', ...august);
    expect(code).toBe(0);
    const uncovered = getSum(
      recorded.filter((one) => notCovered.has(one.parent_transaction_id ?? one.id)),
      getGross,
    );
    const response = await dryRun(shop.filer, 'IN', '2021-08-31');
    const reasons = response.exceptions;
    expect(words(out)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Dry run: US-IN, 2021-08-01 to 2021-08-31/),
        expect.stringMatching(new RegExp(`^${reasons?.transactions?.[0]?.transaction_id}`)),
        expect.stringMatching(/^Due: day 20 \(average above/),
        `Gross sales | ${gross()}`,
        `Not covered | ${uncovered}`,
        `Tax collected | ${tax()}`,
        `Sales and credits | ${recorded.length}`,
        expect.stringMatching(
          new RegExp(`^Exceptions: ${reasons?.count}\\. By reason: not_covered 13 \\(gross USD ${uncovered}\\), over_`),
        ),
      ]),
    );
    const { asked_by: _, ...printed } = JSON.parse((await shop.run('dry-run', ...august, '--json')).out);
    expect(response).toMatchObject(printed);
    const nested = join(folder, 'new', 'folder');
    const exported = await shop.run('export', ...august, '--dry-run', '--out', nested);
    expectSuccess(exported, `${join(nested, 'US-IN_2021-08-31_dry_run.csv')}\n`);
    const rows = await readRows('new/folder/US-IN_2021-08-31_dry_run.csv');
    const total = rows.find((row) => row['jurisdiction_type'] === 'total');
    expect([total?.['gross_amount'], total?.['tax_amount']]).toEqual([gross(), tax()]);
  });

  it('requires a confirmation for close, then works until the period is closed', async () => {
    const { code, err } = await shop.run('close', ...august);
    expect([code, err]).toEqual([1, expect.stringContaining('pass --yes to confirm.')]);
    expect((await made(shop.filer.filings({ state: 'IN' }))).data).toEqual([]);
    const closed = await shop.run('close', ...august, '--yes', '--json');
    expect(closed.code).toBe(0);
    const filing = JSON.parse(closed.out);
    id = filing.id;
    expect(filing).toMatchObject({ status: 'closed', asked_by: 'operator', progress: { complete: true } });
    expect(filing).toEqual(await made(shop.filer.filing(id)));
    // A second call returns the same filing without a prompt.
    const again = await shop.run('close', ...august);
    expect([again.code, words(again.out)]).toEqual([0, expect.arrayContaining([`Gross sales | ${gross()}`])]);
  });

  it('prints the responses of the API for list, show and exceptions', async () => {
    const { data } = await made(shop.filer.filings());
    expect(JSON.parse((await shop.run('list', '--json')).out)).toEqual(data);
    expect(words((await shop.run('list', '--state', 'Indiana')).out)).toEqual([
      expect.stringMatching(/^filing \| state/),
      [id, 'US-IN', '2021-08-01 to 2021-08-31', 'closed', 'USD', gross(), '0.00', tax()].join(' | '),
      '1 filing.',
      '',
    ]);
    // The 20th is a Sunday.
    expect(words((await shop.run('list', '--state', 'MI')).out)[1]).toMatch(/ closed \| 2026-09-21 \| USD \| 100\.00 /);
    const filing = await made(shop.filer.filing(id));
    expect(JSON.parse((await shop.run('show', ...august, '--json')).out)).toEqual(filing);
    expect((await shop.run('show', id)).out).toMatch(/US-IN +Indiana .*\n/);
    const exceptions: Schema<'FilingException'>[] = JSON.parse((await shop.run('exceptions', id, '--json')).out);
    expect(exceptions).toEqual((await made(shop.filer.exceptions(id, { limit: '100' }))).data);
    const table = (await shop.run('exceptions', ...august)).out;
    for (const reference of ['order-0', 'order-99', 'order-50']) expect(table).toContain(` ${reference} `);
    expect(table).toContain(`${filing.exceptions?.count} exceptions.`);
    const over = exceptions.flatMap(({ reasons }) => reasons).find(({ reason }) => reason === 'over_collected');
    expect(table).toContain(`over_collected, gross ${over?.gross_amount}`);
  });

  it('exports every entry once, and the totals', async () => {
    const { code, out } = await shop.run('export', id, '--out', folder);
    const names = ['US-IN_2021-08-31_closed.csv', 'US-IN_2021-08-31_closed_entries.csv'] as const;
    expect([code, out]).toEqual([0, names.map((name) => `${join(folder, name)}\n`).join('')]);
    const entries = await readRows(names[1]);
    expect(entries.map((row) => row['transaction_id']).sort()).toEqual(recorded.map((one) => one.id).sort());
    expect([columnSum(entries, 'gross_amount'), columnSum(entries, 'tax_amount')]).toEqual([gross(), tax()]);
    expect(new Set(entries.map((row) => row['customer_id'])).size).toBe(108);
    expect(await readFile(join(folder, names[0]), 'utf8')).toBe(`\ufeff${(await shop.filer.filing(id, {}, csv)).text}`);
    // No file is overwritten.
    await writeFile(join(folder, names[1]), 'mine');
    await rm(join(folder, names[0]));
    expect((await shop.run('export', id, '--out', folder)).err).toContain(`${names[1]} already exists.`);
    expect(await readFile(join(folder, names[1]), 'utf8')).toBe('mine');
    expect(await readdir(folder)).not.toContain(names[0]);
  });

  it('requires the number of exceptions for file', async () => {
    const count = (await made(shop.filer.filing(id))).exceptions?.count ?? 0;
    const file = ['file', id, '--confirmation-number', 'IN-1'];
    expect(await refusal(...file)).toContain(`then pass --acknowledge-exceptions ${count}.`);
    expect(await refusal(...file, '--acknowledge-exceptions', `${count - 1}`)).toContain(`-exceptions ${count}.`);
    expect((await made(shop.filer.filing(id))).status).toBe('closed');
    const filed = await shop.run(...file, '--acknowledge-exceptions', `${count}`);
    expect([filed.code, filed.out]).toEqual([0, expect.stringContaining('confirmation number IN-1.')]);
    for (const { id: transaction } of recorded) expect((await made(shop.filer.get(transaction))).status).toBe('filed');
    const history = await shop.caller.call('GET', `/transactions/${recorded[0]?.id}/history`);
    expect(history.text).toContain('"operator"');
    const fixed = await refusal('file', id, '--confirmation-number', 'IN-2');
    expect(fixed).toContain('number cannot be changed');
    expect(fixed).toContain('pass its current number as --previous-confirmation-number.');
    const numbers = '--confirmation-number IN-2 --previous-confirmation-number IN-1'.split(' ');
    expectSuccess(await shop.run('file', id, ...numbers), 'confirmation number IN-2.');
    expect(await refusal('cancel', id)).toContain('filed');
  });

  it('reports no findings in ledger verify', () => expectVerified(shop.caller));
});

describe('close', () => {
  const ohio = ['--state', 'OH', '--period-end', '2026-10-31'];
  const withMichigan = { registrations: [monthly('MI')] };

  it('requires --unregistered for a state without a registration', async () => {
    const { run, filer } = createShop(await newCaller({ settings: withMichigan }));
    const message = 'The account is not registered in US-OH from 2026-10-01 to 2026-10-31. Check the state.';
    expectFailure(await run('close', ...ohio, '--yes', '--json'), `${message} Pass --unregistered`);
    expectSuccess(await run('dry-run', ...ohio), message);
    expect((await made(filer.filings())).data).toEqual([]);
    expect((await run('close', ...ohio, '--yes', '--unregistered', '--json')).code).toBe(0);
  });

  it('rejects a period before the first one, and prints the reason', async () => {
    const { run } = createShop(await newCaller({ settings: withMichigan }));
    // The account was created this month.
    const end = dayBefore(`${toDay(now()).slice(0, 7)}-01`);
    const refused = await run('close', ...michigan(end), '--yes', '--json');
    expect(refused.err).toContain(`US-MI has no period that ends on ${end}: its first period in Levy ends on `);
    expect(refused.err).toContain('File earlier periods outside of Levy.');
  });

  it('rejects a period that is not over, before the confirmation', async () => {
    const { run } = createShop(await newCaller({ settings: withMichigan }));
    const running = lastDay(toMonth(toDay(now())));
    expectFailure(await run('close', ...michigan(running)), 'use `dry-run` to see');
  });
});

it('rejects --acknowledge-exceptions of file if there are no exceptions', async () => {
  const { run, filer } = createShop(await newCaller());
  const { id } = await closedFiling(filer, 'MI', '2026-10-31');
  const refused = await run('file', id, '--confirmation-number', 'MI-1', '--acknowledge-exceptions', '2');
  expectFailure(refused, 'The filing has no exceptions: leave out --acknowledge-exceptions.');
});

it('prints the effect of cancel, requires a confirmation, and opens the entries again', async () => {
  const older = (await made(shop.filer.filings({ state: 'MI' }))).data[0]?.id ?? '';
  const closed = await shop.run('close', ...michigan('2026-09-30'), '--yes', '--json');
  const { id }: { id: string } = JSON.parse(closed.out);
  const asked = await shop.run('cancel', id);
  expect([asked.code, asked.out]).toEqual([1, expect.stringContaining('1 entry')]);
  expect(await refusal('cancel', older, '--yes', '--json')).toContain('2026-09-30');
  expect((await shop.run('cancel', ...michigan('2026-09-30'), '--yes')).code).toBe(0);
  expect(await made(shop.filer.filing(id))).toMatchObject({ status: 'canceled', progress: { entries_reopened: 1 } });
  expect(await refusal('export', id, '--out', folder)).toContain('canceled');
  const dry = JSON.parse((await shop.run('dry-run', ...michigan('2026-09-30'), '--json')).out);
  expect(dry).toMatchObject({ id: null, summary: [{ tax_amount: '6.00', count: 1 }] });
});

const [may, october] = [michigan('2026-05-31'), michigan('2026-10-31')];
const isClosedToAugust = 'US-MI has no filing that ends on 2026-05-31, and its periods up to 2026-08-31 are closed.';
const emptyNumber = '--confirmation-number: Pass 1 to 100 characters';
it.each<[string, string[], string]>([
  ['a filing that does not exist', ['show', 'fil_none'], 'this id. List them with `npm run filings -- list`.'],
  [
    'a return without an identity',
    ['return', ...august, '--out', join(folder, 'return.xml')],
    'no return_identity. Set it with `npm run accounts -- settings`.',
  ],
  ['a period without a filing', ['show', ...michigan('2026-10-31')], 'US-MI ends on 2026-10-31'],
  ['no filing', ['show'], '--state with --period-end'],
  ['a state without a period', ['export', '--state', 'MI'], '--state with --period-end'],
  ['an id and a period', ['cancel', 'a', ...august], '--state with --period-end'],
  ['a day that is not the end of a period', ['dry-run', ...michigan('2026-10-30')], '2026-09-30 or 2026-10-31.'],
  ['a dry run of a future period', ['dry-run', ...michigan('2099-10-31')], 'is in the future.'],
  ['a period out of order', ['close', ...october, '--yes', '--json'], 'Close the one that ends on 2026-09-30 first.'],
  ['a period before the filings of the state', ['close', ...may, '--yes', '--json'], isClosedToAugust],
  ['an empty confirmation number', ['file', 'a', '--confirmation-number', ' '], emptyNumber],
  ['a dry run of a filing', ['export', 'a', '--dry-run'], 'without the id of a filing.'],
])('rejects %s with a message of one line', async (_name, args, message) => {
  expect(await refusal(...args)).toContain(message);
});

it.each([
  [
    'an unknown state',
    ['list', '--state', 'Bavaria'],
    "'--state <state>' argument 'Bavaria' is invalid. \"Bavaria\" is",
  ],
  ['an invalid day', ['dry-run', ...michigan('2026-02-30')], "'--period-end <day>' argument '2026-02-30' is invalid."],
])('rejects %s with the option', async (_name, args, message) => {
  expectFailure(await shop.run(...args), message);
});

describe('failing exports', () => {
  afterEach(noFaults);

  /** Fails the n-th database call and all later ones; returns the number of calls. */
  const failFrom = (n: number) => {
    const seen = { calls: 0 };
    noFaults();
    intercept(async ({ pass }) => {
      seen.calls += 1;
      if (seen.calls >= n) throw Object.assign(new Error('No.'), { name: 'AccessDeniedException', $metadata: {} });
      return pass();
    });
    return seen;
  };

  it('leaves no file if any call fails', async () => {
    const out = createFolder();
    const all = failFrom(Number.POSITIVE_INFINITY);
    expect((await shop.run('export', ...august, '--out', out)).code).toBe(0);
    expect(await readdir(out)).toHaveLength(2);
    for (const file of await readdir(out)) await rm(join(out, file));
    expect(all.calls).toBeGreaterThan(5);
    for (let n = 1; n <= all.calls; n++) {
      failFrom(n);
      const { code, err } = await shop.run('export', ...august, '--out', out);
      expect([n, code, err]).toEqual([n, 1, expect.stringContaining('DynamoDB refused the request')]);
      expect(await readdir(out)).toEqual([]);
    }
  });
});
