/** Why Levy does not have an order as the shop has it. With `isFinal`, a retry has the same result: act manually. */
export type Problem = {
  readonly reference: string;
  /** An error code of Levy, a code of a `Gap`, or `mismatch`, `tax_difference`, `excess`, `contention` or `invalid_order`. */
  readonly code: string;
  readonly detail: string;
  readonly isFinal: boolean;
};

export type Attempt<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem };

export const done = <Value>(value: Value): Attempt<Value> => ({ ok: true, value });

export const failed = (reference: string, code: string, detail: string): { ok: false; problem: Problem } => ({
  ok: false,
  problem: { reference, code, detail, isFinal: true },
});

// Only another change by a person ends these.
const finalConflicts: readonly string[] = ['conflict_has_credits', 'conflict_over_credit', 'conflict_period_closed'];

/** A refusal of Levy. Other conflicts can end, such as one with a write that is still running. */
export const refused = (
  reference: string,
  { status, code, detail }: { readonly status: number; readonly code: string; readonly detail: string },
): { ok: false; problem: Problem } => ({
  ok: false,
  problem: { reference, code, detail, isFinal: status !== 409 || finalConflicts.includes(code) },
});
