import type { History, Version } from '../history.ts';
import { type Head, headOf, isLive, kindOf } from './decode.ts';

/** A state of a transaction, from the step that wrote it to the step that replaced it. */
export type Reign = { readonly head: Head; readonly version: Version; readonly from: number; readonly to: number };

export type Change = { readonly name: string; readonly version: Version; readonly before: Version | undefined };

/** The history of a schedule, by transaction and by step. */
export class Ledger {
  /** The states of each transaction, by account and id, oldest first. */
  readonly reigns = new Map<string, Reign[]>();
  /** The versions of all other items, by key. */
  readonly others: readonly (readonly [string, readonly Version[]])[];
  /** The writes of each step, in order. */
  readonly steps: readonly (readonly Change[])[];

  constructor({ versions }: History) {
    const all = [...versions];
    for (const [name, states] of all) {
      if (kindOf(name) !== 'head') continue;
      const heads = states.map((version, at) => ({
        head: headOf(present(name, version)),
        version,
        from: version.step,
        to: states[at + 1]?.step ?? Number.POSITIVE_INFINITY,
      }));
      const [{ head }] = heads as [Reign];
      this.reigns.set(`${head.account} ${head.id}`, heads);
    }
    this.others = all.filter(([name]) => kindOf(name) !== 'head');
    const byStep = new Map<number, Change[]>();
    for (const [name, states] of all)
      states.forEach((version, at) => {
        const change = { name, version, before: states[at - 1] };
        const step = byStep.get(version.step);
        if (step) step.push(change);
        else byStep.set(version.step, [change]);
      });
    this.steps = [...byStep].sort(([a], [b]) => a - b).map(([, changes]) => changes);
  }

  of(account: string, id: string): readonly Reign[] {
    return this.reigns.get(`${account} ${id}`) ?? [];
  }

  /** The states of a transaction at any time between two steps, both included. */
  during(account: string, id: string, from: number, to: number): readonly Reign[] {
    return this.of(account, id).filter((reign) => reign.from <= to && reign.to >= from);
  }

  /** Which transactions were live under a reference at any time between two steps. */
  holders(account: string, reference: string, from: number, to: number, fromMs: number): readonly string[] {
    return [...this.reigns.values()]
      .filter(([first]) => (first as Reign).head.account === account)
      .filter((reigns) =>
        reigns.some(
          (reign) =>
            reign.from <= to && reign.to >= from && reign.head.reference === reference && isLive(reign.head, fromMs),
        ),
      )
      .map(([first]) => (first as Reign).head.id);
  }
}

const present = (name: string, { item }: Version) => {
  if (!item) throw new Error(`${name} was deleted.`);
  return item;
};
