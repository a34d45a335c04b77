import { beforeAll, describe, expect, it } from 'vitest';
import { handler } from '../../functions/announce-changes.ts';
import { matches, openStream } from '../../infra/local/table-stream.ts';
import { storedEvents } from '../../shared/cli/ledger/events.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { environment } from '../../shared/config/environment.ts';
import { patterns } from '../../shared/events/announce.ts';
import type { FilingEvent, ReminderEvent, TransactionEvent } from '../../shared/events/event.ts';
import type { Filing } from '../../shared/filings/response.ts';
import type { HistoryEntry } from '../../shared/ledger/response.ts';
import { auditKey } from '../../shared/store/keys.ts';
import { newCaller } from '../support/api.ts';
import { eventFaults } from '../support/events.ts';
import { cancel, closedFiling, createFiler, dryRun, plainSums, settled } from '../support/filings.ts';
import { hurriedCall, runSchedule } from '../support/gateway.ts';
import { readRecords } from '../support/raw-items.ts';
import { expectFailure, runInProcess } from '../support/run-command.ts';
import { buildCreditRequest, dayMs, goods, later, made, michigan, sale } from '../support/sales.ts';
import { tamper, undoTampering } from '../support/tampering.ts';

const secret = 'Personal-4711';
const personal = {
  customer: { id: `${secret}-id`, address: { ...michigan, line1: secret } },
  metadata: { note: secret },
  line_items: [goods({ id: secret, description: secret, metadata: { of: secret } })],
};

// Names of the created objects, by id. The expected events below start with these names.
const named = new Map<string, string>();
const name = <Named extends { readonly id: string }>(as: string, value: Named): Named => {
  named.set(value.id, as);
  return value;
};

/** The fields of stream records for audit entries and filings that the test reads and changes. */
type Image = {
  readonly isUnfinished: { BOOL: boolean };
  readonly about: { readonly M: Record<string, unknown> };
  version?: unknown;
};
type StreamRecord = {
  readonly dynamodb: {
    readonly SequenceNumber: string;
    readonly Keys: { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } };
    readonly NewImage: Image;
  };
};

type Published = Exclude<Awaited<ReturnType<typeof handler>>[number], ReminderEvent>[];
let records: StreamRecord[];
let letThrough: StreamRecord[];
let published: Published;
let account: string;
const histories = new Map<string, readonly HistoryEntry[]>();
let filings: { readonly first: Filing; readonly second: Filing };
let corrected: Filing;

const inOctober = { tax_date: '2026-10-08' };
const partialCredit = { ...inOctober, line_items: [{ id: 'item_1', quantity: '1' }] };

/** Calls every operation that changes a ledger, through real requests. */
const exercise = async () => {
  const caller = await newCaller({ settings: { draft_ttl_hours: 24 } });
  const filer = createFiler(caller);
  account = caller.account.id;

  const wavering = name('wavering', await made(filer.create(sale({ ...personal, reference_id: 'order-1' }))));
  await made(filer.update(wavering.id, { metadata: { changed: 'yes' } }));
  await made(filer.update(wavering.id, { line_items: [goods({ id: 'item_1', quantity: '1' })] }));
  await made(filer.update(wavering.id, { status: 'finalized' }));
  await made(filer.update(wavering.id, { status: 'finalized' }));
  await made(filer.update(wavering.id, { status: 'void', void_reason: secret }));
  expect((await filer.update(wavering.id, { status: 'finalized' })).status).toBe(409);

  const again = { 'Idempotency-Key': 'twice' };
  const sold = name('sold', await made(filer.create(sale({ status: 'finalized', reference_id: 'order-2' }), again)));
  expect((await filer.create(sale({ status: 'finalized', reference_id: 'order-2' }), again)).body.id).toBe(sold.id);
  expect((await filer.create(sale({ status: 'finalized', reference_id: 'order-2' }))).status).toBe(409);
  await made(filer.calculate(sale()));

  const credit = async (body: object) => made(filer.create(buildCreditRequest(sold, { ...body })));
  const refund = name('refund', await credit({ ...partialCredit, status: 'draft' }));
  await made(filer.update(refund.id, { status: 'finalized' }));
  const mistake = name('mistake', await credit({ ...inOctober, credit_remaining: true }));
  await made(filer.update(mistake.id, { status: 'void', void_reason: 'expired' }));

  // The schedule voids one draft, a late request voids another, and a client voids the third in time.
  const forgotten = name('forgotten', await made(filer.create(sale({ reference_id: 'order-3' }))));
  const late = name('late', await made(filer.create(sale())));
  const givenUp = name('given up', await made(filer.create(sale())));
  await made(filer.update(givenUp.id, { status: 'void', void_reason: 'expired' }));
  await later(dayMs, async () => {
    expect((await filer.update(late.id, { status: 'finalized' })).status).toBe(409);
    expect(await runSchedule('sweep-drafts')).toMatchObject({ complete: true });
    expect((await made(filer.get(forgotten.id))).status).toBe('void');
  });

  await dryRun(filer, 'US-MI', '2026-10-31');
  const first = name('first', await closedFiling(filer, 'US-MI', '2026-10-31'));
  const canceled = await cancel(filer, first.id);
  const second = name('second', await closedFiling(filer, 'US-MI', '2026-10-31'));
  const correct = (previous_confirmation_number: string | null, confirmation_number: string, by = filer) =>
    made(by.change(second.id, { status: 'filed', confirmation_number, previous_confirmation_number }));
  // Corrects a typing error before all transactions are marked, by an instance whose clock is ahead.
  const hurried = createFiler({ call: await hurriedCall(caller) });
  await correct(null, 'c-76', hurried);
  await later(60_000, () => correct('c-76', 'c-77', hurried));
  const filed = await settled(filer, second.id);
  // Corrects two typing errors after all transactions are marked. The clock of the first instance is behind.
  await later(-60_000, () => correct('c-77', 'c-78'));
  corrected = await correct('c-78', 'c-79');
  filings = { first: canceled, second: filed };
  for (const id of named.keys())
    if (id.startsWith('txn_')) histories.set(id, (await made(filer.call('GET', `/transactions/${id}/history`))).data);
};

beforeAll(async () => {
  const stream = await openStream(environment.tables.transactions);
  await exercise();
  records = (await readRecords(stream)) as StreamRecord[];
  letThrough = records.filter((record) => patterns.some((pattern) => matches(pattern, record)));
  published = (await handler(letThrough)) as Published;
});

const getSubject = (event: Published[number]) => ('filing' in event ? event.filing : event.transaction);
const short = (event: Published[number]) => {
  const { id, version } = getSubject(event);
  const change = 'transaction' in event ? `${event.transaction.previous_status} to ${event.transaction.status}` : '';
  return `${named.get(id)} ${version} ${event.event_type} ${change}`.trim();
};

it('publishes exactly the listed changes', () => {
  expect(published.map(short).sort()).toEqual(
    [
      'wavering 1 transaction.created null to draft',
      'wavering 4 transaction.finalized draft to finalized',
      'wavering 5 transaction.voided finalized to void',
      'sold 1 transaction.created null to finalized',
      'sold 1 transaction.finalized null to finalized',
      // The credits of `sold` changed its counters, which is not a status change.
      'sold 5 transaction.filed finalized to filed',
      'refund 1 transaction.created null to draft',
      'refund 2 credit.finalized draft to finalized',
      'refund 3 transaction.filed finalized to filed',
      'mistake 1 transaction.created null to finalized',
      'mistake 1 credit.finalized null to finalized',
      'mistake 2 transaction.voided finalized to void',
      'forgotten 1 transaction.created null to draft',
      'forgotten 2 draft.expired draft to void',
      'late 1 transaction.created null to draft',
      'late 2 draft.expired draft to void',
      'given up 1 transaction.created null to draft',
      'given up 2 transaction.voided draft to void',
      'first 2 filing.closed',
      'first 4 filing.canceled',
      'second 2 filing.closed',
      'second 5 filing.filed',
      'second 6 filing.filed',
      'second 7 filing.filed',
    ].sort(),
  );
});

const getEvent = (as: string, type: string) =>
  published.find((event) => named.get(getSubject(event).id) === as && event.event_type === type) as Published[number];

it('includes the amounts of a transaction, and no personal data', () => {
  const event = getEvent('mistake', 'credit.finalized') as TransactionEvent;
  const { id, parent_transaction_id } = event.transaction;
  expect(named.get(parent_transaction_id as string)).toBe('sold');
  // The refund covered one of two units.
  const half = { total_amount: '53.00', tax_amount: '3.00' };
  const states = { version: 1, type: 'credit', status: 'finalized', previous_status: null, reference_id: null };
  expect(event).toEqual({
    event_id: `${id}.1.credit.finalized`,
    event_type: 'credit.finalized',
    account,
    occurred_at: histories.get(id)?.find(({ version }) => version === 1)?.at,
    transaction: { id, ...states, parent_transaction_id, currency: 'USD', tax_date: '2026-10-08', ...half },
  });
  // These are the amounts at finalization, not at creation.
  for (const [type, amounts] of [
    ['transaction.created', { total_amount: '106.00', tax_amount: '6.00' }],
    ['transaction.finalized', half],
  ] as const)
    expect(getEvent('wavering', type)).toMatchObject({ transaction: { reference_id: 'order-1', ...amounts } });
  expect(JSON.stringify(records)).toContain(account);
  for (const word of [secret, 'Woodward', '48226', 'key_']) expect(JSON.stringify(published)).not.toContain(word);
});

it('includes the period, the sums and the confirmation number of a filing', () => {
  const event = getEvent('second', 'filing.filed') as FilingEvent;
  const { id } = event.filing;
  const { filed_at, period_start } = filings.second;
  const amounts = { currency: 'USD', gross_amount: '50.00', taxable_amount: '50.00', ...plainSums('0.00', '3.00') };
  const summary = [{ ...amounts, credit_amount: '-50.00', credit_count: 1, count: 2 }];
  const month = { state: 'US-MI', period_start, period_end: '2026-10-31', frequency: 'month' };
  expect(event).toEqual({
    event_id: `${id}.5.filing.filed`,
    event_type: 'filing.filed',
    account,
    occurred_at: filed_at,
    filing: { id, version: 5, status: 'filed', ...month, confirmation_number: 'c-77', summary },
  });
});

it('publishes a filed filing again with each corrected confirmation number, at the time of the correction', () => {
  const events = published.filter((event): event is FilingEvent => event.event_type === 'filing.filed');
  expect(events.map(({ filing, occurred_at }) => [filing.version, filing.confirmation_number, occurred_at])).toEqual([
    [5, 'c-77', corrected.filed_at],
    [6, 'c-78', corrected.corrections[1]?.at],
    [7, 'c-79', corrected.corrections[2]?.at],
  ]);
  const corrections = corrected.corrections.map(({ from, to }) => `${from} ${to}`);
  expect(corrections).toEqual(['c-76 c-77', 'c-77 c-78', 'c-78 c-79']);
  // The amounts are unchanged since the first event.
  const [first, ...others] = events.map(({ filing }) => filing.summary);
  expect(others).toEqual([first, first]);
});

it('sets the time of a filing event to the time of the change', () => {
  const times = (['first filing.closed', 'first filing.canceled', 'second filing.closed'] as const).map((wanted) => {
    const [as = '', type = ''] = wanted.split(' ');
    return getEvent(as, type).occurred_at;
  });
  const { first, second } = filings;
  expect(times).toEqual([first.closed_at, first.canceled_at, second.closed_at]);
  expect(new Set([...times, second.filed_at]).size).toBe(4);
});

describe('published events', () => {
  it('publishes events that match their schema, without additional fields', () => {
    expect(published.flatMap(eventFaults)).toEqual([]);
  });

  it('gives each event a unique id, which is the same if its record is redelivered', async () => {
    const ids = published.map(({ event_id }) => event_id);
    expect(new Set(ids).size).toBe(ids.length);
    const oneByOne = await Promise.all(letThrough.map((record) => handler([record])));
    expect(oneByOne.flat()).toEqual(published);
    expect(await handler([...letThrough, ...letThrough])).toEqual([...published, ...published]);
    // A redelivery by AWS: a new record id, slightly later.
    const laterOn = letThrough.map((record) => ({ ...record, eventID: 'again', awsRegion: 'eu-west-1' }));
    expect(await handler(laterOn)).toEqual(published);
  });
});

it('filters out every record without an event', () => {
  expect(records.length).toBeGreaterThan(3 * letThrough.length);
  // A transaction created as finalized is published twice.
  expect(letThrough.length).toBe(published.length - 2);
});

it('publishes no unfinished filing', async () => {
  const finished = letThrough.filter(({ dynamodb }) => dynamodb.Keys.pk.S.startsWith('F#'));
  expect(finished).toHaveLength(6);
  for (const record of finished) {
    const unfinished = structuredClone(record);
    unfinished.dynamodb.NewImage.isUnfinished.BOOL = true;
    expect(patterns.some((pattern) => matches(pattern, unfinished))).toBe(false);
    await expect(handler([unfinished])).rejects.toThrow(record.dynamodb.SequenceNumber);
  }
});

describe('printed events', () => {
  const byId = <Event extends { readonly event_id: string }>(events: readonly Event[]) =>
    [...events].sort((a, b) => (a.event_id < b.event_id ? -1 : a.event_id > b.event_id ? 1 : 0));
  const whole = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  const stored = async (span: { fromMs: number; toMs: number }) => {
    const faults: string[] = [];
    const onFault = (what: string) => faults.push(what);
    const events = await Array.fromAsync(storedEvents({ account, ...span, onFault }));
    expect(faults).toEqual([]);
    return events;
  };

  it('prints exactly the published events', async () => {
    expect(byId(await stored(whole))).toEqual(byId(published));
  });

  it('limits events to an inclusive time range', async () => {
    const instants = [...new Set(published.map(({ occurred_at }) => occurred_at))].sort();
    const [from, to] = [instants[3] as string, instants.at(-3) as string];
    const due = published.filter(({ occurred_at }) => occurred_at >= from && occurred_at <= to);
    expect(due.length).toBeGreaterThan(5);
    expect(due.length).toBeLessThan(published.length - 3);
    expect(byId(await stored({ fromMs: Date.parse(from), toMs: Date.parse(to) }))).toEqual(byId(due));
  });

  const events = (...args: string[]) => runInProcess(ledgerProgram(), ['events', '--bus', 'Levy-staging', ...args]);
  const always = ['--from', '2000-01-01T00:00:00Z', '--to', '2999-12-31T00:00:00Z'];

  it('prints events for `aws events put-events --entries` in batches of ten', async () => {
    const { code, out, err } = await events('--account', account, ...always);
    expect([code, err]).toEqual([0, `${published.length} events.\n`]);
    const lines: { readonly Detail: string }[][] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ length }) => length)).toEqual([10, 10, published.length - 20]);
    const entries = lines.flat();
    const envelope = { EventBusName: 'Levy-staging', Source: 'levy' };
    for (const { Detail, ...others } of entries)
      expect(others).toEqual({ ...envelope, DetailType: JSON.parse(Detail).event_type });
    expect(byId(entries.map(({ Detail }) => JSON.parse(Detail)))).toEqual(byId(published));
  });

  it('prints an error without the content of an invalid entry', async () => {
    const [id = ''] = [...named].find(([, as]) => as === 'wavering') ?? [];
    await tamper(auditKey(account, id, 4), (item) => ({
      ...item,
      about: { ...(item?.about as Record<string, unknown>), tax_amount: [secret] },
    }));
    try {
      const { code, out, err } = await events('--account', account, ...always);
      const [fault, count] = err.split('\n');
      expect([code, count]).toEqual([1, `${published.length - 1} events.`]);
      expect(fault).toMatch(`Version 4 of ${id} cannot be read: `);
      expect(`${out}${err}`).not.toContain(secret);
    } finally {
      await undoTampering();
    }
  });

  it.each([
    [['--account', 'acct_none', ...always], 'The account acct_none does not exist'],
    [
      ['--account', 'acct_none', '--from', '2026-11-21', '--to', '2026-11-22T00:00:00Z'],
      "'--from <timestamp>' argument '2026-11-21' is invalid. Pass a timestamp",
    ],
    [['--account', 'acct_none', '--from', '2026-11-22T00:00:00Z', '--to', '2026-11-21T00:00:00Z'], 'later than'],
  ])('prints no events with %j', async (args, why) => {
    expectFailure(await events(...args), why);
  });
});

describe('malformed stream records', () => {
  const broken = (change: (item: Image) => void) => {
    const audit = letThrough.find(({ dynamodb }) => dynamodb.Keys.sk.S.startsWith('A#')) as StreamRecord;
    const record = structuredClone(audit);
    record.dynamodb.NewImage.about.M.reference_id = { S: secret };
    change(record.dynamodb.NewImage);
    return record;
  };

  it.each<[string, (item: Image) => void]>([
    ['has no amounts', (item) => delete item.about.M.tax_amount],
    ['has no version', (item) => delete item.version],
    ['has no account', (item) => Object.assign(item, { pk: { S: secret } })],
    ['has a different type', (item) => Object.assign(item.about.M, { type: { S: secret } })],
  ])('rejects a record that %s with its sequence number, without its content in the log', async (_what, change) => {
    const record = broken(change);
    const failure = await handler([record]).then(
      () => null,
      (error: Error) => error,
    );
    expect(failure?.message).toContain(record.dynamodb.SequenceNumber);
    expect(`${failure?.message} ${failure?.stack} ${JSON.stringify(failure)}`).not.toContain(secret);
  });

  it('rejects a record with a different structure', async () => {
    for (const event of [null, {}, [null], [{ dynamodb: { SequenceNumber: '1' } }]])
      await expect(handler(event)).rejects.toThrow();
  });
});
