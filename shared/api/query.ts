import type * as z from 'zod/mini';
import type { Problem } from '../base/problem.ts';
import { ownProblem, withReceived } from './field-problems.ts';
import type { RequestContext } from './request-context.ts';

type Schema = z.ZodMiniType | undefined;

const namesIn = (schema: Schema): readonly string[] =>
  Object.keys((schema?._zod.def as unknown as { shape?: object } | undefined)?.shape ?? {});

const unknown = (parameter: string, names: readonly string[]): Problem => ({
  code: 'validation_unknown_parameter',
  title: `Unknown parameter ${parameter}`,
  detail: names.length > 0 ? `Known parameters: ${names.join(', ')}.` : 'This operation takes no query parameters.',
  source: { parameter },
});

const invalid = (parameter: string, detail: string): Problem => ({
  code: 'validation_invalid_format',
  title: `Invalid ${parameter}`,
  detail,
  source: { parameter },
});

/** Check the query: each parameter is known, sent once, and valid. Returns all problems. */
export const readQuery = (
  schema: Schema,
  { query }: RequestContext,
): { value: unknown; problems: readonly Problem[] } => {
  const names = namesIn(schema);
  const problems: Problem[] = [];
  const once: Record<string, string> = {};
  for (const [name, values] of query) {
    if (!names.includes(name)) problems.push(unknown(name, names));
    else if (values.length > 1) problems.push(invalid(name, 'Send it once.'));
    else once[name] = values[0] ?? '';
  }
  const parsed = schema?.safeParse(once);
  for (const { path, message, ...issue } of parsed?.error?.issues ?? []) {
    const parameter = String(path[0]);
    const own = 'params' in issue ? ownProblem(issue.params) : undefined;
    const detail = withReceived({ ...issue, message }, parameter, once[parameter]);
    problems.push(own ? { ...own, source: { parameter } } : invalid(parameter, detail));
  }
  return { value: parsed?.data, problems };
};
