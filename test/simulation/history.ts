import { environment } from '../../shared/config/environment.ts';
import type { Command, Item, MemoryDatabase } from '../support/memory-database.ts';
import type { Invocation } from './invocation.ts';
import type { Scheduler } from './scheduler.ts';
import { world } from './world.ts';

/** An item as a write left it; `undefined` where it was taken away. */
export type Version = {
  readonly step: number;
  readonly nowMs: number;
  readonly invocation: Invocation;
  readonly item: Item | undefined;
};

type Key = { readonly pk: string; readonly sk: string };
type Written = { readonly table: string; readonly key: Key };

const keysOf = ({ constructor: { name }, input }: Command): readonly Written[] => {
  const written = ({ TableName, Item: item, Key: key }: any): Written => ({ table: TableName, key: item ?? key });
  switch (name) {
    case 'TransactWriteCommand':
      return input['TransactItems']
        .filter(({ ConditionCheck }: any) => !ConditionCheck)
        .map((action: object) => written(Object.values(action)[0]));
    case 'PutCommand':
    case 'UpdateCommand':
    case 'DeleteCommand':
      return [written(input)];
    case 'BatchWriteCommand':
      return Object.entries(input['RequestItems']).flatMap(([TableName, requests]: [string, any]) =>
        requests.map(({ PutRequest, DeleteRequest }: any) => written({ TableName, ...(PutRequest ?? DeleteRequest) })),
      );
    default:
      return [];
  }
};

/** Everything that was ever written in a schedule, for who looks at it afterwards: the table as it was at every step. */
export class History {
  readonly #memory: MemoryDatabase;
  readonly #scheduler: Scheduler;
  readonly #tokens = new Set<string>();
  readonly #steps: number[] = [];
  /** By key, oldest first. */
  readonly versions = new Map<string, Version[]>();
  readonly #lacks: { readonly at: number; readonly since: number }[] = [];

  constructor(memory: MemoryDatabase, scheduler: Scheduler) {
    this.#memory = memory;
    this.#scheduler = scheduler;
  }

  /** Write down what a command has left. One that was done before under its token leaves nothing. */
  record(command: Command, invocation: Invocation): void {
    const token = command.input['ClientRequestToken'];
    if (token !== undefined) {
      if (this.#tokens.has(token)) return;
      this.#tokens.add(token);
    }
    const step = this.#scheduler.steps;
    for (const { table, key } of keysOf(command)) {
      if (table !== environment.tables.transactions) continue;
      const name = `${key.pk} ${key.sk}`;
      const version = { step, nowMs: world.nowMs, invocation, item: this.#memory.itemAt(table, key) };
      const versions = this.versions.get(name);
      if (versions) versions.push(version);
      else this.versions.set(name, [version]);
      this.#steps.push(step);
    }
  }

  /** Whether a transaction was done under this token. */
  isDone(token: string | undefined): boolean {
    return token !== undefined && this.#tokens.has(token);
  }

  /** Take note that an index is read that lacks up to so many writes. */
  isBehind(writes: number): void {
    const since = this.#steps[Math.max(0, this.#steps.length - writes)] ?? 0;
    this.#lacks.push({ at: this.#scheduler.steps, since });
  }

  /** The first step whose writes an index may have lacked that was read since a step; that step, where none did. */
  lackedSince(step: number): number {
    return Math.min(step, ...this.#lacks.filter(({ at }) => at >= step).map(({ since }) => since));
  }
}
