import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { CommandError } from '../terminal/errors.ts';
import { jsonFile } from '../terminal/json-file.ts';
import { checks } from './finding.ts';
import { counted, noCounts } from './verify-transaction.ts';

const Count = z.int().check(z.minimum(0));
/** The progress of an account. `after` is the last transaction of the pages that are checked completely. */
const AccountState = z.strictObject({
  after: z.nullable(z.string()),
  isDone: z.boolean(),
  counts: z.record(z.enum(counted), Count),
  findings: z.record(z.enum(checks), Count),
});
type AccountState = z.output<typeof AccountState>;
/** Which transactions are checked: a share of them by the hash of their ids and a seed, the same ones in every run. */
const Sample = { share: z.string(), seed: z.int() };
type Sample = Readonly<z.output<z.ZodMiniObject<typeof Sample>>>;
const State = z.strictObject({ ...Sample, accounts: z.record(z.string(), AccountState) });

export const isSampled = ({ share, seed }: Sample, id: string): boolean =>
  createHash('sha256').update(`${seed} ${id}`).digest().readUInt32BE() < Number(share) * 2 ** 32;

const newAccountState = (): AccountState => ({
  ...{ after: null, isDone: false, counts: noCounts() },
  findings: Object.fromEntries(checks.map((check) => [check, 0])) as AccountState['findings'],
});

const saveEveryMs = 1000;

/** The progress of a verification, in a file if there is one to resume from. The file is replaced at most once a second. */
export class VerifyState {
  readonly sample: Sample;
  readonly #file: string | null;
  readonly #accounts: Map<string, AccountState>;
  #savedMs = Number.NEGATIVE_INFINITY;

  /** Refuses a damaged file, and one of another share or seed than the given ones. */
  constructor(file: string | null, given: Partial<Sample>) {
    const {
      share,
      seed,
      accounts = {},
    } = file !== null && existsSync(file)
      ? jsonFile(file, State, `${file} is no file of \`ledger verify --resume\``)
      : {};
    for (const [name, before, now] of [
      ['--sample', share, given.share] as const,
      ['--seed', seed, given.seed] as const,
    ])
      if (before !== undefined && now !== undefined && before !== now)
        throw new CommandError(`${file} is of ${name} ${before}. Pass the same, leave it out, or pass another file.`);
    this.sample = {
      share: share ?? given.share ?? '1',
      seed: seed ?? given.seed ?? Math.floor(Math.random() * 1_000_000),
    };
    this.#file = file;
    this.#accounts = new Map(Object.entries(accounts));
  }

  of(account: string): AccountState {
    const state = this.#accounts.get(account) ?? newAccountState();
    this.#accounts.set(account, state);
    return state;
  }

  /** Save the progress of an account, if the last time is long enough ago. */
  set(account: string, state: AccountState): void {
    this.#accounts.set(account, structuredClone(state));
    if (performance.now() - this.#savedMs >= saveEveryMs) this.save();
  }

  save(): void {
    if (this.#file === null) return;
    this.#savedMs = performance.now();
    const text = JSON.stringify({ ...this.sample, accounts: Object.fromEntries(this.#accounts) });
    // A run that is killed here leaves the file as it was.
    writeFileSync(`${this.#file}.part`, text);
    renameSync(`${this.#file}.part`, this.#file);
  }

  /** Everything is verified: the next run starts over. */
  end(): void {
    if (this.#file !== null) rmSync(this.#file, { force: true });
  }
}
