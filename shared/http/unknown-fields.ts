import type * as z from 'zod/mini';
import type { AnswerFields } from '../calculations/answer-fields.ts';
import { isObjectOrArray } from '../json.ts';
import { pointerTo } from './pointer.ts';

type Schema = z.core.$ZodType | undefined;
type Definition = {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
};

const definitionOf = (schema: Schema): Definition | undefined => {
  const definition = schema?._zod.def as unknown as Definition | undefined;
  return definition?.innerType ? definitionOf(definition.innerType) : definition;
};

/**
 * JSON Pointers of the fields that neither the request nor the response documents.
 *
 * A response may be sent back as a request, so its fields are known and ignored (interface decisions 1). Fields inside a
 * response-only field are not checked.
 */
export const unknownFields = (
  body: unknown,
  request: Schema,
  answer: AnswerFields,
  path: readonly string[] = [],
): string[] => {
  const known = definitionOf(request);
  if (Array.isArray(body))
    return known?.type === 'array'
      ? body.flatMap((item, index) => unknownFields(item, known.element, answer, [...path, String(index)]))
      : [];
  if (!isObjectOrArray(body)) return [];
  // A record accepts every name except this one, which zod drops.
  if (known?.type === 'record') return Object.hasOwn(body, '__proto__') ? [pointerTo([...path, '__proto__'])] : [];
  if (known?.type !== 'object') return [];
  return Object.entries(body).flatMap(([key, value]) => {
    const own = Object.hasOwn(known.shape ?? {}, key) ? known.shape?.[key] : undefined;
    const answers = Object.hasOwn(answer, key) ? answer[key] : undefined;
    if (own) return unknownFields(value, own, typeof answers === 'object' ? answers : {}, [...path, key]);
    return answers ? [] : [pointerTo([...path, key])];
  });
};
