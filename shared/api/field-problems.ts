import type * as z from 'zod/mini';
import { getOrAdd } from '../base/collections.ts';
import { valueAt } from '../base/json.ts';
import { type Problem, problemPointer } from '../base/result.ts';
import type { RequestContext } from './request-context.ts';

/** A path into a body as a JSON Pointer (RFC 6901). */
export const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The fields of a zod issue that Levy uses. Custom checks pass their problem in `params`. */
type Issue = {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly params?: unknown;
};

/** The problem that a custom check attached to an issue, if any. */
const ownProblem = (params: unknown): Omit<Problem, 'source'> | undefined =>
  (params as { problem?: Omit<Problem, 'source'> } | undefined)?.problem;

const shownMax = 60;

/** Formats a received scalar as JSON, or names the type of an object or array; `null` for a long string. */
const received = (value: unknown, { code }: Pick<Issue, 'code'>): string | null => {
  if (Array.isArray(value)) return code === 'invalid_type' ? 'an array' : null;
  if (typeof value === 'object') return code === 'invalid_type' ? 'an object' : null;
  const text = JSON.stringify(value);
  return text.length > shownMax ? null : text;
};

/** Describes the received value and what to send instead: `"paid" is not a valid status. Send draft or finalized.` */
const withReceived = (issue: Pick<Issue, 'code' | 'message'>, name: string, value: unknown): string => {
  const { code, message } = issue;
  // For an invalid key, the key is the problem and not its value.
  const isAbout = message.startsWith('Send ') && code !== 'invalid_key' && value !== undefined && value !== null;
  const shown = isAbout ? received(value, issue) : null;
  if (shown === null) return message;
  return code === 'invalid_value' ? `${shown} is not a valid ${name}. ${message}` : `You sent ${shown}. ${message}`;
};

/** The issue of a union type, with the issues of each of its members. */
type UnionIssue = Issue & { readonly errors?: readonly (readonly Issue[])[] | undefined };

/** Returns the issues of the union member that was sent, or the issue itself if the value matches no member. */
const issuesOfType = (issue: UnionIssue): readonly Issue[] => {
  if (issue.code !== 'invalid_union') return [issue];
  const isOfOtherType = ({ code, path }: Issue) => code === 'invalid_type' && path.length === 0;
  const sent = issue.errors?.find((issues) => !issues.some(isOfOtherType));
  return (sent ?? [{ ...issue, code: 'invalid_type', path: [] }]).flatMap((inner) =>
    issuesOfType({ ...inner, path: [...issue.path, ...inner.path] }),
  );
};

/** Converts a zod issue to problems: fields that are missing, null or in the wrong format. */
export const unionProblems = (issue: UnionIssue, body: unknown): readonly Problem[] =>
  issuesOfType(issue).map((one) => toProblem(one, body));

const toProblem = (issue: Issue, body: unknown): Problem => {
  const source = { pointer: pointerTo(issue.path) };
  const given = ownProblem(issue.params);
  if (given) return { ...given, source };
  const name = String(issue.path.findLast((part) => typeof part === 'string') ?? 'body');
  const value = valueAt(body, issue.path);
  const isMissing = issue.path.length > 0 && (value === undefined || value === null);
  return isMissing
    ? {
        code: 'validation_required_field',
        title: `Missing field ${name}`,
        detail: `Send ${name}${issue.message.startsWith('Send ') ? `, ${issue.message.slice(5)}` : `. ${issue.message}`}`,
        source,
      }
    : {
        code: 'validation_invalid_format',
        title: `Invalid ${name}`,
        detail: issue.path.length > 0 ? withReceived(issue, name, value) : issue.message,
        source,
      };
};

/**
 * The position of each key, by object. Computed once per object, because a body can have an invalid field every few
 * bytes.
 */
type KeyOrders = Map<object, ReadonlyMap<string, number>>;

const findKeyOrder = (container: object, known: KeyOrders): ReadonlyMap<string, number> =>
  getOrAdd(known, container, () => new Map(Object.keys(container).map((key, index) => [key, index])));

// Returns the position of a pointer in the body. A missing field comes after its siblings.
const pointerPosition = (pointer: string, body: unknown, known: KeyOrders): readonly number[] => {
  let value = body;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const index = typeof value === 'object' && value !== null ? findKeyOrder(value, known).get(key) : undefined;
      value = index === undefined ? undefined : (value as Record<string, unknown>)[key];
      return index ?? Number.MAX_SAFE_INTEGER;
    });
};

const compare = (a: readonly number[], b: readonly number[]): number => {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? -1) - (b[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** Sorts problems by the position of their fields in the body and removes duplicates. */
export const inBodyOrder = (problems: readonly Problem[], body: unknown): Problem[] => {
  const seen = new Set<string>();
  const known: KeyOrders = new Map();
  return problems
    .map((problem) => {
      const pointer = problemPointer(problem);
      return { problem, pointer, position: pointerPosition(pointer, body, known) };
    })
    .toSorted((a, b) => compare(a.position, b.position))
    .filter(({ pointer, problem }) => {
      const key = `${pointer} ${problem.code} ${problem.title}`;
      return !seen.has(key) && seen.add(key);
    })
    .map(({ problem }) => problem);
};

type Schema = z.ZodMiniType | undefined;

const namesIn = (schema: Schema): readonly string[] =>
  Object.keys((schema?._zod.def as unknown as { shape?: object } | undefined)?.shape ?? {});

const unknown = (parameter: string, names: readonly string[]): Problem => ({
  code: 'validation_unknown_parameter',
  title: `Unknown parameter ${parameter}`,
  detail:
    names.length > 0
      ? `Known parameters: ${names.join(', ')}.`
      : `This operation has no query parameters. Remove ${parameter}.`,
  source: { parameter },
});

const invalid = (parameter: string, detail: string): Problem => ({
  code: 'validation_invalid_format',
  title: `Invalid ${parameter}`,
  detail,
  source: { parameter },
});

/** Checks that each query parameter is known, sent once and valid. Returns all problems. */
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
