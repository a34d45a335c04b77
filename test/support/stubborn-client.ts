import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from './http.ts';
import type { Draw } from './random-orders.ts';
import { creditOf, michigan, sale } from './sales.ts';

/** A change that was answered: its request, and what was said. */
export type Told = { readonly path: string; readonly key: string; readonly body: unknown; readonly answer: Answer };

type Options = { readonly url: string; readonly apiKey: string; readonly draw: Draw };

/**
 * A client that changes its transactions at random, and repeats what is not answered, with its Idempotency-Key, until it
 * is. Nobody else changes them, so it knows of each what it must be.
 */
export const stubbornClient = ({ url, apiKey, draw }: Options) => {
  const told: Told[] = [];
  /** The last answer about each transaction; not of a sale that was credited, which its credit has changed since. */
  const last = new Map<string, any>();
  /** The credit of each of these sales. */
  const credits = new Map<string, string>();
  const seen = { unanswered: 0, replayed: 0, isOver: false };

  const post = (path: string, key: string, body: unknown) =>
    send(url, 'POST', path, { body, headers: { 'X-API-Key': apiKey, 'Idempotency-Key': key } });
  const change = async (path: string, body: unknown): Promise<any> => {
    const key = randomUUID();
    for (;;) {
      const answer = await post(path, key, body);
      if (answer.status < 500) {
        if (answer.status >= 300) throw new Error(`${path} was refused: ${answer.text}`);
        seen.replayed += Number(answer.headers.get('idempotent-replayed') === 'true');
        told.push({ path, key, body, answer });
        last.set(answer.body.id, answer.body);
        return answer.body;
      }
      seen.unanswered += 1;
      await sleep(10 + draw.below(20));
    }
  };
  const create = (status: string) => {
    const reference_id = draw.oneIn(3) ? null : randomUUID();
    return change('/transactions', sale({ status, customer: { address: michigan }, reference_id }));
  };
  const some = async (status: string): Promise<{ readonly id: string }> =>
    draw.of([...[...last.values()].filter((one) => one.status === status), await create(status)]);
  const update = async (status: string, body: unknown) => change(`/transactions/${(await some(status)).id}`, body);
  const credit = async () => {
    const parent = await create('finalized');
    const line_items = [{ id: 'item_1', quantity: '0.1' }];
    const { id } = await change('/transactions', creditOf(parent, { line_items }));
    last.delete(parent.id);
    credits.set(parent.id, id);
  };
  const steps: readonly (() => Promise<unknown>)[] = [
    () => create('draft'),
    () => create('finalized'),
    () => update('draft', { status: 'finalized' }),
    () => update('draft', { metadata: { at: randomUUID() }, tax_amount: '5.00' }),
    // A sale, or a credit, whose sale gets it back.
    () => update('finalized', { status: 'void' }),
    credit,
  ];
  return {
    told,
    last,
    credits,
    seen,
    run: async () => {
      while (!seen.isOver) await draw.of(steps)();
    },
    get: (id: string) => send(url, 'GET', `/transactions/${id}`, { headers: { 'X-API-Key': apiKey } }),
    repeat: ({ path, key, body }: Told) => post(path, key, body),
  };
};
