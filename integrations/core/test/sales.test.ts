import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient, LevyUnavailable, orThrow } from '../../../shared/client/client.ts';
import { toDecimal, toMinor } from '../money.ts';
import type { Order } from '../order.ts';
import { recordOrder } from '../sales.ts';
import type { Ledger } from '../transactions.ts';
import { apiKey, type Fault, startFaults, startLevy } from './levy.ts';
import {
  buildCart,
  buildOrder,
  buildRefund,
  createRandom,
  lansing,
  listStates,
  mugs,
  newReference,
  randomCart,
  randomRefunds,
  readQuoted,
  recorded,
} from './orders.ts';

const service = await startLevy();
const faults = await startFaults(service.url);
const ledger: Ledger = { levy: createClient({ url: faults.url, apiKey, timeoutMs: 2000, maxTries: 1 }), shop: 'test' };
beforeEach(() => Object.assign(faults.state, { fault: 'none', applies: () => true, seen: [] }));

const two = buildCart([{ id: 'mug', quantity: 2, unitPrice: '8.89' }]);
const oneBack = (id: string, total = '9.29') => buildRefund(id, total, { lines: [{ id: 'mug', quantity: 1 }] });
const at = (minute: number) => `2026-11-20T12:0${minute}:00.000Z`;
const states = (reference: string) => listStates(service, reference);

const read = (order: Order) => recorded(ledger, order);

describe('recorded orders', () => {
  it('records an order as a draft, a sale and credits, regardless of the order and repetition of events', async () => {
    const order = buildOrder(mugs, newReference(), '1.20');
    await recordOrder(ledger, { ...order, wanted: 'draft' });
    expect(await states(order.reference)).toEqual(['sale draft 27.87']);
    for (let times = 0; times < 2; times++) await recordOrder(ledger, order);
    // A late event of the order's placement.
    expect(await recordOrder(ledger, { ...order, wanted: 'draft' })).toMatchObject({ isChanged: false, problems: [] });
    const refunds = [oneBack('1')];
    for (let times = 0; times < 2; times++) await recordOrder(ledger, { ...order, refunds });
    expect(await states(order.reference)).toEqual(['sale finalized 27.87', 'credit finalized 9.29']);
    const direct = buildOrder(mugs, newReference(), '1.20', { refunds });
    await recordOrder(ledger, direct);
    expect(await states(direct.reference)).toEqual(['sale finalized 27.87', 'credit finalized 9.29']);
  });

  it('records an order and a refund whose numbers HTTP headers cannot carry', async () => {
    for (const reference of ['Größe-1', '注文-1', 'x'.repeat(230)]) {
      const order = buildOrder(mugs, reference, '1.20', { refunds: [oneBack('é')] });
      await read({ ...order, wanted: 'draft', refunds: [] });
      await read(order);
      expect(await states(reference)).toEqual(['sale finalized 27.87', 'credit finalized 9.29']);
    }
  });

  it('voids the draft of an order that is canceled before payment, even if the response to the draft was lost', async () => {
    const order = buildOrder(mugs, newReference(), '1.20', { wanted: 'draft' });
    faults.state.fault = 'response lost';
    await expect(recordOrder(ledger, order)).rejects.toThrow(LevyUnavailable);
    faults.state.fault = 'none';
    expect(await recordOrder(ledger, { ...order, wanted: 'void' })).toMatchObject({ isChanged: true, problems: [] });
    expect(await recordOrder(ledger, { ...order, wanted: 'void' })).toMatchObject({ isChanged: false, problems: [] });
    expect(await states(order.reference)).toEqual(['sale void 27.87']);
    const never = buildOrder(mugs, newReference(), '1.20', { wanted: 'void' });
    expect(await recordOrder(ledger, never)).toMatchObject({ isChanged: false, problems: [] });
  });

  it('voids the sale of a free order that is canceled', async () => {
    const free = buildCart([{ id: 'mug', quantity: 1, unitPrice: '8.89', discount: '8.89' }]);
    const order = buildOrder(free, newReference(), '0.00');
    await recorded(ledger, order);
    expect(await recordOrder(ledger, { ...order, wanted: 'void' })).toMatchObject({ isChanged: true, problems: [] });
    expect(await states(order.reference)).toEqual(['sale void 0.00']);
  });

  it('reports a problem if the lines of an order do not add up to the charged amount', async () => {
    const order = buildOrder(mugs, newReference(), '1.20', { total: '27.86' });
    expect((await recordOrder(ledger, order)).problems).toMatchObject([{ code: 'mismatch', isFinal: true }]);
  });

  it('records the tax that the shop collected, and marks an estimate', async () => {
    const order = buildOrder(mugs, newReference(), '1.87', { isEstimated: true });
    const { sale } = await recordOrder(ledger, order);
    expect(sale).toMatchObject({ tax_amount: '1.87', calculated_tax_amount: '1.20', metadata: { estimated: 'true' } });
  });

  it.each([
    ['1.19', false, ['tax_difference']],
    ['1.19', true, []],
    ['1.20', false, []],
  ])('reports $2 for an order with tax $0 and estimated=$1', async (tax, isEstimated, codes) => {
    const { problems } = await recordOrder(ledger, buildOrder(mugs, newReference(), tax, { isEstimated }));
    expect(problems.map(({ code }) => code)).toEqual(codes);
    for (const { isFinal, detail } of problems)
      expect([isFinal, detail]).toEqual([true, expect.stringContaining('1.20')]);
  });

  it('records an order again when its draft has expired', async () => {
    const order = buildOrder(mugs, newReference(), '1.20');
    await recordOrder(ledger, { ...order, wanted: 'draft' });
    await service.advance(25 * 3600);
    await recordOrder(ledger, order);
    expect(await states(order.reference)).toEqual(['sale void 27.87', 'sale finalized 27.87']);
  });

  it('replaces the sale of an edited order, even after an edit back to an earlier state', async () => {
    const order = buildOrder(mugs, newReference(), '1.20');
    const edited = buildOrder(two, order.reference, '0.80');
    for (const next of [order, edited, order, edited])
      expect(await recordOrder(ledger, next)).toMatchObject({ isChanged: true, problems: [] });
    const live = (await states(order.reference)).filter((state) => !state.includes('void'));
    expect(live).toEqual(['sale finalized 18.58']);
    const refunds = [buildRefund('1', '18.58')];
    await recordOrder(ledger, { ...edited, refunds });
    expect((await recordOrder(ledger, { ...order, refunds })).problems).toMatchObject([
      { code: 'conflict_has_credits', isFinal: true },
    ]);
  });

  it('updates the draft of an order that is edited before the payment', async () => {
    const order = buildOrder({ ...mugs, shipping: [{ id: 'a', amount: '5.00' }] }, newReference(), '1.43', {
      wanted: 'draft',
    });
    await recordOrder(ledger, order);
    const edited = buildOrder(mugs, order.reference, '1.20');
    await recordOrder(ledger, edited);
    expect(await states(order.reference)).toEqual(['sale finalized 27.87']);
  });

  it('does not overwrite the sale of a different shop or of a reused order number', async () => {
    const order = buildOrder(mugs, newReference(), '1.20');
    await recordOrder(ledger, order);
    const other = await recordOrder({ ...ledger, shop: 'second' }, order);
    expect(other.problems).toMatchObject([{ code: 'mismatch', isFinal: true }]);
    expect(await states(order.reference)).toEqual(['sale finalized 27.87']);
  });

  it('does not record orders abroad, and voids the sale of an order that an edit moves abroad', async () => {
    const abroad = { ...mugs, address: { country: 'DE' } };
    const foreign = buildOrder(abroad, newReference(), '1.20');
    expect(await recordOrder(ledger, foreign)).toMatchObject({ sale: null, problems: [], isChanged: false });
    const order = buildOrder(mugs, newReference(), '1.20');
    await recordOrder(ledger, order);
    expect(await recordOrder(ledger, { ...order, ...abroad })).toMatchObject({ problems: [], isChanged: true });
    expect(await states(order.reference)).toEqual(['sale void 27.87']);
    await recordOrder(ledger, order);
    expect(await states(order.reference)).toEqual(['sale void 27.87', 'sale finalized 27.87']);
  });

  it('records an order that an earlier call without a valid key failed to record', async () => {
    const order = buildOrder(mugs, newReference(), '1.20');
    const refused = { ...ledger, levy: createClient({ url: service.url, apiKey: 'levy_wrong' }) };
    const { problems } = await recordOrder(refused, order);
    expect(problems).toMatchObject([{ code: 'auth_api_key_not_found', isFinal: false }]);
    expect(await recordOrder(ledger, order)).toMatchObject({ problems: [], isChanged: true });
  });
});

describe('refunds', () => {
  it('credits the whole sale to the cent after refunds of one unit at a time', async () => {
    const cart = buildCart([{ id: 'mug', quantity: 3, unitPrice: '9.35', discount: '1.39' }]);
    const order = buildOrder(cart, newReference(), '1.20');
    const refunds = ['9.29', '9.29', '9.28'].map((total, at) => oneBack(String(at), total));
    expect(await read({ ...order, refunds })).toMatchObject({
      refund_status: 'full',
      credited_tax_amount: '1.20',
      total_amount: '27.86',
    });
  });

  it('credits refunds up to the amount of the sale, and reports the excess', async () => {
    const order = buildOrder(mugs, newReference(), '1.20', {
      refunds: [buildRefund('1', '20.00'), buildRefund('2', '10.00')],
    });
    const { problems } = await recordOrder(ledger, order);
    expect(problems).toMatchObject([{ code: 'excess', reference: `${order.reference}-refund-2` }]);
    expect(await states(order.reference)).toEqual([
      'sale finalized 27.87',
      'credit finalized 20.00',
      'credit finalized 7.87',
    ]);
  });

  it('matches the ledger to the cent after refunds of random amounts, lines and shipping', async () => {
    const random = createRandom(17);
    for (let carts = 0; carts < 40; carts++) {
      const cart = randomCart(random);
      const { tax_amount } = (await readQuoted(service, cart)).calculation;
      // In some cases, the shop collected a different tax.
      const tax = random.upTo(4) === 0 ? toDecimal(toMinor(tax_amount, 2) + BigInt(random.upTo(3)), 2) : tax_amount;
      const order = buildOrder(cart, newReference(), tax, { isEstimated: tax !== tax_amount });
      const refunds = randomRefunds(cart, toMinor(order.total, 2), random);
      const { problems } = await recordOrder(ledger, { ...order, refunds });
      expect(problems, JSON.stringify({ order, refunds })).toEqual([]);
      const credits = (await states(order.reference)).slice(1);
      expect(credits).toEqual(refunds.map(({ total }) => `credit finalized ${total}`));
    }
  });
});

it('credits an older refund that settles later from the remaining amounts', async () => {
  const cart = buildCart([
    { id: 'mug', quantity: 1, unitPrice: '10.00' },
    { id: 'bowl', quantity: 1, unitPrice: '30.00' },
  ]);
  // The tax is 4.5 % in Honolulu.
  const order = buildOrder(cart, newReference(), '1.80');
  const bowl = buildRefund('2', '31.35', { lines: [{ id: 'bowl', quantity: 1 }], at: '2026-11-20T12:00:00.000Z' });
  const pending = buildRefund('1', '10.45', { at: '2026-11-15T12:00:00.000Z' });
  await read({ ...order, refunds: [bowl] });
  const stored = { credited_amount: '40.00', credited_tax_amount: '1.80', refund_status: 'full' };
  for (let times = 0; times < 2; times++)
    expect(await read({ ...order, refunds: [pending, bowl] })).toMatchObject(stored);
  expect(await states(order.reference)).toEqual([
    'sale finalized 41.80',
    'credit finalized 31.35',
    'credit finalized 10.45',
  ]);
});

it('keeps the recorded part of exchanged goods if a later refund changes the split of returned goods', async () => {
  const order = buildOrder(mugs, newReference(), '1.20');
  const exchanged = (id: string, total: string) => ({ ...buildRefund(id, total), isExchanged: true });
  await read({ ...order, refunds: [exchanged('claim', '9.29')] });
  // 2.00 of the claim now count as paid back, and 2.00 of the return as exchanged.
  const refunds = [exchanged('claim', '7.29'), buildRefund('goodwill', '2.00'), exchanged('return', '2.00')];
  for (let times = 0; times < 2; times++) await read({ ...order, refunds });
  expect((await states(order.reference)).slice(1)).toEqual(['credit finalized 9.29', 'credit finalized 2.00']);
  // The other parts cannot take the whole difference.
  const { problems } = await recordOrder(ledger, {
    ...order,
    refunds: [exchanged('claim', '5.29'), ...refunds.slice(1)],
  });
  expect(problems).toMatchObject([{ code: 'mismatch', detail: expect.stringContaining('should credit 7.29') }]);
});

it.each([
  ['claim', '9.29', '0.00'],
  ['return', '0.00', '9.29'],
])('credits exchanged goods once if the part of the %s drops to zero after its credit', async (_part, claim, back) => {
  const exchanged = (id: string, total: string) => ({ ...buildRefund(id, total), isExchanged: true });
  const order = buildOrder(mugs, newReference(), '1.20');
  const goodwill = buildRefund('goodwill', '9.29');
  await read({ ...order, refunds: [exchanged('claim', claim), goodwill, exchanged('return', back)] });
  const swapped = [exchanged('claim', back), goodwill, exchanged('return', claim)];
  for (const refunds of [swapped, [...swapped, buildRefund('refund', '9.29')]])
    for (let times = 0; times < 2; times++) await read({ ...order, refunds });
  expect((await states(order.reference)).slice(1)).toEqual(Array(3).fill('credit finalized 9.29'));
});

it('credits a returned part of a fractional quantity', async () => {
  const cart = buildCart([{ id: 'rope', quantity: 1.5, unitPrice: '10.00' }]);
  // The tax is 4.5 % of 15.00 in Honolulu.
  const order = { ...buildOrder(mugs, newReference(), '0.68'), ...cart, total: '15.68' };
  const back = buildRefund('1', '5.23', { lines: [{ id: 'rope', quantity: 0.5 }] });
  expect(await read({ ...order, refunds: [back] })).toMatchObject({
    credited_amount: '5.00',
    credited_tax_amount: '0.23',
  });
});

it('credits only the tax of units whose price has fractions of a cent', async () => {
  const cart = buildCart([{ id: 'pin', quantity: 8, unitPrice: '0.125' }]);
  const order = { ...buildOrder(mugs, newReference(), '0.05'), ...cart, total: '1.05' };
  const back = buildRefund('1', '0.05', { lines: [{ id: 'pin', quantity: 8 }], tax: '0.05' });
  await read({ ...order, refunds: [back] });
  expect(await states(order.reference)).toEqual(['sale finalized 1.05', 'credit finalized 0.05']);
});

describe('failures', () => {
  const faultsOfWrites: Fault[] = ['hang', 'hang up', 'response lost', 429, 500, 503];
  it.each(faultsOfWrites)('records one sale and one credit after a retry if any write fails with %s', async (fault) => {
    const refunds = [oneBack('1')];
    const order = buildOrder(mugs, newReference(), '1.20', { refunds });
    for (const broken of [1, 2, 3]) {
      let posts = 0;
      Object.assign(faults.state, {
        fault,
        applies: ({ method }: { method: string }) => method === 'POST' && ++posts === broken,
      });
      await recordOrder(ledger, order).catch((error) => expect(error).toBeInstanceOf(LevyUnavailable));
    }
    faults.state.fault = 'none';
    expect(await recordOrder(ledger, order)).toMatchObject({ problems: [] });
    expect(await states(order.reference)).toEqual(['sale finalized 27.87', 'credit finalized 9.29']);
  });

  it.each<[Fault, boolean]>([
    [409, false],
    [422, true],
  ])('reports %s as a problem with isFinal=%s', async (fault, isFinal) => {
    faults.state.fault = fault;
    const { problems } = await recordOrder(ledger, buildOrder(mugs, newReference(), '1.20'));
    expect(problems).toMatchObject([{ isFinal }]);
  });
});

it('reports a temporary refusal to replace an edited sale as not final', async () => {
  const order = buildOrder(mugs, newReference(), '1.20');
  await read(order);
  const edited = buildOrder(two, order.reference, '0.80');
  Object.assign(faults.state, { fault: 409, applies: ({ path }: { path: string }) => path.includes('/transactions/') });
  expect((await recordOrder(ledger, edited)).problems).toMatchObject([{ code: 'conflict_in_test', isFinal: false }]);
  faults.state.fault = 'none';
  expect(await read(edited)).toMatchObject({ total_amount: '18.58' });
});

describe('edits that cannot replace a sale', () => {
  it('credits all refunds of a sale in a closed period', async () => {
    const month = new Date();
    month.setUTCDate(0);
    const harrisburg = { city: 'Harrisburg', province: 'PA', postalCode: '17101', country: 'US' };
    const base = { placedAt: month.toISOString(), paid: '28.27' };
    const [lowered, abroad] = ['closed', 'closed-abroad'] as const;
    const buildSale = (reference: string) => buildOrder({ ...mugs, address: harrisburg }, reference, '1.60', base);
    for (const reference of [lowered, abroad]) await read(buildSale(reference));
    const body = { state: 'PA', period_end: month.toISOString().slice(0, 10) };
    const { id } = orThrow(await service.levy.post('/filings', { body }));
    const path = { id: String(id) };
    const readStatus = async () => orThrow(await service.levy.get('/filings/{id}', { path })).status;
    await vi.waitFor(async () => expect(await readStatus()).toBe('closed'), 20_000);
    const now = { at: new Date().toISOString() };
    const refunds = [
      { ...oneBack('1', '9.42'), ...now },
      { ...buildRefund('2', '5.00'), ...now },
    ];
    const edited = buildOrder({ ...two, address: harrisburg }, lowered, '1.07', { ...base, refunds });
    const moved = { ...buildSale(abroad), address: { country: 'DE' }, refunds: refunds.slice(1) };
    for (const isChanged of [true, false])
      for (const order of [edited, moved]) {
        const recorded = await recordOrder(ledger, order);
        expect(recorded).toMatchObject({ isChanged, problems: [{ isFinal: true, reference: order.reference }] });
      }
    expect(await states(lowered)).toEqual(['sale finalized 28.27', 'credit finalized 9.42', 'credit finalized 5.00']);
    expect(await states(abroad)).toEqual(['sale finalized 28.27', 'credit finalized 5.00']);
  });

  it('credits only refunded amounts that the recorded sale includes, not the amounts of a later increase', async () => {
    const [first, ...later] = [buildRefund('1', '5.00'), buildRefund('2', '12.00'), buildRefund('3', '4.00')] as const;
    await read(buildOrder(two, 'raised', '0.80', { refunds: [first] }));
    const raised = buildOrder(mugs, 'raised', '1.20', { paid: '27.87' });
    // The increase is 9.29, so 2.71 of the second refund belongs to the sale.
    for (const [count, isChanged] of [
      [1, true],
      [1, false],
      [2, true],
    ] as const) {
      const recorded = await recordOrder(ledger, { ...raised, refunds: [first, ...later.slice(0, count)] });
      expect(recorded).toMatchObject({ isChanged, problems: [{ code: 'conflict_has_credits', isFinal: true }] });
    }
    expect(await states('raised')).toEqual([
      'sale finalized 18.58',
      'credit finalized 5.00',
      'credit finalized 2.71',
      'credit finalized 4.00',
    ]);
  });

  it('keeps a sale and credits its refunds if Levy refuses the edited order', async () => {
    const order = buildOrder(mugs, newReference(), '1.20');
    await read(order);
    const wrong = buildCart([{ id: 'mug', quantity: 2, unitPrice: '8.89' }]);
    const lines = wrong.lines.map((line) => ({ ...line, taxCode: 'GENERIC' }));
    const refunds = [buildRefund('1', '9.29')];
    const edited = buildOrder({ ...wrong, lines }, order.reference, '0.80', { paid: '27.87', refunds });
    for (const isChanged of [true, false])
      expect(await recordOrder(ledger, edited)).toMatchObject({
        isChanged,
        problems: [{ isFinal: true, detail: expect.stringContaining('product_tax_code') }],
      });
    expect(await states(order.reference)).toEqual(['sale finalized 27.87', 'credit finalized 9.29']);
  });

  it('does not credit a refund twice after an edit back to the recorded sale', async () => {
    const [first, second] = [buildRefund('1', '5.00'), buildRefund('2', '9.29')];
    const order = buildOrder(two, newReference(), '0.80', { refunds: [first] });
    await read(order);
    const raised = { ...buildOrder(mugs, order.reference, '1.20'), refunds: [first] };
    expect((await recordOrder(ledger, raised)).problems).toMatchObject([{ code: 'conflict_has_credits' }]);
    // The second refund returns the amount that the customer paid for the increase.
    for (const refunds of [[first], [first, second]]) await read({ ...order, paid: '27.87', refunds });
    expect(await states(order.reference)).toEqual(['sale finalized 18.58', 'credit finalized 5.00']);
  });
});

it('records an order again if another process voids its sale after the reference was found', async () => {
  const order = buildOrder(mugs, newReference(), '1.20');
  const { id } = await read(order);
  const { levy } = ledger;
  let isFirst = true;
  const get = (async (...call: Parameters<typeof levy.get>) => {
    if (isFirst) orThrow(await levy.post('/transactions/{id}', { path: { id }, body: { status: 'void' } }));
    isFirst = false;
    return levy.get(...call);
  }) as typeof levy.get;
  const edited = buildOrder(two, order.reference, '0.80');
  const recorded = await recordOrder({ ...ledger, levy: { ...levy, get } }, edited);
  expect(recorded).toMatchObject({ problems: [], isChanged: true });
  expect(await states(order.reference)).toEqual(['sale void 27.87', 'sale finalized 18.58']);
});

it('reports an unpaid increase of a recorded sale, and credits its refunds after the payment', async () => {
  await read(buildOrder(two, 'unpaid', '0.80', { changedAt: at(0) }));
  const raised = buildOrder(mugs, 'unpaid', '1.20', { paid: '18.58', changedAt: at(1), refunds: [oneBack('1')] });
  expect(await recordOrder(ledger, { ...raised, wanted: 'draft' })).toMatchObject({
    isChanged: false,
    problems: [{ code: 'mismatch', reference: 'unpaid', detail: expect.stringContaining('is paid in full') }],
  });
  await read({ ...raised, paid: '27.87', changedAt: at(2) });
  expect((await states('unpaid')).slice(1)).toEqual(['sale finalized 27.87', 'credit finalized 9.29']);
});

it('updates a draft with every edit of its order', async () => {
  const order = buildOrder(mugs, 'edited', '1.20', { wanted: 'draft' });
  const edited = buildOrder(two, 'edited', '0.80', { wanted: 'draft' });
  for (const next of [order, edited, order, edited]) {
    expect(await read(next)).toMatchObject({ total_amount: next.total, status: 'draft' });
    expect(await recordOrder(ledger, next)).toMatchObject({ isChanged: false });
  }
});

it('removes the estimate mark when a draft becomes a sale with a tax from Levy', async () => {
  await read(buildOrder(mugs, 'estimated', '1.87', { wanted: 'draft', isEstimated: true }));
  const { metadata } = await read(buildOrder(mugs, 'estimated', '1.20'));
  expect(metadata).toEqual({ shop: 'test', order: 'estimated' });
});

it('records no credit if the payment exceeds the lowered sale', async () => {
  await read(buildOrder(mugs, 'lowered', '1.20', { paid: '27.87' }));
  const lowered = buildOrder(two, 'lowered', '0.80', { paid: '27.87' });
  const above = [oneBack('1')];
  expect(await read({ ...lowered, refunds: above })).toMatchObject({
    total_amount: '18.58',
    refund_status: 'none',
  });
  const refunds = [...above, oneBack('2'), oneBack('3')];
  expect(await read({ ...lowered, refunds })).toMatchObject({ credited_tax_amount: '0.80', refund_status: 'full' });
  // The first refund can exceed the overpayment.
  const more = { ...lowered, reference: 'lowered-more', refunds: [oneBack('1', '10.29')] };
  expect(await read(more)).toMatchObject({ credited_amount: '0.96', credited_tax_amount: '0.04' });
});

it('replaces the sale if the order moves to a different state with the same tax', async () => {
  const placed = buildOrder({ ...mugs, address: lansing }, 'moved', '1.60');
  expect((await read(placed)).tax_summary).toMatchObject([{ jurisdiction_code: 'US-MI', tax_amount: '1.60' }]);
  const louisville = { city: 'Louisville', province: 'KY', postalCode: '40202', country: 'US' };
  const moved = await read({ ...placed, address: louisville });
  expect(moved.tax_summary).toMatchObject([{ jurisdiction_code: 'US-KY', tax_amount: '1.60' }]);
  const street = { ...louisville, line1: '600 W Jefferson St', postalCode: '40202-2741' };
  expect(await recordOrder(ledger, { ...placed, address: street })).toMatchObject({ isChanged: false, problems: [] });
});

it('finds a credit of a whole sale when its idempotency key has expired', async () => {
  const order = buildOrder(mugs, 'credited', '1.20', { refunds: [oneBack('1', '27.87')] });
  await read(order);
  await service.advance(25 * 3600);
  expect(await recordOrder(ledger, order)).toMatchObject({ problems: [], isChanged: false });
});

it('reports a cancellation that Levy refuses permanently as a final problem', async () => {
  const order = buildOrder(mugs, 'cancelled', '1.20', { refunds: [oneBack('1')] });
  await read(order);
  const { problems } = await recordOrder(ledger, { ...order, wanted: 'void' });
  expect(problems).toMatchObject([{ code: 'conflict_has_credits', isFinal: true }]);
});

it('ignores a stale snapshot', async () => {
  const [older, newer] = ['1.20', '0.80'].map((tax, minute) =>
    buildOrder(minute === 0 ? mugs : two, 'stale', tax, { placedAt: at(0), changedAt: at(minute) }),
  ) as [Order, Order];
  await read(newer);
  for (const wanted of ['draft', 'finalized', 'void'] as const) {
    const { isChanged, problems, sale } = await recordOrder(ledger, { ...older, wanted });
    expect([isChanged, problems, sale?.total_amount, sale?.status]).toEqual([false, [], '18.58', 'finalized']);
  }
  expect((await read(newer)).metadata).toEqual({ shop: 'test', order: 'stale', changed_at: at(1) });
});

it.each(['draft', 'finalized'] as const)('ignores a stale %s snapshot that Levy refuses', async (wanted) => {
  const order = buildOrder(mugs, newReference(), '1.20', { placedAt: at(0), changedAt: at(1) });
  await read(order);
  const lines = mugs.lines.map((line) => ({ ...line, taxCode: 'GENERIC' }));
  const stale = await recordOrder(ledger, { ...order, lines, changedAt: at(0), wanted });
  expect(stale).toMatchObject({ isChanged: false, problems: [], sale: { total_amount: '27.87' } });
});

it('reports no problem if Levy refuses an unpaid snapshot with unchanged amounts', async () => {
  const order = buildOrder(mugs, newReference(), '1.20');
  await read(order);
  const lines = mugs.lines.map((line) => ({ ...line, taxCode: 'GENERIC' }));
  const late = await recordOrder(ledger, { ...order, lines, wanted: 'draft' });
  expect(late).toMatchObject({ isChanged: false, problems: [], sale: { status: 'finalized' } });
});

it('ignores a stale snapshot after an edit back to an earlier state', async () => {
  const order = buildOrder(two, 'back', '0.80', { placedAt: at(0), changedAt: at(1) });
  await read(order);
  expect(await recordOrder(ledger, { ...order, changedAt: at(3) })).toMatchObject({ isChanged: false });
  const between = buildOrder(mugs, 'back', '1.20', { placedAt: at(0), changedAt: at(2) });
  expect(await recordOrder(ledger, between)).toMatchObject({ isChanged: false, sale: { total_amount: '18.58' } });
});

it('updates the estimate mark of a recorded sale, even with the same amounts', async () => {
  const order = buildOrder(mugs, 'marked', '1.20', { isEstimated: true });
  await read(order);
  for (const isChanged of [true, false])
    expect(await recordOrder(ledger, { ...order, isEstimated: false })).toMatchObject({ isChanged });
  expect((await read({ ...order, isEstimated: false })).metadata).toEqual({ shop: 'test', order: 'marked' });
});

it('never changes a finalized sale to a draft, even without a timestamp', async () => {
  await read(buildOrder(two, 'late-draft', '0.80'));
  const late = await recordOrder(ledger, buildOrder(mugs, 'late-draft', '1.20', { wanted: 'draft' }));
  expect(late).toMatchObject({ isChanged: false, problems: [], sale: { status: 'finalized', total_amount: '18.58' } });
});
