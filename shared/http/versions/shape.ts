import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Problem } from '../../base/problem.ts';

/**
 * One change of the API for one endpoint, between the shape before it (older) and after it (newer).
 *
 * The request is unchecked here, so each function leaves unexpected values unchanged and never throws. It returns a new
 * object.
 */
export type Shapes = {
  /** Converts a request body from the older to the newer shape. */
  readonly request?: (older: JsonObject) => JsonObject;
  /** Converts a response body from the newer to the older shape. */
  readonly response?: (newer: JsonObject) => JsonObject;
  /** Converts a pointer into the newer shape to one into the older shape. */
  readonly pointer?: (newer: string) => string;
};

type VersionChange = {
  /** The change in one sentence, for readers of the registry. */
  readonly name: string;
  /** The shapes by the name of the endpoint. */
  readonly of: Readonly<Record<string, Shapes>>;
};

/** A version and its changes from the version before. */
export type Version = { readonly name: string; readonly changes: readonly VersionChange[] };

/** The versions that a client may pin, oldest first. No version is ever removed (decision 0013). */
export const versions: readonly Version[] = [{ name: 'aspen.2026-10-01', changes: [] }];

/** The changes since the requested version, oldest first; none for the current version. */
type Changes = readonly Shapes[];
type Problems = readonly [Problem, ...Problem[]];

/** An unchecked request body in the current shape. */
export const currentBody = (body: unknown, changes: Changes): unknown =>
  isJsonObject(body) ? changes.reduce((older, { request }) => request?.(older) ?? older, body) : body;

const sentPointer = (pointer: string, changes: Changes): string =>
  changes.reduceRight((newer, change) => change.pointer?.(newer) ?? newer, pointer);

const warningAsSent = (warning: unknown, changes: Changes): unknown =>
  isJsonObject(warning) && typeof warning['pointer'] === 'string'
    ? { ...warning, pointer: sentPointer(warning['pointer'], changes) }
    : warning;

const olderBody = (body: JsonObject, changes: Changes): JsonObject => {
  const { warnings } = body;
  const named = Array.isArray(warnings)
    ? { ...body, warnings: warnings.map((warning) => warningAsSent(warning, changes)) }
    : body;
  return changes.reduceRight((newer, { response }) => response?.(newer) ?? newer, named);
};

/** A response body in the requested version. Text stays text. */
export const bodyInVersion = <Body>(body: Body, changes: Changes): Body => {
  if (changes.length === 0) return body;
  const shaped = olderBody(typeof body === 'string' ? JSON.parse(body) : body, changes);
  return (typeof body === 'string' ? JSON.stringify(shaped) : shaped) as Body;
};

const fieldOf = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

/** Problems with pointers and titles that name the fields as the client sent them. */
export const problemsInVersion = (problems: Problems, changes: Changes): Problems =>
  problems.map((problem) => {
    if (!problem.source || !('pointer' in problem.source)) return problem;
    const { pointer } = problem.source;
    const sent = sentPointer(pointer, changes);
    return {
      ...problem,
      title: problem.title.replace(fieldOf(pointer), () => fieldOf(sent)),
      source: { pointer: sent },
    };
  }) as unknown as Problems;
