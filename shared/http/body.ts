import type * as z from 'zod/mini';
import type { AnswerFields } from '../calculations/answer-fields.ts';
import { now } from '../config/clock.ts';
import type { Problem } from '../problem.ts';
import { type Exchange, Refusal } from './exchange.ts';
import { inBodyOrder, problemOf } from './field-problems.ts';
import { textProblems } from './text-problems.ts';
import { unknownFields } from './unknown-fields.ts';

export type BodyDefinition<Body extends z.ZodMiniType> = {
  readonly schema: Body;
  /** Fields of the response only: a request may repeat them, and they are ignored without a warning. */
  readonly answer: AnswerFields;
  /** Checks across fields, on an unchecked body. Each problem has its pointer. */
  readonly inspect?: (body: unknown, nowMs: number) => readonly Problem[];
};

type ParsedBody<Body> = {
  readonly value: Body | undefined;
  readonly problems: readonly Problem[];
  readonly unknownFields: readonly string[];
};

const mebibyte = 1024 * 1024;

const refuse = (code: Problem['code'], title: string, detail: string): never => {
  throw new Refusal([{ code, title, detail }]);
};

/** Read the body as JSON, or refuse with 415, 413 or 400, in this order (interface decisions 9). */
export const readBody = (exchange: Exchange): void => {
  const type = exchange.headers.get('content-type')?.at(-1) ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    refuse('validation_unsupported_media_type', 'Unsupported Media Type', 'Send the body as application/json.');
  if (exchange.rawBody.length > mebibyte)
    refuse('validation_body_too_large', 'Body Too Large', 'Send at most 1 MiB (1,048,576 bytes).');
  try {
    exchange.body = JSON.parse(exchange.rawBody.toString('utf8'));
  } catch {
    refuse('validation_malformed_json', 'Malformed JSON', 'Send one JSON object; the body does not parse.');
  }
};

const isStrict = (exchange: Exchange) =>
  (exchange.headers.get('prefer') ?? []).some((value) => /(^|[,;\s])handling\s*=\s*"?strict"?/i.test(value));

const unknownFieldProblem = (pointer: string): Problem => ({
  code: 'validation_unknown_field',
  title: `Unknown field ${pointer.slice(pointer.lastIndexOf('/') + 1)}`,
  detail: 'Leave it out, or leave out `Prefer: handling=strict` to have it ignored with a warning.',
  source: { pointer },
});

const pointerOf = ({ source }: Problem) => (source && 'pointer' in source ? source.pointer : '');

/** Check the body against its schema. Returns the problems of all fields, in the order of the body. */
export const parseBody = <Body extends z.ZodMiniType>(
  { schema, answer, inspect }: BodyDefinition<Body>,
  exchange: Exchange,
): ParsedBody<z.output<Body>> => {
  const { body } = exchange;
  const unreadable = textProblems(body);
  const parsed = schema.safeParse(body);
  const unknown = unknownFields(body, schema, answer);
  const strict = isStrict(exchange);
  if (strict) exchange.replyHeaders['Preference-Applied'] = 'handling=strict';
  const others = [
    ...(parsed.error?.issues.map((issue) => problemOf(issue, body)) ?? []),
    ...(inspect?.(body, now()) ?? []),
    ...(strict ? unknown.map(unknownFieldProblem) : []),
  ];
  // Unreadable text gets no other problem.
  const unreadableAt = new Set(unreadable.map(pointerOf));
  const problems = [...unreadable, ...others.filter((problem) => !unreadableAt.has(pointerOf(problem)))];
  return {
    value: parsed.data as z.output<Body> | undefined,
    problems: inBodyOrder(problems, body),
    unknownFields: unknown,
  };
};
