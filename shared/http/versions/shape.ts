import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Problem } from '../../problem.ts';
import type { Reply } from '../reply.ts';
import type { Shapes } from './version.ts';

/** The changes since the version that was asked for, the oldest first; none for the current one. */
type Changes = readonly Shapes[];
type Problems = readonly [Problem, ...Problem[]];

/** A request's body, which may be anything, in the current shape. */
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

/** An answer's body in the shape that was asked for: text stays text. */
export const askedBody = <Body>(body: Body, changes: Changes): Body => {
  if (changes.length === 0) return body;
  const shaped = olderBody(typeof body === 'string' ? JSON.parse(body) : body, changes);
  return (typeof body === 'string' ? JSON.stringify(shaped) : shaped) as Body;
};

/** A reply in the shape that was asked for, unless it has that already. */
export const askedReply = (reply: Reply, changes: Changes): Reply =>
  reply.isShaped ? reply : { ...reply, body: askedBody(reply.body, changes) };

const fieldOf = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

/** Problems that point at, and are titled with, the fields as the client sent them. Their own shape is of every version. */
export const askedProblems = (problems: Problems, changes: Changes): Problems =>
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
