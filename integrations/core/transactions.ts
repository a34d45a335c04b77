import type { Levy, Schemas } from '../../shared/client/client.ts';
import { type Attempt, done, type Problem, refused } from './problem.ts';
import { computeDigest } from './quotes.ts';

export type Transaction = Schemas['Transaction'];
/** A transaction to record, without its status. */
export type Body = Omit<Schemas['TransactionRequest'], 'status'> & {
  readonly reference_id: string;
  readonly metadata: Readonly<Record<string, string>>;
};

export type Ledger = {
  readonly levy: Levy;
  /**
   * The prefix of idempotency keys, also stored in the metadata of each transaction. Must be unique among the shops of
   * an account.
   */
  readonly shop: string;
};

/**
 * Checks the `shop` of a `Ledger`, which is sent in HTTP headers. Throws `RangeError` for anything but 1 to 50 visible
 * ASCII characters.
 */
export const checkShopName = (shop: string): void => {
  if (!/^[\x21-\x7E]{1,50}$/.test(shop))
    throw new RangeError(`Set shop to 1 to 50 visible ASCII characters without spaces, not "${shop}".`);
};

/** Variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the address and the key of Levy. Throws if one is missing or invalid, so the server does not start. */
export const connectionFrom = ({ LEVY_URL: url = '', LEVY_API_KEY: apiKey }: Environment) => {
  if (!/^https?:\/\/[^/]/.test(url))
    throw new Error(
      `Set LEVY_URL to the address of your Levy service, such as https://levy.example.com, not "${url}".`,
    );
  if (!apiKey) throw new Error('Set LEVY_API_KEY to a key of your Levy account with the scopes read and write.');
  return { url, apiKey };
};

/** A transaction in Levy, and whether this call changed it. */
export type Written = {
  readonly transaction: Transaction;
  readonly isChanged: boolean;
  /** Why Levy permanently refuses the request, although the transaction exists. */
  readonly refusal?: Problem;
};

const transactionIn = (errors: readonly object[]): string | undefined =>
  (errors[0] as { readonly meta?: { readonly transaction_id?: string } | null } | undefined)?.meta?.transaction_id;

/** Retrieves a transaction of the order `reference`. */
export const retrieve = async ({ levy }: Ledger, reference: string, id: string): Promise<Attempt<Written>> => {
  const found = await levy.get('/transactions/{id}', { path: { id } });
  return found.ok ? done({ transaction: found.data, isChanged: false }) : refused(reference, found.refusal);
};

/**
 * Returns the transaction with a reference, or `null` if there is none or it is void. Uses a reconciliation because,
 * unlike a list, it is strongly consistent. No transaction has a tax above its total, so each differs from the entry.
 */
export const findByReference = async (ledger: Ledger, reference: string): Promise<Attempt<Transaction | null>> => {
  const body = { transactions: [{ reference_id: reference, total_amount: '0', tax_amount: '1' }] };
  const compared = await ledger.levy.post('/reconciliations', { body });
  if (!compared.ok) return refused(reference, compared.refusal);
  const [entry] = [...compared.data.missing, ...compared.data.different];
  if (!entry?.transaction_id) return done(null);
  const found = await retrieve(ledger, reference, entry.transaction_id);
  if (!found.ok) return found;
  const { transaction } = found.value;
  return done(transaction.status === 'void' ? null : transaction);
};

/**
 * Creates a transaction unless its reference is taken, and returns the transaction that has the reference, which may be
 * a different transaction.
 *
 * The idempotency key has the digest of the body, so a changed body is a new request. It does not have the reference,
 * because headers carry only ASCII. Keys expire: a repeated credit that was recorded long ago is refused for exceeding
 * the sale before its reference is compared.
 */
export const createOnce = async (
  ledger: Ledger,
  purpose: string,
  body: Body,
  status: 'draft' | 'finalized',
): Promise<Attempt<Written>> => {
  const reference = body.reference_id;
  const key = `${ledger.shop}-${purpose}-${computeDigest(body).slice(0, 32)}`;
  for (let idempotencyKey = key; ; ) {
    const result = await ledger.levy.post('/transactions', { body: { ...body, status }, idempotencyKey });
    if (!result.ok) {
      const { code, errors } = result.refusal;
      const id = code === 'conflict_duplicate_reference_id' ? transactionIn(errors) : undefined;
      if (id !== undefined) return retrieve(ledger, reference, id);
      const found = await findByReference(ledger, reference);
      const { problem } = refused(reference, result.refusal, body.line_items);
      if (!found.ok || found.value === null) return { ok: false, problem };
      return done({ transaction: found.value, isChanged: false, ...(problem.isFinal && { refusal: problem }) });
    }
    // A replayed response is outdated if the transaction has changed since the first request.
    if (!result.headers.has('Idempotent-Replayed')) return done({ transaction: result.data, isChanged: true });
    const now = await retrieve(ledger, reference, result.data.id);
    if (!now.ok || now.value.transaction.status !== 'void') return now;
    idempotencyKey = `${key}-after-${now.value.transaction.id}`;
  }
};

/**
 * Changes a transaction. The idempotency key includes the version, because an order can be edited back and forth. A
 * repeated call with the next version sends the stored values, which changes nothing.
 */
export const change = (
  { levy, shop }: Ledger,
  purpose: string,
  { id, version }: Pick<Transaction, 'id' | 'version'>,
  body: Schemas['TransactionUpdate'],
) => {
  const idempotencyKey = `${shop}-${purpose}-${id}-${version}-${computeDigest(body).slice(0, 32)}`;
  return levy.post('/transactions/{id}', { path: { id }, body, idempotencyKey });
};
