import type { Result } from '../result.ts';

type Payload = { readonly value: string; readonly issues: object[] };

/** A zod check that runs a parser; each problem keeps its code and text. */
export const readableBy =
  (read: (text: string) => Result<unknown>) =>
  ({ value, issues }: Payload): void => {
    const result = read(value);
    if (result.ok) return;
    for (const problem of result.problems)
      issues.push({ code: 'custom', input: value, message: problem.detail, params: { problem }, path: [] });
  };
