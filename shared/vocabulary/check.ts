import type { Result } from '../result.ts';

type Payload = { readonly value: string; readonly issues: object[] };

/** A check of a text field by the function that reads it: each of its problems keeps its own code and words. */
export const readableBy =
  (read: (text: string) => Result<unknown>) =>
  ({ value, issues }: Payload): void => {
    const result = read(value);
    if (result.ok) return;
    for (const problem of result.problems)
      issues.push({ code: 'custom', input: value, message: problem.detail, params: { problem }, path: [] });
  };
