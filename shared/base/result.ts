import type { Problem } from './problem.ts';

/** The result of an operation that can be refused. Bugs and outages throw. */
export type Result<Value> = Accepted<Value> | Refused;
export type Accepted<Value> = { readonly ok: true; readonly value: Value };
type Refused = { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] };

export const accept = <Value>(value: Value): Accepted<Value> => ({ ok: true, value });
export const refuse = (...problems: readonly [Problem, ...Problem[]]): Refused => ({ ok: false, problems });

/** Applies a function to an accepted value; returns a refusal unchanged. */
export const mapResult = <Input, Output>(result: Result<Input>, change: (value: Input) => Output): Result<Output> =>
  result.ok ? accept(change(result.value)) : result;
