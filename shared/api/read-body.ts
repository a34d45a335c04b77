import { describeJsonError } from '../base/json-error.ts';
import type { Problem } from '../base/problem.ts';
import { Refusal, type RequestContext } from './request-context.ts';

/** The longest body that is read. */
export const bodyBytesMax = 1024 * 1024;

/** Refusals of a body that is not read. */
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
    detail: 'Send one JSON object; the body does not parse.',
  },
} as const satisfies Record<string, Problem>;

// Every charset parameter counts, so that another reader of the header cannot find a different one.
const isJsonInUtf8 = (type: string): boolean =>
  /^application\/json\s*(;|$)/i.test(type) &&
  [...type.matchAll(/;\s*charset\s*=\s*("?)([^";]*)\1/gi)].every(([, , name = '']) => /^utf-?8$/i.test(name.trim()));

// RFC 9110, 8.4: `identity` is the absence of a coding. A repeated header is one list.
const isUncoded = (codings: readonly string[]): boolean =>
  codings.flatMap((value) => value.split(',')).every((coding) => /^(identity)?$/i.test(coding.trim()));

const headerShownMax = 100;

/** The refusal of a body that is not declared as JSON in UTF-8 without a coding; `null` if it is. */
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
  return `The body is not JSON at line ${line}, column ${column}: expected ${expected}.`;
};

/** Read the body as JSON, or refuse with 415, 413 or 400, in this order. */
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
