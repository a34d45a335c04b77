import type { Account } from '../../shared/accounts/account.ts';
import type { TransactionRow } from '../../shared/ledger/response.ts';
import type { Schema } from '../support/http.ts';
import { type History, Invocation } from './history.ts';
import { customers, drawRequest, type Known, type Seen } from './requests.ts';
import {
  type Bug,
  cachedMs,
  changeSetting,
  close,
  plainChange,
  type Request,
  type Response,
  redact,
  redactCustomer,
  send,
  sweep,
  variedChange,
} from './service.ts';
import { between, chance, pickOne, pickOneOrNone, type Scheduler, weighted, world } from './world.ts';

/** One attempt of a request, with its steps and its response; `null` without one. */
export type Attempt = {
  readonly invocation: Invocation;
  readonly from: number;
  readonly to: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly response: Response | null;
};

/** A request with all its attempts. */
export type Sent = {
  readonly name: string;
  readonly account: string;
  readonly request: Request;
  readonly attempts: Attempt[];
};

/** The pages read of one list, all if `isWhole`. `from` is the first step whose writes may be missing. */
export type Listing = {
  readonly account: string;
  readonly query: Readonly<Record<string, string>>;
  readonly pages: readonly { readonly ids: readonly string[]; readonly rows: readonly TransactionRow[] }[];
  readonly isWhole: boolean;
  readonly from: number;
  readonly to: number;
  readonly fromMs: number;
  readonly toMs: number;
};

/** A successful redaction, with the step at which it started. */
export type Redaction = { readonly account: string; readonly id: string; readonly from: number };

/** A redaction of a customer that reported success, with its first and last step. */
export type CustomerRedaction = {
  readonly account: string;
  readonly customer: string;
  readonly from: number;
  readonly to: number;
};

/** Everything that the clients of a schedule sent and received. */
export type Observed = {
  readonly sent: Sent[];
  readonly listings: Listing[];
  readonly redactions: Redaction[];
  readonly customerRedactions: CustomerRedaction[];
  readonly bugs: Bug[];
  readonly seen: Map<string, Map<string, Seen>>;
  /** Ids of filings by account. */
  readonly filings: Map<string, Set<string>>;
  /** The number of exceptions that a filing was last seen with, by its id. */
  readonly exceptions: Map<string, number>;
  /** Set if the schedules of the service finished all work at the end, without faults. */
  finished?: { readonly atMs: number; readonly failures: readonly unknown[] };
};

export const nothingObserved = (): Observed => ({
  sent: [],
  listings: [],
  redactions: [],
  customerRedactions: [],
  bugs: [],
  seen: new Map(),
  filings: new Map(),
  exceptions: new Map(),
});

/** A request as a line of the trace. */
export const inWords = ({ method, path, body, key, ifMatch, query }: Request): string =>
  [method, path, body, query, key && 'with a key', ifMatch && `if ${ifMatch}`]
    .filter(Boolean)
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
    .join(' ');

export const getOutcome = (response: Response | null): string => {
  if (!response) return 'no response';
  const { status, body, headers } = response;
  const { code } = body?.errors?.[0] ?? {};
  const outcome =
    code ??
    (body?.object === 'list' ? `${body.data.length} rows` : `${body?.id} ${body?.status} ${body?.version ?? ''}`);
  return `${status} ${outcome}${headers['Idempotent-Replayed'] ? ' again' : ''}`;
};

/** State shared by the clients of a schedule. */
export type Run = {
  readonly scheduler: Scheduler;
  readonly history: History;
  readonly observed: Observed;
  /** The accounts as they were created. */
  readonly accounts: readonly Account[];
  readonly isOfFilings: boolean;
  readonly isOfRedactions: boolean;
  readonly isVaried: boolean;
  /** One line for each event. */
  readonly trace: string[];
};

const triesMax = 4;
const pagesMax = 12;

/** A client of an account. It sends a few requests in sequence, and repeats those without a response. */
export class Client {
  readonly #name: string;
  readonly #account: string;
  readonly #run: Run;
  /** Requests with an idempotency key that succeeded. */
  readonly #done: Sent[] = [];
  #count = 0;

  constructor(name: string, account: string, run: Run) {
    this.#name = name;
    this.#account = account;
    this.#run = run;
  }

  async work(requests: number): Promise<void> {
    for (let left = requests; left > 0; left--)
      await weighted<() => Promise<unknown>>([
        [90, () => this.#request()],
        [8, () => this.#repeat()],
        // The next run of a schedule repeats a failed one.
        [6, () => sweep(this.#invocation('sweep'), () => {}).catch(() => {})],
        [this.#run.isOfFilings ? 16 : 0.3, () => close(this.#invocation('close'), () => {}).catch(() => {})],
        [this.#run.isVaried ? 10 : this.#run.isOfFilings ? 3 : 0, () => this.#changeSetting()],
        [this.#run.isOfRedactions ? 25 : 0, () => this.#redact()],
        [this.#run.isVaried ? 20 : 0, () => this.#redactCustomer()],
        // Time for drafts to expire.
        [10, () => this.#run.scheduler.sleep(between(500, 4000))],
      ])();
  }

  /** Repeats a request with its idempotency key, or sends a different request with the same key. */
  async #repeat(): Promise<void> {
    const sent = pickOneOrNone(this.#done);
    if (!sent) return this.#request();
    if (chance(0.8)) return this.#attempts(sent).then(() => {});
    const body = { ...sent.request.body, metadata: { other: 'body' } };
    await this.send({ ...sent.request, body, isOther: true }, `${this.#name}.${++this.#count}`);
  }

  async #request(): Promise<void> {
    const name = `${this.#name}.${++this.#count}`;
    const request = drawRequest(this.#known(), name, this.#run.isOfFilings);
    if (request.operation === 'listTransactions') return this.#list(request, name);
    await this.send(request, name);
  }

  /** Sends a request until it gets a response other than 503, at most this many times. */
  async send(request: Request, name: string, tries = triesMax): Promise<Response | null> {
    const sent: Sent = { name, account: this.#account, request, attempts: [] };
    this.#run.observed.sent.push(sent);
    const response = await this.#attempts(sent, tries);
    if (request.key && response && response.status < 300) this.#done.push(sent);
    return response;
  }

  async #attempts({ name, request, attempts }: Sent, tries = triesMax): Promise<Response | null> {
    for (let left = tries; left > 0; left--) {
      const invocation = new Invocation(`${name}.${attempts.length + 1}`, this.#account, this.#caller());
      const [from, fromMs] = [this.#run.scheduler.steps, Date.now()];
      const response = await send(request, invocation, this.#run.observed.bugs);
      this.#run.trace.push(
        `${this.#run.scheduler.steps} ${invocation.id} ${inWords(request)}: ${getOutcome(response)}`,
      );
      attempts.push({ invocation, from, fromMs, to: this.#run.scheduler.steps, toMs: Date.now(), response });
      if (response && response.status !== 503) {
        this.#learn(response);
        return response;
      }
      // A client without a key may stop retrying.
      if (!request.key && request.method === 'POST' && chance(0.5)) return response;
      await this.#run.scheduler.sleep(between(20, 400));
    }
    return null;
  }

  async #list(request: Request, name: string): Promise<void> {
    const [from, fromMs] = [this.#run.scheduler.steps, Date.now()];
    const pages: { ids: string[]; rows: Schema<'TransactionListItem'>[] }[] = [];
    let query = request.query ?? {};
    let isWhole = false;
    for (let page = 1; page <= pagesMax && !isWhole; page++) {
      const response = await this.send({ ...request, query }, `${name}.p${page}`);
      if (response?.status !== 200) break;
      const { data, has_more, next_cursor } = response.body as Schema<'TransactionList'>;
      pages.push({ ids: data.map(({ id }) => id), rows: data });
      isWhole = !has_more;
      query = { ...query, starting_after: (chance(0.7) ? null : data.at(-1)?.id) ?? next_cursor };
    }
    // A list that started after a cursor is not complete.
    const isAll = isWhole && request.query?.['starting_after'] === undefined;
    this.#run.observed.listings.push({
      account: this.#account,
      query: request.query ?? {},
      pages,
      isWhole: isAll,
      from: this.#run.history.lackedSince(from),
      fromMs,
      to: this.#run.scheduler.steps,
      toMs: Date.now(),
    });
  }

  #invocation(kind: string, account = 'all'): Invocation {
    return new Invocation(`${this.#name}.${kind}${++this.#count}`, account);
  }

  async #changeSetting(): Promise<void> {
    const [account, change] = this.#run.isVaried ? [this.#account, variedChange] : ['acct_two', plainChange];
    await changeSetting(account, change, this.#invocation('setting')).catch(() => {});
  }

  /** The account as cached by a running instance. Only varied schedules change settings. */
  #caller(): Account {
    const created = this.#run.accounts.find(({ id }) => id === this.#account) as Account;
    if (!this.#run.isVaried) return created;
    const sinceMs = world.nowMs - cachedMs();
    return this.#run.history.accountAfter(this.#account, ({ nowMs }) => nowMs <= sinceMs) ?? created;
  }

  async #redact(): Promise<void> {
    const { own } = this.#known();
    const drafts = own.filter(({ type, status }) => type === 'credit' && status === 'draft');
    const { id } = (chance(0.4) && pickOneOrNone(drafts)) || (pickOneOrNone(own) ?? {});
    if (id === undefined) return;
    const from = this.#run.scheduler.steps;
    const invocation = this.#invocation('redact', this.#account);
    const outcome = await redact(invocation, this.#account, id);
    this.#run.trace.push(`${this.#run.scheduler.steps} ${invocation.id} redact ${id}: ${outcome ?? 'no response'}`);
    if (outcome === 'inconsistent')
      this.#run.observed.bugs.push({ invocation: invocation.id, error: `${id} is inconsistent` });
    if (outcome === 'redacted' || outcome === 'already')
      this.#run.observed.redactions.push({ account: this.#account, id, from });
  }

  async #redactCustomer(): Promise<void> {
    const [account, customer, from] = [this.#account, pickOne(customers), this.#run.scheduler.steps];
    const invocation = this.#invocation('redact', account);
    const outcome = await redactCustomer(invocation, account, customer);
    const to = this.#run.scheduler.steps;
    this.#run.trace.push(`${to} ${invocation.id} redact ${customer}: ${JSON.stringify(outcome) ?? 'no response'}`);
    const { inconsistent = 0, left = 0 } = outcome ?? {};
    if (inconsistent > 0)
      this.#run.observed.bugs.push({ invocation: invocation.id, error: `${outcome?.inconsistentIds} is inconsistent` });
    else if (outcome && left === 0) this.#run.observed.customerRedactions.push({ account, customer, from, to });
  }

  #known(): Known {
    const listSeen = (isOwn: boolean) =>
      [...this.#run.observed.seen]
        .filter(([account]) => (account === this.#account) === isOwn)
        .flatMap(([, seen]) => [...seen.values()]);
    const { cursor_secret } = this.#run.accounts.find(({ id }) => id !== this.#account) as Account;
    // Sometimes uses a filing of the other account.
    const filings = [...this.#run.observed.filings].filter(([account]) => account === this.#account || chance(0.05));
    return {
      own: listSeen(true),
      foreign: listSeen(false),
      filings: filings.flatMap(([, ids]) => [...ids]),
      exceptions: this.#run.observed.exceptions,
      foreignSecret: cursor_secret,
      isVaried: this.#run.isVaried,
    };
  }

  #learn({ status, body }: Response): void {
    if (status < 300 && body?.object === 'filing' && body.id !== null) {
      const filings = this.#run.observed.filings.get(this.#account) ?? new Set();
      this.#run.observed.filings.set(this.#account, filings.add(body.id));
      if (body.exceptions) this.#run.observed.exceptions.set(body.id, body.exceptions.count);
    }
    if (status >= 300 || body?.object !== 'transaction') return;
    const seen = this.#run.observed.seen.get(this.#account) ?? new Map<string, Seen>();
    this.#run.observed.seen.set(this.#account, seen);
    if ((seen.get(body.id)?.version ?? 0) <= body.version) seen.set(body.id, body);
  }
}
