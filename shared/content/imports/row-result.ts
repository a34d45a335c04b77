/** The result of reading one row: its value, or why it has none. */
export type RowResult<Value> =
  | { readonly kind: 'row'; readonly value: Value }
  /** Skipped on purpose. */
  | { readonly kind: 'skipped'; readonly reason: string }
  /** Wrong: the reason says what to do about it. */
  | { readonly kind: 'bad'; readonly reason: string };

export const row = <Value>(value: Value): RowResult<Value> => ({ kind: 'row', value });
export const skipped = (reason: string): RowResult<never> => ({ kind: 'skipped', reason });
export const bad = (reason: string): RowResult<never> => ({ kind: 'bad', reason });
