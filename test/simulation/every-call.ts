import type { Account } from '../../shared/accounts/account.ts';
import type { MemoryDatabase } from '../support/memory-database.ts';
import { Client, type Run } from './client.ts';
import { Invocation } from './history.ts';
import type { Order } from './pool.ts';
import { firstFiling, firstSale } from './requests.ts';
import { finish, inWorld, type Ran } from './schedule.ts';
import { close, plainAccounts, type Request, type Response, storeAccounts } from './service.ts';
import type { Transport } from './transport.ts';

const account = 'acct_two';

/** The account is registered in Michigan from October. October's return is due today. */
const accounts: readonly Account[] = plainAccounts.map((one) => {
  const registrations = [{ state: 'MI', from: '2026-10-01', to: null, frequency: 'month' as const }];
  const settings = { ...one.settings, registrations: one.id === account ? registrations : null };
  return { ...one, created_at: '2026-10-01T00:00:00.000Z', settings };
});

/** An account with three sales and a credit in October. */
type Scene = {
  readonly sales: readonly string[];
  filing: string;
  readonly exceptions: () => number;
  readonly send: (request: Request, tries?: number) => Promise<Response | null>;
};
type Step = (scene: Scene) => Promise<unknown>;

const update = (kind: 'filings' | 'transactions', id: string, body: Readonly<Record<string, unknown>>): Request => ({
  operation: kind === 'filings' ? 'updateFiling' : 'updateTransaction',
  method: 'POST',
  path: `/${kind}/${id}`,
  id,
  body,
});

const credit = (parent_transaction_id: string): Request => ({
  operation: 'createTransaction',
  method: 'POST',
  path: '/transactions',
  body: {
    ...{ type: 'credit', status: 'finalized', tax_date: '2026-10-21', parent_transaction_id },
    line_items: [{ id: 'a', quantity: '1', unit_price: '0.01' }],
  },
});

// The schedule makes small steps and parts, so a shard takes several.
const schedule: Step = () =>
  close(new Invocation('schedule', 'all'), () => {}, { stepEntriesMax: 2, totalsRowsMax: 1 });

/** Each request is sent once, so the schedule finishes its remaining work. */
const works: Readonly<Record<string, Step>> = {
  close: async (scene) => {
    const response = await scene.send(firstFiling(), 1);
    scene.filing = response?.body?.id ?? scene.filing;
    return response;
  },
  file: ({ send, filing, exceptions }) => {
    const acknowledge_exceptions = exceptions();
    const confirmed = { status: 'filed', confirmation_number: 'c-1' };
    return send(
      update('filings', filing, { ...confirmed, ...(acknowledge_exceptions && { acknowledge_exceptions }) }),
      1,
    );
  },
  cancel: ({ send, filing }) => send(update('filings', filing, { status: 'canceled' }), 1),
  schedule,
  remind: schedule,
};

/** Operations that need a closed period; `remind` stores the reminder of its return. */
const onClosed = ['file', 'cancel', 'remind'];

const changes: Readonly<Record<string, Step>> = {
  ...works,
  void: ({ send, sales: [id = ''] }) => send(update('transactions', id, { status: 'void' })),
  retax: ({ send, sales: [id = ''] }) => send(update('transactions', id, { tax_amount: '0.04' })),
  note: ({ send, sales: [id = ''] }) => send(update('transactions', id, { metadata: { note: 'kept' } })),
  // The credits are in several shards, which a worker may have read as empty.
  credits: async ({ send, sales }) => {
    for (let at = 0; at < 8; at++) await send(credit(sales[1 + (at % 2)] ?? ''));
  },
};

const interruptions = ['crash before', 'crash after', ...Object.keys(changes).filter((name) => name !== 'remind')];

/** Runs an operation, completes it and repeats it. `interrupt` can interrupt it before each of its database calls. */
const play = async (
  work: string,
  run: Run,
  transport: Transport,
  interrupt: (scene: Scene) => Transport['interrupt'],
) => {
  const client = new Client('client', account, run);
  const step = works[work] as Step;
  let requests = 0;
  const sales: string[] = [];
  const scene: Scene = {
    sales,
    filing: 'fil_0',
    exceptions: () => run.observed.exceptions.get(scene.filing) ?? 0,
    send: (request, tries) => client.send(request, `request${++requests}`, tries),
  };
  const sell = async () => {
    const response = await scene.send(firstSale('finalized', `sale${requests}`, false));
    sales.push(response?.body?.id ?? '');
  };
  await storeAccounts(accounts, new Invocation('accounts', 'all'));
  for (let at = 0; at < 3; at++) await sell();
  await scene.send(credit(sales[2] ?? ''));
  if (onClosed.includes(work)) {
    await works['close']?.(scene);
    const { filing: id } = scene;
    await scene.send({ operation: 'getFiling', method: 'GET', path: `/filings/${id}`, id });
    await sell();
  }
  transport.interrupt = interrupt(scene);
  await step(scene);
  transport.interrupt = null;
  await finish(run.observed);
  const again = (await step(scene)) as Partial<Response> | null;
  await finish(run.observed);
  return again?.status ?? 200;
};

/** Interrupts an operation at one of its calls. Returns `null` if it makes fewer calls. */
const interrupted = async (
  work: string,
  interruption: string,
  call: number,
  memory: MemoryDatabase,
): Promise<Ran | null> => {
  let [calls, status] = [0, 0];
  const getKind = () => ({ accounts, isVaried: false, isOfFilings: true, isOfRedactions: false });
  const ran = await inWorld(call, memory, getKind, async (run, transport) => {
    const interrupt = (scene: Scene) => async () => {
      calls += 1;
      if (calls !== call) return undefined;
      transport.interrupt = null;
      if (interruption === 'crash before' || interruption === 'crash after') return interruption;
      await changes[interruption]?.(scene);
      return undefined;
    };
    transport.faultShare = 0;
    await run.scheduler.run([
      async () => {
        status = await play(work, run, transport, interrupt);
      },
    ]);
  });
  const isRefused = interruption.startsWith('crash') && status >= 300;
  const violations = [...ran.violations, ...(isRefused ? [`the repeated request got ${status}`] : [])];
  const where = `${work}, ${interruption} at call ${call}: `;
  return calls < call ? null : { ...ran, violations: violations.map((words) => where + words) };
};

/**
 * Interrupts each kind of work on a filing at every `step`th database call, by a crash or by another change. Then
 * finishes the work.
 */
export async function* atEveryCall(
  { from, step }: Pick<Order, 'from' | 'step'>,
  memory: MemoryDatabase,
): AsyncGenerator<Ran> {
  for (const work of Object.keys(works)) {
    // Before its interruption, an operation makes the same calls with every kind of interruption.
    let end = Number.POSITIVE_INFINITY;
    for (const interruption of interruptions)
      for (let call = from; call < end; call += step) {
        const ran = await interrupted(work, interruption, call, memory);
        if (ran) yield ran;
        else end = call;
      }
  }
}
