import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { advanceClock } from '../../shared/config/clock.ts';
import type { Swept } from '../../shared/ledger/sweep-drafts.ts';
import { type Body, type Book, type Both, type Model, must, same, type World } from '../model/book.ts';
import { expectedRows } from '../model/commands/read.ts';
import { getAmounts } from '../model/journal.ts';
import { callers, redactIn, verifyIn } from '../model/world.ts';
import { type Call, newCaller } from '../support/api.ts';
import type { ApiResponse, Schema } from '../support/http.ts';
import { everyRow } from '../support/sales.ts';
import type { Network } from './network.ts';
import type { Service } from './service.ts';

/** Returns all rows of a list. */
const listAll = async <Row>(call: Call, path: string): Promise<Row[]> => {
  const read = (after: Readonly<Record<string, string>>) =>
    call('GET', `${path}?${new URLSearchParams({ limit: '100', ...after })}`) as Promise<ApiResponse<any>>;
  return (await everyRow<Row>(read)).rows;
};

/**
 * Reports are updated from the table's stream with a short delay. After a kill, the local service reads the stream from
 * its beginning.
 */
const timeoutMs = 120_000;

/** Checks that the report by state and month equals the sums of the model's transactions that are not void. */
const mustBeReported = async (call: Call, book: Book): Promise<void> => {
  const figures = ['gross_amount', 'exempt_amount', 'taxable_amount', 'tax_amount', 'count'] as const;
  const rowsByReturn = Map.groupBy([...book.journal.values()], ({ state, month }) => `${month} ${state}`);
  const expected = [...rowsByReturn].flatMap(([place, posted]) =>
    (['sale', 'credit'] as const).flatMap((type) =>
      getAmounts(
        book,
        posted.filter(({ id }) => book.entries.get(id)?.body.type === type),
      ).map(([currency, sums]) => {
        // The amounts of credits are positive in a report.
        const texts = figures.map((name) => String((sums as Record<string, unknown>)[name]).replace(/^-/, ''));
        return `${place} ${currency} ${type} ${texts}`;
      }),
    ),
  );
  const months = [...rowsByReturn.keys()].map((place) => place.slice(0, 7)).sort();
  if (months.length === 0) return;
  const reported = async () => {
    const { body } = await call('GET', `/reports/by-state?from=${months[0]}&to=${months.at(-1)}`);
    return (body as Schema<'ReportByState'>).data
      .flatMap(({ month, state, currency, sales, credits }) =>
        (
          [
            ['sale', sales],
            ['credit', credits],
          ] as const
        ).flatMap(([type, sums]) =>
          sums.count === 0 ? [] : [`${month} ${state} ${currency} ${type} ${figures.map((name) => sums[name])}`],
        ),
      )
      .sort();
  };
  const deadline = performance.now() + timeoutMs;
  let actual = await reported();
  for (; !isDeepStrictEqual(actual, expected.sort()) && performance.now() < deadline; actual = await reported())
    await sleep(200);
  same(actual, expected, 'The report by state');
};

/** Checks that the lists and reports of an account match the model. */
const mustBeWhole = async (call: Call, book: Book, { nowMs }: Model): Promise<void> => {
  const rows = expectedRows(book, {}, null, nowMs).map((row) => ({ ...row, line_items: null, explanation: null }));
  same(await listAll<Body>(call, '/transactions'), rows, 'All transactions');
  const filings = await listAll<Schema<'Filing'>>(call, '/filings');
  same(
    filings.map(({ id, status }) => `${id} ${status}`),
    book.filings.toReversed().map(({ id, status }) => `${id} ${status}`),
    'All filings',
  );
  await mustBeReported(call, book);
};

const sale = (reference_id: string, quantity: string) => ({
  status: 'finalized',
  reference_id,
  customer: { address: { country: 'US', state: 'MI', city: 'Detroit', postal_code: '48226' } },
  line_items: [{ id: 'item', product_tax_code: 'GENERAL', quantity, unit_price: '1.00' }],
});

const clients = 3;
const busySaleUnits = 1000;

/** Starts clients of a third account, which record sales and credit one shared sale while the model runs. */
const startBusyClients = async (call: Call) => {
  const running = new Set<Promise<unknown>>();
  let pause: Promise<void> | null = null;
  const create = async (body: object) => {
    while (pause) await pause;
    const sending = call('POST', '/transactions', { body });
    running.add(sending);
    const response = await sending.finally(() => running.delete(sending));
    const code = response.body.errors?.[0].code ?? '';
    must(response.status === 201 || code === 'conflict_credit_stale', `A sale is refused: ${response.text}`);
    return response.status === 201 ? [response.body.id] : [];
  };
  const [busy = ''] = await create(sale('busy', String(busySaleUnits)));
  const ids = [busy];
  let [isOpen, credits] = [true, 0];
  const work = async (client: number) => {
    for (let number = 0; isOpen; number += 1) {
      ids.push(...(await create(sale(`${client}-${number}`, '1'))));
      const line_items = [{ id: 'item', quantity: '1' }];
      const credit = { type: 'credit', status: 'finalized', parent_transaction_id: busy, line_items };
      const credited = credits < busySaleUnits - clients ? await create(credit) : [];
      credits += credited.length;
      ids.push(...credited);
      await sleep(20);
    }
  };
  const working = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  working.catch(() => {});
  /**
   * Runs a function while no request is in flight, because a request that is repeated after a day has a different
   * result.
   */
  const whileIdle = async (work: () => Promise<void>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    pause = promise;
    await Promise.allSettled(running);
    await work();
    pause = null;
    resolve();
  };
  /** Stops the clients, and checks that each accepted request was recorded once. */
  const stop = async () => {
    isOpen = false;
    await working;
    const recorded = await listAll<Body>(call, '/transactions');
    same(recorded.map(({ id }) => id).sort(), ids.sort(), 'The transactions of the third account');
    const { credited_amount, credited_tax_amount } = recorded.find(({ id }) => id === busy) as Body;
    same(
      [credited_amount, credited_tax_amount],
      [`${credits}.00`, (credits * 0.06).toFixed(2)],
      'The credited amounts of the shared sale',
    );
  };
  return { whileIdle, stop };
};

/**
 * A scenario of the model test against a separate service process behind a faulty network, with concurrent clients of a
 * third account.
 */
export const attackedWorld =
  (service: Service, network: Network) =>
  async (terms: Both): Promise<World> => {
    await service.setClock();
    const accounts = await callers(terms);
    const third = await newCaller({ settings: { rate_limit: 1_000_000_000 } });
    const send = [network.connectClient(accounts[0].key, true), network.connectClient(accounts[1].key, true)] as const;
    const busy = await startBusyClients(network.connectClient(third.key, false));
    return {
      send,
      redact: redactIn(accounts),
      verify: async (model) => {
        await busy.stop();
        for (const side of [0, 1] as const) await mustBeWhole(send[side], model.books[side], model);
        return verifyIn([...accounts, third])();
      },
      advance: (byMs) =>
        busy.whileIdle(async () => {
          advanceClock(byMs);
          await service.setClock();
        }),
      sweep: () => service.control('POST', 'schedules/sweep-drafts') as Promise<Swept>,
      work: () => service.control('POST', 'schedules/close-periods'),
      isAlone: false,
    };
  };
