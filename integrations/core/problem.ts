/**
 * The reason why Levy's record of an order differs from the shop's. If `isFinal`, a retry has the same result and
 * manual action is required.
 */
export type Problem = {
  readonly reference: string;
  /**
   * An error code of Levy, a code of a `Gap`, or `mismatch`, `tax_difference`, `excess`, `contention` or
   * `invalid_order`.
   */
  readonly code: string;
  readonly detail: string;
  readonly isFinal: boolean;
};

/** Formats a problem for the log. */
export const formatProblem = ({ reference, code, detail }: Problem): string => `${reference}: ${code}: ${detail}`;

export type Attempt<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem };

export const done = <Value>(value: Value): Attempt<Value> => ({ ok: true, value });

export const failed = (reference: string, code: string, detail: string): { ok: false; problem: Problem } => ({
  ok: false,
  problem: { reference, code, detail, isFinal: true },
});

// Conflicts that only a manual change resolves.
const finalConflicts: readonly string[] = ['conflict_has_credits', 'conflict_over_credit', 'conflict_period_closed'];

type Refusal = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly object[];
};
type Failing = { readonly detail: string; readonly source?: { readonly pointer?: string | null } | null };
type Lines = readonly { readonly id?: string | null; readonly description?: string | null }[] | null | undefined;

const listPointers = ({ errors }: Refusal): string[] =>
  (errors as readonly Failing[]).map(({ source }) => source?.pointer ?? '');

/** Returns whether the buyer can resolve a refusal with a different address. */
export const isAboutAddress = (refusal: Refusal): boolean =>
  listPointers(refusal).length > 0 && listPointers(refusal).every((at) => at.startsWith('/customer/address'));

/** Formats a refusal with the field of each error and the shop's line. */
export const getDetail = (refusal: Refusal, lines: Lines = []): string => {
  const textOfError = ({ source, detail }: Failing): string => {
    const pointer = source?.pointer ?? '';
    const line = lines?.[Number(/^\/line_items\/(\d+)/.exec(pointer)?.[1])];
    const place = [line?.description ?? line?.id, pointer].filter(Boolean).join(' ');
    return place ? `${place}: ${detail}` : detail;
  };
  return (refusal.errors as readonly Failing[]).map(textOfError).join(' ') || refusal.detail;
};

/** The statuses of calls without a valid key or scope. Every call fails until the key is replaced. */
export const accountStatuses: readonly number[] = [401, 403];

/** Converts a refusal. Other conflicts are temporary, such as with a write that is still running. */
export const refused = (reference: string, refusal: Refusal, lines: Lines = []): { ok: false; problem: Problem } => {
  const isTemporary = refusal.status === 409 || accountStatuses.includes(refusal.status);
  const isFinal = !isTemporary || finalConflicts.includes(refusal.code);
  return { ok: false, problem: { reference, code: refusal.code, detail: getDetail(refusal, lines), isFinal } };
};
