import { createHash } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { concurrently } from '../../shared/base/collections.ts';
import { newSalt } from '../../shared/ledger/personal-data/fields.ts';
import { redactTransaction, retainPersonalData } from '../../shared/ledger/personal-data/redact.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { deleteAccountItems } from '../../shared/store/accounts/account-items.ts';
import { redactionPorts, retentionPorts } from '../../shared/store/ledger/redaction-ports.ts';
import { sweepPosition } from '../../shared/store/sweep-position.ts';
import { type Client, newCaller, newClient } from '../support/api.ts';
import { failSends, intercept, lostResponse, noFaults } from '../support/faults.ts';
import { closedFiling, createFiler, csv, file } from '../support/filings.ts';
import { readRawItems } from '../support/raw-items.ts';
import { accounts, ledger } from '../support/run-command.ts';
import {
  buildCreditRequest,
  dayMs,
  everyRow,
  getRefusal,
  goods,
  later,
  made,
  michigan,
  sale,
  sold,
} from '../support/sales.ts';
import { choicesFrom, seeded } from '../support/seeded.ts';
import { alter, forge, ofTransaction, undoTampering, verified } from '../support/tampering.ts';

/** An account with random sales, credits, drafts, voids and filings. All of its personal data starts with `priv`. */

const mark = 'priv';

const redact = (...args: readonly string[]) => accounts('redact', '--account', ...args);
/** Redacts without a question, and returns the exit code and the printed object. */
const redactJson = async (...args: readonly string[]) => {
  const { code, out } = await redact(...args, '--yes', '--json');
  return { code, ...JSON.parse(out) };
};
const personal = {
  customer: { id: 'cus_9', address: { ...michigan, postal_code: '48226-1234' } },
  metadata: { email: 'a@example.org' },
};

const createRandom = (seed: number) => {
  let texts = 0;
  const secret = (kind: string) => `${mark}${kind}${seed}x${++texts}`;
  return { ...choicesFrom(seeded(seed)), secret };
};
type Random = ReturnType<typeof createRandom>;

const toCustomer = ({ below, chance, secret }: Random, id: string) => ({
  id,
  address: { ...michigan, line1: `${below(900)} ${secret('street')} St`, postal_code: `48226-9${below(10)}77` },
  ...(chance(0.3) && { exemption: { type: 'resale', certificate_id: secret('cert') } }),
});

const buildLine = (random: Random, at: number) => ({
  id: `item_${at}`,
  product_tax_code: 'GENERAL',
  quantity: String(1 + random.below(4)),
  unit_price: `${1 + random.below(300)}.${10 + random.below(90)}`,
  ...(random.chance(0.5) && { description: random.secret('text') }),
  ...(random.chance(0.3) && { metadata: { gift: random.secret('note') } }),
  ...(random.chance(0.2) && { customer: toCustomer(random, customerIds[random.below(5)] ?? random.secret('other')) }),
});

const toSale = (random: Random, id: string) =>
  sale({
    tax_date: `2026-10-${10 + random.below(18)}`,
    customer: toCustomer(random, id),
    explain: random.chance(0.3),
    line_items: Array.from({ length: 1 + random.below(3) }, (_, at) => buildLine(random, at)),
    metadata: { email: random.secret('mail') },
    // This unknown field causes a warning.
    [random.secret('field')]: true,
    ...(random.chance(0.3) && { ship_from: { address: { ...michigan, line1: random.secret('depot') } } }),
    // A charge with its own address records its certificates separately.
    ...(random.chance(0.5) && { shipping: { amount: '9.00', ship_to: { address: michigan } } }),
  });

const customerIds = ['privbuyerA', 'privbuyerB', 'privbuyerC'] as const;

/** Records about `count` sales, most of them with a credit or a change, files the month, and records more sales. */
const personalShop = async (seed: number, count: number) => {
  const random = createRandom(seed);
  const caller = await newCaller();
  const client = createFiler(caller);
  const keyed = () => ({ 'Idempotency-Key': random.secret('key').replace(mark, 'request') });
  for (const id of customerIds) {
    const body = { id, name: random.secret('name'), exemptions: [] };
    await made(client.call('POST', '/customers', { headers: keyed(), body }));
  }
  const record = async () => {
    const id = customerIds[random.below(customerIds.length)] as string;
    const status = random.chance(0.7) ? 'finalized' : 'draft';
    const recorded = await made(client.create({ ...toSale(random, id), status }, keyed()));
    if (random.chance(0.3))
      await made(client.update(recorded.id, { metadata: { note: random.secret('more') } }, keyed()));
    // The response to a request that changes nothing is also saved.
    if (random.chance(0.3)) await made(client.update(recorded.id, { metadata: {} }, keyed()));
    if (random.chance(0.15))
      await made(client.update(recorded.id, { status: 'void', void_reason: random.secret('reason') }, keyed()));
    else if (status === 'finalized' && random.chance(0.3))
      await made(client.create(buildCreditRequest(recorded, { metadata: { why: random.secret('why') } }), keyed()));
  };
  const month = async (sales: number) => {
    for (let at = 0; at < sales; at++) await record();
  };
  await month(count);
  const filing = await closedFiling(client, 'US-MI', '2026-10-31');
  if (random.chance(0.5)) await file(client, filing.id);
  await month(Math.ceil(count / 3));
  return { caller, client, filing };
};

type PersonalShop = Awaited<ReturnType<typeof personalShop>>;

const figureKeys = /(amount|rate|count|status|jurisdiction_code|reference_id|tax_date|tax_day|month|type)$/;

/** Returns every number of a response with its path, without strings, customer ids and times. */
const getFigures = (value: unknown, path = ''): string[] => {
  if (value === null || typeof value !== 'object') return figureKeys.test(path) ? [`${path} ${value}`] : [];
  return Object.entries(value).flatMap(([name, inner]) => getFigures(inner, `${path}/${name}`));
};

/** Returns the numbers of all transactions of a list (with lines, sorted by id) and of a filing with its entries. */
const everyFigure = async ({ client, filing }: PersonalShop): Promise<string[]> => {
  const { rows } = await everyRow((after) => client.list({ limit: '10', expand: 'line_items', ...after }));
  const filed = await made(client.filing(filing.id, { expand: 'entries' }));
  const { exceptions } = filed;
  return [
    ...rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).flatMap((row) => getFigures(row)),
    ...getFigures({ ...filed, exceptions }),
  ];
};

// @isolated: ids in one process only increase, and here they must match their creation time.

const headers = { 'Idempotency-Key': 'again' };

describe('redact', () => {
  const verify = async (account: string) => {
    const { code, out } = await ledger('verify', '--account', account, '--json');
    return { code, ...JSON.parse(out) };
  };
  const personalIn = async (account: string, text = 'priv') =>
    (await readRawItems(account))
      .filter((item) => item.includes(text))
      .flatMap((item) => item.match(new RegExp(`.{0,60}${text}.{0,20}`)) ?? []);

  it('removes the personal data of one customer, then all personal data, from a random ledger, and changes no amount', async () => {
    const shop = await personalShop(2, 12);
    const { account } = shop.caller;
    const [erased, kept, other] = customerIds;
    const before = await everyFigure(shop);
    const named = (await personalIn(account.id, kept)).length;
    expect(named).toBeGreaterThan(10);
    const readLinks = async (id: string) =>
      (await personalIn(account.id, createHash('sha256').update(id).digest('hex'))).length;
    for (const id of customerIds) expect(await readLinks(id)).toBe(1);
    expect(await redact(account.id, '--customer', erased, '--yes')).toMatchObject({ code: 0 });
    expect(await personalIn(account.id, erased)).toEqual([]);
    expect(await personalIn(account.id, kept)).toHaveLength(named);
    expect((await made(shop.client.list({ customer_id: erased }))).data).toEqual([]);
    expect(await everyFigure(shop)).toEqual(before);
    const outcome = await redactJson(account.id, '--older-than', '0');
    expect(outcome.code).toBe(0);
    for (const id of [kept, other])
      expect(await redact(account.id, '--customer', id, '--yes')).toMatchObject({ code: 0 });
    expect(await personalIn(account.id)).toEqual([]);
    expect(await personalIn(account.id, '48226-9')).toEqual([]);
    for (const id of customerIds) expect(await readLinks(id)).toBe(0);
    expect(await everyFigure(shop)).toEqual(before);
    const { code, findings, checked } = await verify(account.id);
    expect({ code, findings }).toEqual({ code: 0, findings: [] });
    expect([checked.redacted, checked.transactions]).toEqual(Array(2).fill(outcome.transactions + outcome.already));
  });

  it('does not change amounts of shipping that several certificates exempt for the same reason', async () => {
    const client = await newClient();
    const exempt = (id: string, type: string) =>
      goods({ id, quantity: '1', unit_price: '100.00', customer: { exemption: { type, certificate_id: id } } });
    const line_items = [exempt('a', 'resale'), exempt('b', 'resale'), exempt('c', 'government')];
    const shipping = { id: 'all', amount: '9.98' };
    const { id } = await sold(client, { line_items, shipping });
    const body = { state: 'MI', period_end: '2026-10-31', dry_run: true };
    const readReasons = async () => {
      const { totals } = await made(client.call('POST', '/filings', { body }));
      return totals.map(({ exempt_by_reason: by }) => [by.resale, by.government]);
    };
    // 9.98 in proportion to 200.00 and 100.00 is 6.65 and 3.33.
    expect(await readReasons()).toEqual([['206.65', '103.33']]);
    await redactTransaction(client.account.id, id, 'operator', redactionPorts());
    expect(await verify(client.account.id)).toMatchObject({ code: 0, findings: [] });
    const rest = { tax_date: '2026-10-09', credit_remaining: true };
    await made(client.create(buildCreditRequest({ id }, rest)));
    expect(await readReasons()).toEqual([['0.00', '0.00']]);
  });

  it.each(['credit', 'sale'])(
    'finalizes a draft credit without a warning after its %s was redacted',
    async (redacted) => {
      const client = await newClient();
      const sale = await sold(client, { customer: { id: 'privdraft', address: michigan } });
      const credit = await made(client.create(buildCreditRequest(sale, { status: 'draft' })));
      const { id } = redacted === 'sale' ? sale : credit;
      await redactTransaction(client.account.id, id, 'operator', redactionPorts());
      const finalized = await made(client.update(credit.id, { status: 'finalized' }));
      expect(finalized).toMatchObject({ status: 'finalized', warnings: [] });
    },
  );

  it('reports the number of remaining sales if new ones are added, fails, and completes when repeated', async () => {
    const client = await newClient();
    const customer = { id: 'privbusy', address: michigan };
    await sold(client, { customer });
    // A sale is recorded before each read of the selection.
    intercept(async ({ input, pass }) => {
      if ((input as { IndexName?: string }).IndexName === 'by_account') await sold(client, { customer });
      return pass();
    });
    const { id } = client.account;
    const ended = await redactJson(id, '--customer', customer.id).finally(noFaults);
    expect(ended.code).toBe(1);
    expect(ended.left).toBeGreaterThan(0);
    expect((await personalIn(id, customer.id)).length).toBeGreaterThan(0);
    expect(await redactJson(id, '--customer', customer.id)).toMatchObject({ code: 0, left: 0 });
    expect(await personalIn(id, customer.id)).toEqual([]);
  });

  it('covers every transaction that has had a reference, even on several index pages', async () => {
    const client = await newClient();
    const customer = { id: 'privoften', address: michigan };
    await concurrently(Array.from({ length: 101 }), async () => {
      const { id } = await made(client.create(sale({ customer, status: 'draft' })));
      await made(client.update(id, { reference_id: 'order-often', status: 'void', void_reason: 'again' }));
    });
    const ended = await redactJson(client.account.id, '--transaction', 'order-often');
    expect(ended).toMatchObject({ code: 0, transactions: 101, left: 0 });
    expect(await personalIn(client.account.id, 'privoften')).toEqual([]);
  });

  it.each<readonly [string, string, string, object]>([
    ['transaction', 'T#', '/transactions/{id}', { status: 'finalized' }],
    ['customer', 'C#', '/customers/privraced', { name: 'privname' }],
  ])('leaves no saved response of a request that read the %s and changed nothing', async (_, owner, path, body) => {
    const caller = await newClient();
    const { id } = await sold(caller, { customer: { id: 'privraced', address: michigan } });
    await made(caller.call('POST', '/customers', { body: { id: 'privraced', name: 'privname' } }));
    let isHeld = false;
    intercept(async ({ command, input, pass }) => {
      const writes = command.startsWith('TransactWrite') ? JSON.stringify(input) : '';
      // The redaction happens after the request read its object, and before it saves its response.
      if (!isHeld && writes.includes('"pk":"I#') && writes.includes(`"pk":"${owner}`)) {
        isHeld = true;
        expect((await redact(caller.account.id, '--customer', 'privraced', '--yes')).code).toBe(0);
      }
      return pass();
    });
    await caller.call('POST', path.replace('{id}', id), { body, headers }).finally(noFaults);
    expect(isHeld).toBe(true);
    expect(await personalIn(caller.account.id)).toEqual([]);
  });

  it('reports that the customer was removed although the response of the database is lost', async () => {
    const caller = await newCaller();
    await made(caller.call('POST', '/customers', { body: { id: 'privgone', name: 'privname' } }));
    const lost = failSends({ sends: 1, error: lostResponse, where: 'on the way back', of: ['DeleteItem'] });
    const ended = await redactJson(caller.account.id, '--customer', 'privgone').finally(noFaults);
    expect(lost.sends).toBeGreaterThan(1);
    expect(ended).toMatchObject({ code: 0, customer: true, left: 0 });
    expect((await caller.call('GET', '/customers/privgone' as '/customers/{id}')).status).toBe(404);
  });
});

describe('retention of personal data', () => {
  const fail = (error: unknown) => {
    throw error;
  };

  type Ports = ReturnType<typeof retentionPorts>;
  /** Runs the schedule for one account, because the test register has thousands. */
  const runFor = (account: string, changes: (ports: Ports) => Partial<Ports> = () => ({})) => {
    const ports = retentionPorts(() => 600_000, fail);
    return retainPersonalData({
      ...ports,
      accountIds: async () => ({ rows: [account], next: null }),
      position: sweepPosition({ pk: `DUE#RETENTION#${account}`, sk: '!' }),
      ...changes(ports),
    });
  };
  const outcome = (redacted: number, failed = 0, inconsistent = 0) => ({ redacted, failed, inconsistent });

  const shop = async (setting?: string) => {
    const client = await newClient();
    const { id } = client.account;
    if (setting !== undefined)
      expect((await accounts('settings', '--account', id, `retain_personal_data_days=${setting}`)).code).toBe(0);
    return { id, client };
  };
  const readRedacted = async (client: Client) =>
    (await made(client.list({ limit: '100' }))).data.map(({ redacted_at }) => redacted_at !== undefined).reverse();

  it('removes personal data older than the setting, and continues from there on later days', async () => {
    const { id, client } = await shop('30');
    for (let at = 0; at < 30; at++) await sold(client, { metadata: { email: 'priv@example.org' } });
    await later(10 * dayMs, () => sold(client));
    expect(await runFor(id)).toEqual(outcome(0));
    await later(31 * dayMs, async () => {
      expect(await runFor(id)).toEqual(outcome(30));
      // The account is already processed for this day.
      expect(await runFor(id)).toEqual(outcome(0));
    });
    expect(await readRedacted(client)).toEqual([...Array.from({ length: 30 }, () => true), false]);
    expect((await readRawItems(id)).filter((item) => item.includes('priv@'))).toEqual([]);
    await later(41 * dayMs, async () => expect(await runFor(id)).toEqual(outcome(1)));
    const newest = (await made(client.list())).data[0]?.id ?? '';
    const history = await ledger('history', newest, '--account', id);
    expect(history.out).toContain('retention');
    expect((await ledger('verify', '--account', id)).code).toBe(0);
  });

  it('stops when the time is up, and the next run of the day finishes', async () => {
    const { id, client } = await shop('30');
    for (let at = 0; at < 30; at++) await sold(client);
    // Ids only increase, and the test above created one ten days later.
    await later(60 * dayMs, async () => {
      // The time is up after the first batch of 25.
      let isFirst = true;
      const interrupted = await runFor(id, ({ reach }) => ({
        remainingMs: () => (isFirst ? 600_000 : 0),
        reach: async (account, after) => {
          await reach(account, after);
          isFirst = false;
        },
      }));
      expect(interrupted).toEqual(outcome(25));
      expect(await runFor(id)).toEqual(outcome(5));
    });
    expect(await readRedacted(client)).not.toContain(false);
  });

  it('keeps the data without the setting', async () => {
    const { id, client } = await shop();
    await sold(client);
    await later(4000 * dayMs, async () => expect(await runFor(id)).toEqual(outcome(0)));
  });

  it('repeats the day after a failure, and skips a tampered transaction', async () => {
    const { id, client } = await shop('30');
    const { id: altered } = await sold(client);
    await sold(client);
    const changed = ofTransaction(() => ({ tax_date: '2026-10-09' }));
    await alter({ account: id, id: altered }, changed);
    await later(120 * dayMs, async () => {
      const errors: unknown[] = [];
      const failing = await runFor(id, () => ({
        onFailure: (error) => void errors.push(error),
        olderIds: async () => {
          throw new Error('an outage');
        },
      }));
      expect([failing, errors.length]).toEqual([outcome(0, 1), 1]);
      expect(await runFor(id)).toEqual(outcome(1, 0, 1));
      expect(await runFor(id)).toEqual(outcome(0));
    });
    await undoTampering();
  });

  it('stores no position for an account that is being deleted', async () => {
    const { id, client } = await shop('30');
    await sold(client);
    // Ids only increase, and the tests above created later ones.
    await later(100 * dayMs, () =>
      runFor(id, ({ olderIds }) => ({
        olderIds: async (...range) => {
          const ids = await olderIds(...range);
          if (ids.length > 0) await deleteAccountItems(id, () => {});
          return ids;
        },
      })),
    );
    const left = await readRawItems(id);
    expect(left.filter((item) => item.includes('"DUE#RETENTION"'))).toEqual([]);
  });
});

describe('responses after a redaction', () => {
  const shop = async () => {
    const client = await newClient();
    const { id } = client.account;
    const run = async (...args: readonly string[]) => {
      const ran = await redactJson(id, ...args);
      expect(ran.code).toBe(0);
      return ran;
    };
    return { call: client.call, id, client, run };
  };

  it('returns the data as null with the time of the redaction, in GET, lists and CSV', async () => {
    const { client, call, run } = await shop();
    const lines = [goods({ id: 'item_1', description: 'Engraved: for J.', metadata: { gift: 'yes' } })];
    const { id, version } = await sold(client, { ...personal, line_items: lines, reference_id: 'order-1' });
    await run('--transaction', 'order-1');
    const after = await made(client.get(id));
    expect(after).toMatchObject({
      customer: { id: null, address: { ...michigan, line1: null, postal_code: '48226' } },
      metadata: {},
      line_items: [{ description: null, metadata: {} }],
      redacted_at: expect.any(String),
      updated_at: after.redacted_at,
      version: version + 1,
    });
    expect((await made(client.list())).data[0]).toMatchObject({ id, redacted_at: after.redacted_at });
    const { text } = await call('GET', '/transactions', { headers: csv });
    expect(text).toContain(`${id},sale,finalized,order-1,,,2026-10-08`);
    const { data } = await made(call('GET', `/transactions/${id}/history` as '/transactions/{id}/history'));
    expect(data[0]).toMatchObject({
      by: 'operator',
      fields: ['customer', 'line_items', 'metadata', 'redacted_at', 'warnings'].filter(
        (field) => field !== 'warnings' || after.warnings.length > 0,
      ),
    });
  });

  it('does not replay or replace redacted data', async () => {
    const { client, call, run } = await shop();
    const { id } = await sold(client, personal);
    await run('--transaction', id);
    const replay = await made(call('POST', `/transactions/${id}/replay` as '/transactions/{id}/replay'));
    expect(replay).toMatchObject({ match: null, reason: 'redacted', difference_count: 0 });
    for (const [field, body] of [
      ['metadata', { metadata: { email: 'again' } }],
      ['tax_amount', { tax_amount: '1.00' }],
      ['void_reason', { status: 'void', void_reason: 'A. asked' }],
    ] as const)
      expect(getRefusal(await client.update(id, body))).toBe(`409 | conflict_immutable_field /${field}`);
    expect(await made(client.update(id, { status: 'void' }))).toMatchObject({ status: 'void', metadata: {} });
  });

  it('redacts the credits of a sale and an expired draft, and completes a repeated run', async () => {
    const { client, run, id: account } = await shop();
    const parent = await sold(client, personal);
    await made(client.create(buildCreditRequest(parent, { line_items: [{ id: 'item_1', quantity: '1' }] })));
    expect(await run('--transaction', parent.id)).toMatchObject({ transactions: 2, already: 0 });
    expect(await run('--transaction', parent.id)).toMatchObject({ transactions: 0, already: 2 });
    const draft = await made(client.create(sale(personal)));
    await later(25 * 3_600_000, () => run('--transaction', draft.id));
    expect(await made(client.get(draft.id))).toMatchObject({ status: 'void', version: 3, customer: { id: null } });
    expect((await readRawItems(account)).filter((item) => item.includes('Woodward'))).toEqual([]);
  });

  it('requires a known object and a confirmation, and only counts in a dry run', async () => {
    const { client, id: account } = await shop();
    const { id } = await sold(client, personal);
    const before = await readRawItems(account);
    const refused = [
      [account, '--transaction', 'order-unknown', '--yes'],
      [account, '--customer', 'cus_unknown', '--yes'],
      [account, '--older-than', '2999-01-01', '--yes'],
      [account, '--older-than', 'soon', '--yes'],
      [account, '--yes'],
      [account, '--customer', 'cus_9', '--transaction', id, '--yes'],
      [account, '--customer', 'cus_9'],
      ['acct_unknown', '--customer', 'cus_9', '--yes'],
    ];
    for (const args of refused) expect(await redact(...args)).toMatchObject({ code: 1, out: '' });
    const dry = await redact(account, '--customer', 'cus_9', '--dry-run', '--json');
    expect(JSON.parse(dry.out)).toMatchObject({ dry_run: true, transactions: 1, customer: false });
    expect((await readRawItems(account)).sort()).toEqual(before.sort());
  });
});

describe('ledger verify after a redaction', () => {
  let account: string;
  let redacted: { readonly account: string; readonly id: string };
  let other: { readonly account: string; readonly id: string };

  beforeAll(async () => {
    const client = await newClient();
    account = client.account.id;
    redacted = { account, id: (await sold(client, personal)).id };
    other = { account, id: (await sold(client, personal)).id };
    expect((await redactJson(account, '--transaction', redacted.id)).code).toBe(0);
  });
  afterEach(undoTampering);

  const found = async (): Promise<string[]> =>
    (await verified(account)).findings.map(({ id, check }) => `${check} ${id}`);

  const at = '2026-11-20T12:00:00.000Z';
  const claim = (stored: StoredTransaction): StoredTransaction => ({
    ...stored,
    transaction: { ...stored.transaction, redacted_at: at },
    commitments: { digest: newSalt() },
  });
  const withDigest = (stored: StoredTransaction) => ({ ...stored, commitments: { digest: newSalt() } });

  const set = (changes: Partial<Transaction> | ((transaction: Transaction) => Partial<Transaction>)) =>
    ofTransaction(typeof changes === 'function' ? changes : () => changes);
  const otherTax = set((sale) => ({ line_items: sale.line_items.map((line) => ({ ...line, tax_amount: '0.06' })) }));

  type Change = (stored: StoredTransaction) => StoredTransaction;
  /** Changes of the redacted or the other transaction. `rehashed` also recomputes the hash of the newest audit entry. */
  const changes: readonly (readonly [string, 'redacted' | 'other', Change])[] = [
    ['a figure', 'redacted', otherTax],
    ['a figure that nothing adds up to', 'redacted', set({ tax_date: '2026-10-09' })],
    ['the digest of the commitments', 'redacted', withDigest],
    ['data that is put back', 'redacted', set({ metadata: { email: 'b@example.org' } })],
    ['the time of the redaction', 'redacted', set({ redacted_at: at })],
    ['a claim of a redaction', 'other', claim],
    ['the salt of one that is not redacted', 'other', (stored) => ({ ...stored, commitments: { salt: newSalt() } })],
    ['personal data that is not redacted', 'other', set({ metadata: { email: 'b@example.org' } })],
    ['data that is gone without a redaction', 'other', set({ metadata: {} })],
  ];
  const rehashed: typeof changes = [
    ['a redaction that is denied', 'redacted', set({ redacted_at: undefined })],
    ['a claim of a redaction', 'other', claim],
  ];

  it('reports no findings in a ledger with a redacted transaction', async () => {
    expect(await found()).toEqual([]);
  });

  it.each([
    ...changes.map(([title, which, change]) => [title, which, change, alter] as const),
    ...rehashed.map(([title, which, change]) => [`${title}, with a new hash`, which, change, forge] as const),
  ])('reports a change of %s', async (_, which, change, apply) => {
    const changed = which === 'redacted' ? redacted : other;
    await apply(changed, change);
    expect(await found()).toContain(`chain ${changed.id}`);
  });

  it('does not redact a transaction whose state differs from its audit chain', async () => {
    await alter(other, set({ tax_date: '2026-10-09' }));
    const ended = await redactJson(account, '--transaction', other.id);
    expect(ended).toMatchObject({ code: 1, transactions: 0, inconsistent: [other.id] });
  });
});
