import { isDeepStrictEqual } from 'node:util';
import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type Command, type Item, type Lag, MemoryDatabase } from '../support/memory-database.ts';

/** Does what a command asks, at once and whole. */
export type Backend = {
  readonly memory: MemoryDatabase;
  readonly execute: (command: Command, lag: Lag | undefined) => Promise<any>;
  /** What the two databases of a run on both answered differently. */
  readonly differences: string[];
  /** Forget everything, for the next schedule. */
  readonly clear: () => Promise<void>;
};

export const memoryBackend = (): Backend => {
  const memory = new MemoryDatabase();
  return {
    memory,
    execute: async (command, lag) => memory.execute(command, lag),
    differences: [],
    clear: async () => memory.clear(),
  };
};

type Outcome = { readonly answer: any } | { readonly error: unknown };

const outcomeOf = async (run: () => any): Promise<Outcome> => {
  try {
    const { $metadata: _, ConsumedCapacity: _units, ...answer } = await run();
    return { answer };
  } catch (error) {
    return { error };
  }
};

// What the service can tell of an answer. A batch comes in any order, texts are each database's own.
const comparable = (outcome: Outcome) => {
  if ('error' in outcome) {
    const { name, Item, CancellationReasons } = outcome.error as TransactionCanceledException & { Item?: unknown };
    return { name, Item, reasons: CancellationReasons?.map(({ Code, Item: item }) => [Code, item]) };
  }
  const { Responses, ...answer } = outcome.answer;
  if (!Responses) return answer;
  const sorted = Object.entries(Responses as Record<string, { pk: string; sk: string }[]>).map(([table, items]) => [
    table,
    items.toSorted((one, other) => (`${one.pk} ${one.sk}` < `${other.pk} ${other.sk}` ? -1 : 1)),
  ]);
  return { ...answer, sorted };
};

/** An emulator, as far as a run on both needs it. */
export type Emulated = {
  readonly send: (command: Command) => Promise<any>;
  /** The table that schedules write. */
  readonly table: string;
  readonly forget: (items: readonly Item[]) => Promise<void>;
};

/**
 * Memory and the emulator, one beside the other: everything is asked of both, and the answers must be the same. The
 * service gets memory's, so that an index can be behind; what is compared never is.
 */
export const besideEachOther = ({ send, table, forget }: Emulated): Backend => {
  const { memory } = memoryBackend();
  const differences: string[] = [];
  return {
    memory,
    differences,
    execute: async (command, lag) => {
      const late = lag && (await outcomeOf(() => memory.execute(command, lag)));
      const ours = await outcomeOf(() => memory.execute(command));
      const theirs = await outcomeOf(() => send(command));
      const [one, other] = [comparable(ours), comparable(theirs)];
      if (!isDeepStrictEqual(one, other))
        differences.push(
          `${command.constructor.name} ${JSON.stringify(command.input)}: memory ${JSON.stringify(one)}, emulator ${JSON.stringify(other)}`,
        );
      const outcome = late ?? ours;
      if ('error' in outcome) throw outcome.error;
      return outcome.answer;
    },
    clear: async () => {
      await forget(memory.itemsOf(table));
      memory.clear();
      differences.length = 0;
    },
  };
};
