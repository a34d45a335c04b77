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
