import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Problem } from '../../problem.ts';
import type { Reply } from '../reply.ts';
import type { Shapes } from './version.ts';

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

/** A reply in the requested version, unless it is already. */
export const replyInVersion = (reply: Reply, changes: Changes): Reply =>
  reply.isShaped ? reply : { ...reply, body: bodyInVersion(reply.body, changes) };

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
