import type * as z from 'zod/mini';
import type { Account } from '../accounts/account.ts';
import { describeJsonError, isObjectOrArray } from '../base/json.ts';
import { invalidFormat, type Problem, problemPointer } from '../base/result.ts';
import type { ResponseFields } from '../calculations/response-fields.ts';
import { suggestField } from '../calculations/sent-warnings.ts';
import { now } from '../config/clock.ts';
import { inBodyOrder, pointerTo, unionProblems } from './field-problems.ts';
import { Refusal, type RequestContext, requireCaller } from './request-context.ts';

const depthMax = 16;

const problem = (path: readonly string[], title: string, detail: string): Problem =>
  invalidFormat(pointerTo(path), title, detail);

// NUL and lone surrogates do not survive a round trip through storage.
const isText = (text: string) => text.isWellFormed() && !text.includes('\0');

/**
 * Problems found before schema validation: NUL characters, lone surrogates and excessive nesting.
 *
 * The deepest documented body has six levels.
 */
export const textProblems = (value: unknown, path: readonly string[] = []): Problem[] => {
  if (typeof value === 'string')
    return isText(value)
      ? []
      : [problem(path, 'Invalid text', 'Send Unicode text without NUL characters or lone surrogates.')];
  if (!isObjectOrArray(value)) return [];
  if (path.length >= depthMax)
    return [problem(path, 'Nested too deeply', `Send at most ${depthMax} levels of objects and arrays.`)];
  return Object.entries(value).flatMap(([key, inner]) =>
    isText(key)
      ? textProblems(inner, [...path, key])
      : [problem(path, 'Invalid field name', 'Send field names without NUL characters or lone surrogates.')],
  );
};

type Schema = z.core.$ZodType | undefined;
type Definition = {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
};

/** The definition of a schema, or of the union member that matches the value's type. */
const findDefinition = (schema: Schema, value: unknown): Definition | undefined => {
  const definition = schema?._zod.def as unknown as Definition | undefined;
  if (definition?.innerType) return findDefinition(definition.innerType, value);
  if (!definition?.options) return definition;
  const type = Array.isArray(value) ? 'array' : 'object';
  return definition.options.map((option) => findDefinition(option, value)).find((option) => option?.type === type);
};

/** An undocumented field, and the known fields of its parent object in the request. */
type UnknownField = { readonly pointer: string; readonly siblings: readonly string[] };

/**
 * Finds the fields that neither the request nor the response documents. Clients can send a response back as a request,
 * so response fields are ignored. Fields inside a response-only field are not checked.
 */
const unknownFields = (
  body: unknown,
  request: Schema,
  ignored: ResponseFields,
  path: readonly string[] = [],
): UnknownField[] => {
  const known = findDefinition(request, body);
  if (Array.isArray(body))
    return known?.type === 'array'
      ? body.flatMap((item, index) => unknownFields(item, known.element, ignored, [...path, String(index)]))
      : [];
  if (!isObjectOrArray(body)) return [];
  // A record accepts any name except `__proto__`, which zod drops.
  if (known?.type === 'record')
    return Object.hasOwn(body, '__proto__') ? [{ pointer: pointerTo([...path, '__proto__']), siblings: [] }] : [];
  if (known?.type !== 'object') return [];
  return Object.entries(body).flatMap(([key, value]) => {
    const own = Object.hasOwn(known.shape ?? {}, key) ? known.shape?.[key] : undefined;
    const nested = Object.hasOwn(ignored, key) ? ignored[key] : undefined;
    if (own) return unknownFields(value, own, typeof nested === 'object' ? nested : {}, [...path, key]);
    return nested ? [] : [{ pointer: pointerTo([...path, key]), siblings: Object.keys(known.shape ?? {}) }];
  });
};

export type BodyDefinition<Body extends z.ZodMiniType> = {
  readonly schema: Body;
  /** Response-only fields, which are ignored in a request without a warning. */
  readonly ignored: ResponseFields;
  /** Returns the problem of an unknown field that is always refused, by its pointer; `null` for other fields. */
  readonly refuseUnknown?: (pointer: string) => Problem | null;
  /** Cross-field checks on an unvalidated body. Each problem has a pointer. */
  readonly inspect?: (body: unknown, nowMs: number, account: Account) => readonly Problem[];
};

type ParsedBody<Body> = {
  readonly value: Body | undefined;
  readonly problems: readonly Problem[];
  readonly unknownFields: readonly string[];
};

const isStrict = (context: Pick<RequestContext, 'headers'>) =>
  (context.headers.get('prefer') ?? []).some((value) => /(^|[,;\s])handling\s*=\s*"?strict"?/i.test(value));

const unknownFieldProblem = ({ pointer, siblings }: UnknownField, advice: string): Problem => {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  const detail = [suggestField(pointer, siblings), advice].filter(Boolean).join(' ');
  return { code: 'validation_unknown_field', title: `Unknown field ${name}`, detail, source: { pointer } };
};

const strictAdvice = 'Leave it out, or leave out `Prefer: handling=strict`. Levy then ignores it with a warning.';
/**
 * The advice for an unknown field in a body that is refused for other reasons. It may be a misspelled required field.
 */
const refusedAdvice = 'Unknown field.';
const unknownNamedMax = 20;

/** Validates the body against its schema. Returns all problems, in the order of the fields in the body. */
export const parseBody = <Body extends z.ZodMiniType>(
  { schema, ignored, refuseUnknown, inspect }: BodyDefinition<Body>,
  context: Pick<RequestContext, 'body' | 'headers' | 'responseHeaders' | 'caller'>,
): ParsedBody<z.output<Body>> => {
  const { body } = context;
  const unstorable = textProblems(body);
  const parsed = schema.safeParse(body);
  const unknown = unknownFields(body, schema, ignored);
  const strict = isStrict(context);
  if (strict) context.responseHeaders['Preference-Applied'] = 'handling=strict';
  const others = [
    ...(parsed.error?.issues.flatMap((issue) => unionProblems(issue, body)) ?? []),
    ...(inspect?.(body, now(), requireCaller(context).account) ?? []),
    ...unknown.flatMap(
      (field) => refuseUnknown?.(field.pointer) ?? (strict ? unknownFieldProblem(field, strictAdvice) : []),
    ),
  ];
  // A field with text that cannot be stored gets no other problem.
  const unstorableAt = new Set(unstorable.map(problemPointer));
  const problems = [...unstorable, ...others.filter((problem) => !unstorableAt.has(problemPointer(problem)))];
  const named = new Set(problems.map(problemPointer));
  const hints = unknown
    .filter(({ pointer }) => problems.length > 0 && !named.has(pointer))
    .slice(0, unknownNamedMax)
    .map((field) => unknownFieldProblem(field, refusedAdvice));
  return {
    value: parsed.data as z.output<Body> | undefined,
    problems: inBodyOrder([...problems, ...hints], body),
    unknownFields: unknown.map(({ pointer }) => pointer),
  };
};

/** The maximum body length; longer bodies are not read. */
export const bodyBytesMax = 1024 * 1024;

/** Refusals of a body that is not parsed into an object: 415, 413 and 400. */
export const unreadable = {
  unsupportedMediaType: {
    code: 'validation_unsupported_media_type',
    title: 'Unsupported Media Type',
    detail: 'Send the body as application/json in UTF-8, without a Content-Encoding.',
  },
  tooLarge: {
    code: 'validation_body_too_large',
    title: 'Body Too Large',
    detail: 'Send at most 1 MiB (1,048,576 bytes).',
  },
  malformed: {
    code: 'validation_malformed_json',
    title: 'Malformed JSON',
    detail: 'The body is not valid JSON. Send one JSON object.',
  },
} as const satisfies Record<string, Problem>;

// Every charset parameter must match, so no other parser of the header can find a different charset.
const isJsonInUtf8 = (type: string): boolean =>
  /^application\/json\s*(;|$)/i.test(type) &&
  [...type.matchAll(/;\s*charset\s*=\s*("?)([^";]*)\1/gi)].every(([, , name = '']) => /^utf-?8$/i.test(name.trim()));

// RFC 9110, 8.4: `identity` means no coding. A repeated header forms one list.
const isUncoded = (codings: readonly string[]): boolean =>
  codings.flatMap((value) => value.split(',')).every((coding) => /^(identity)?$/i.test(coding.trim()));

const headerShownMax = 100;

/** Refuses a body that is not declared as uncompressed JSON in UTF-8; otherwise returns `null`. */
export const mediaTypeProblem = (type = '', codings: readonly string[] = []): Problem | null => {
  const refusal = (header: string, value: string, advice: string): Problem => ({
    ...unreadable.unsupportedMediaType,
    detail: value === '' ? advice : `You sent ${value.slice(0, headerShownMax)}. ${advice}`,
    source: { header },
  });
  if (!/^application\/json\s*(;|$)/i.test(type)) return refusal('Content-Type', type, 'Send application/json.');
  if (!isJsonInUtf8(type)) return refusal('Content-Type', type, 'Send application/json in UTF-8.');
  if (!isUncoded(codings))
    return refusal('Content-Encoding', codings.join(', '), 'Send the body without a Content-Encoding.');
  return null;
};

const malformedDetail = (text: string): string => {
  if (text.trim() === '') return 'The body is empty. Send one JSON object.';
  const error = describeJsonError(text);
  if (error === null) return unreadable.malformed.detail;
  const { line, column, expected } = error;
  return `The body is not valid JSON. At line ${line}, column ${column}, expected ${expected}.`;
};

/** Reads the body as JSON, or refuses with 415, 413 or 400, in this order. */
export const readBody = (context: RequestContext): void => {
  const { headers, rawBody } = context;
  const unsupported = mediaTypeProblem(headers.get('content-type')?.at(-1), headers.get('content-encoding'));
  if (unsupported) throw new Refusal([unsupported]);
  if (rawBody.length > bodyBytesMax) throw new Refusal([unreadable.tooLarge]);
  const text = rawBody.toString('utf8');
  try {
    context.body = JSON.parse(text);
  } catch {
    throw new Refusal([{ ...unreadable.malformed, detail: malformedDetail(text) }]);
  }
};
