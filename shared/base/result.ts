import type { Code } from './error-codes.ts';

/** The location of a problem: a JSON Pointer into the body, or the name of a query parameter or header. */
export type Source = { readonly pointer: string } | { readonly parameter: string } | { readonly header: string };

/** One error of a response: what is wrong (`title`) and what to send instead (`detail`). */
export type Problem = {
  readonly code: Code;
  readonly title: string;
  readonly detail: string;
  readonly source?: Source;
  readonly meta?: Readonly<Record<string, unknown>>;
};

/** Returns the pointer of a problem; empty if it is not about the body. */
export const problemPointer = ({ source }: Problem): string => (source && 'pointer' in source ? source.pointer : '');

/** Returns the detail of a problem, after the title if only the title names the code or attribute that was sent. */
export const problemText = ({ code, title, detail }: Pick<Problem, 'code' | 'title' | 'detail'>): string =>
  /^validation_(unknown_product|product_attribute)_/.test(code) ? `${title}. ${detail}` : detail;

/** Creates the problem of a field with an invalid value. */
export const invalidFormat = (pointer: string, title: string, detail: string): Problem => ({
  code: 'validation_invalid_format',
  title,
  detail,
  source: { pointer },
});

/** Creates the problem of a field with an invalid value, with a title that names the field. */
export const invalidField = (pointer: string, detail: string): Problem =>
  invalidFormat(pointer, `Invalid ${pointer.slice(pointer.lastIndexOf('/') + 1)}`, detail);

/** Creates the problem of a missing field. */
export const requiredField = (pointer: string, detail: string): Problem => ({
  code: 'validation_required_field',
  title: `Missing field ${pointer.slice(pointer.lastIndexOf('/') + 1)}`,
  detail,
  source: { pointer },
});

/** The result of an operation that can be refused. Bugs and outages throw. */
export type Result<Value> = Accepted<Value> | Refused;
export type Accepted<Value> = { readonly ok: true; readonly value: Value };
type Refused = { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] };

export const accept = <Value>(value: Value): Accepted<Value> => ({ ok: true, value });
export const refuse = (...problems: readonly [Problem, ...Problem[]]): Refused => ({ ok: false, problems });

/** Applies a function to an accepted value; returns a refusal unchanged. */
export const mapResult = <Input, Output>(result: Result<Input>, change: (value: Input) => Output): Result<Output> =>
  result.ok ? accept(change(result.value)) : result;
