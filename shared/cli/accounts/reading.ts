/** What became of a text that an operator sent: its value, or what is to be sent instead. */
export type Reading<Value> = { readonly value: Value } | { readonly send: string };
