import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { type Kind, success } from './requests.ts';
import { newTally, type Tally } from './tally.ts';

export type Rate = { readonly calculations: number; readonly creates: number };

/** Which kind the n-th request is: creates are spread evenly among the calculations. */
export const kindOf = (number: number, { calculations, creates }: Rate): Kind => {
  const all = calculations + creates;
  const createsUpTo = (count: number) => Math.floor((count * creates) / all);
  return createsUpTo(number + 1) > createsUpTo(number) ? 'create' : 'calculation';
};

type Due = { readonly kind: Kind; readonly request: Buffer; readonly at: number };
type Generator = {
  readonly connections: readonly Connection[];
  readonly requestOf: (kind: Kind, number: number) => Buffer;
};

/** How long after a phase its last answers are waited for; a function has ended by then. */
const graceMs = 15_000;

/**
 * Send requests at a constant rate, whatever becomes of those before them, until the time is over and all are answered.
 *
 * Each has a time at which it is due, and its latency counts from there: one that found no free connection, or a
 * generator that was late, has waited as a customer would have (no coordinated omission).
 */
export const sendAtRate = async (
  { connections, requestOf }: Generator,
  rate: Rate,
  seconds: number,
): Promise<Tally> => {
  const tally = newTally();
  const perMs = (rate.calculations + rate.creates) / 1000;
  const planned = Math.round(perMs * seconds * 1000);
  const begun = performance.now();
  const idle = [...connections];
  const queue: Due[] = [];
  let [made, sentFrom, answered, isOver] = [0, 0, 0, false];

  const send = (connection: Connection): void => {
    const next = queue[sentFrom];
    if (!next) return void idle.push(connection);
    sentFrom += 1;
    const { kind, request, at } = next;
    connection.ask(request, (outcome) => {
      if (isOver) return;
      answered += 1;
      tally.record(kind, outcome, success[kind], at - begun, performance.now() - at);
      send(connection);
    });
  };
  const sendDue = (): void => {
    const due = Math.min(planned, Math.floor((performance.now() - begun) * perMs));
    for (; made < due; made += 1) {
      const kind = kindOf(made, rate);
      queue.push({ kind, request: requestOf(kind, made), at: begun + made / perMs });
    }
    while (idle.length > 0 && sentFrom < queue.length) send(idle.pop() as Connection);
  };

  const end = begun + seconds * 1000 + graceMs;
  while (answered < planned && performance.now() < end) {
    sendDue();
    await sleep(1);
  }
  isOver = true;
  // What is still under way must not be taken for an answer to what is sent next.
  if (answered < planned) for (const connection of connections) connection.close();
  tally.finish({ unanswered: planned - answered, elapsedMs: performance.now() - begun });
  return tally;
};
