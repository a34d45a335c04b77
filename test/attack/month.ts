/** A month: concurrent clients of both accounts, the schedules, and the removal of a customer's personal data. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scene } from './actions.ts';
import {
  change,
  changeFiling,
  closePeriod,
  createCredit,
  createSale,
  read,
  repeatCreation,
  trespass,
} from './actions.ts';
import type { Book } from './book.ts';
import type { Draw } from './draw.ts';
import type { World } from './network.ts';
import { newClient } from './network.ts';

/** The number of clients per account, and of actions per client and month. */
const clients = { a: 5, b: 2 } as const;
const actionsOfMonth = 14;
/** The percentage of attempts with a fault. */
const losses = 22;

const actions = {
  sale: createSale,
  credit: createCredit,
  change,
  repeat: repeatCreation,
  close: closePeriod,
  filing: changeFiling,
  read,
  trespass,
} as const;

const weights = { sale: 34, credit: 22, change: 26, repeat: 4, close: 7, filing: 5, read: 4, trespass: 3 };

const nameOf = (letter: string, at: number, client: number, action: number) => `${letter}${at}c${client}-${action}`;

/** The names that the clients of an account have used before an action of a month. */
const namesBefore = (letter: 'a' | 'b', at: number, action: number, isRecent: boolean): string[] => {
  const names: string[] = [];
  for (let month = isRecent ? at : 0; month <= at; month += 1)
    for (let client = 0; client < clients[letter]; client += 1)
      for (let one = 0; one < (month === at ? action : actionsOfMonth); one += 1)
        names.push(nameOf(letter, month, client, one));
  return names;
};

const customersOf = (at: number): readonly string[] => [`cus-${at}-0`, `cus-${at}-1`, 'cus-2'];

const runClient = async (world: World, book: Book, client: number, month: number, draw: Draw): Promise<void> => {
  const { service, network, books } = world;
  const at = month - world.month;
  const letter = book.letter as 'a' | 'b';
  const scene = { book, other: books[letter === 'a' ? 1 : 0], service, month, customers: customersOf(at) };
  for (let action = 0; action < actionsOfMonth; action += 1) {
    // Each action has a separate random series, so the number of attempts of other actions does not change it.
    const own = draw.fork();
    const whole: Scene = {
      ...{ ...scene, draw: own, client: newClient(network, service, own.fork(), losses) },
      names: namesBefore(letter, at, action, false),
      recent: namesBefore(letter, at, action, true),
    };
    await sleep(own.below(30));
    await actions[own.weighted(weights)](whole, nameOf(letter, at, client, action));
  }
};

/** Runs the schedules from time to time. A run can be killed. */
const runSchedules = async ({ service }: World, draw: Draw): Promise<void> => {
  for (const pauseMs of Array.from({ length: draw.below(4) }, () => draw.below(600))) {
    await sleep(pauseMs);
    await service.ready();
    await service.runSchedule(draw.of(['close-periods', 'close-periods', 'sweep-drafts'])).catch((error) => {
      // If the service is killed, fetch throws a TypeError.
      if (!(error instanceof TypeError)) throw error;
    });
  }
};

/** Removes a customer's personal data. The customer may not exist yet. */
const redact = async ({ service }: World, book: Book, customer: string): Promise<void> => {
  book.redacted.add(customer);
  const words = ['redact', '--account', book.account, '--customer', customer, '--yes', '--json'];
  await service.command('accounts', words).catch((error: { readonly stderr?: string; readonly stdout?: string }) => {
    const isKnown =
      error.stderr?.includes('no transaction has this customer') || /"left": [1-9]/.test(error.stdout ?? '');
    if (!isKnown) throw error;
  });
};

/** Runs a month with all clients of both accounts concurrently. */
export const liveMonth = async (world: World, month: number): Promise<void> => {
  const { books, draw } = world;
  const customer = customersOf(month - world.month)[0] as string;
  const isRedacted = draw.chance(40);
  const schedules = draw.fork();
  const all = books.flatMap((book) =>
    Array.from({ length: clients[book.letter as 'a' | 'b'] }, (_, client) => ({ book, client, draw: draw.fork() })),
  );
  await Promise.all([
    ...all.map((one) => runClient(world, one.book, one.client, month, one.draw)),
    runSchedules(world, schedules),
    ...(isRedacted ? [redact(world, books[0], customer)] : []),
  ]);
  if (!isRedacted) return;
  await world.network.settled();
  await redact(world, books[0], customer);
};
