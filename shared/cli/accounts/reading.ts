import type * as z from 'zod/mini';

/** What became of a text that an operator sent: its value, or what is to be sent instead. */
export type Reading<Value> = { readonly value: Value } | { readonly send: string };

/** What is wrong with JSON that was sent, and in which entry and field: the first problem of it. */
export const problemIn = ({ issues: [issue] }: z.core.$ZodError): string => {
  if (!issue) return '';
  const place = issue.path.map((step) => (typeof step === 'number' ? `entry ${step + 1}` : String(step))).join(', ');
  const unknown = issue.code === 'unrecognized_keys' ? `There is no field ${issue.keys.join(' or ')}.` : issue.message;
  return place === '' ? unknown : `${place}: ${unknown}`;
};
