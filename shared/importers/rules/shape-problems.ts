/** Problems of the shape of a file of own rules, each with the path of its field. */
import type * as z from 'zod/mini';
import { asObject, valueAt } from '../../base/json.ts';
import { closest } from '../../vocabulary/closest.ts';
import type { Path } from './json-lines.ts';
import { fileSchema, type RulesFile } from './schema.ts';

/** The problem of a field, and the remedy. */
export type FieldProblem = { readonly path: Path; readonly message: string };

/** The parts of zod's schema definitions that lead to the fields of an object. */
type Definition = {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly innerType?: Schema;
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
};
type Schema = { readonly _zod: { readonly def: object; readonly propValues?: z.core.util.PropValues } };

const definitionOf = (schema: Schema): Definition => schema._zod.def;

/** The names of the fields that the schema has for the object at a path. */
const fieldsAt = (schema: Schema | undefined, value: unknown, path: Path): readonly string[] => {
  if (!schema) return [];
  const { shape, element, innerType, valueType, options, discriminator = '' } = definitionOf(schema);
  if (innerType) return fieldsAt(innerType, value, path);
  if (options) {
    const name = asObject(value)?.[discriminator];
    const isChosen = ({ _zod: { propValues } }: Schema) =>
      propValues?.[discriminator]?.has(name as z.core.util.Primitive);
    return fieldsAt(options.find(isChosen), value, path);
  }
  const [first, ...rest] = path;
  if (first === undefined) return Object.keys(shape ?? {});
  return fieldsAt(shape?.[String(first)] ?? element ?? valueType, valueAt(value, [first]), rest);
};

const nearest = (text: string, known: readonly string[]): string => {
  const found = closest(text, known);
  return found === undefined ? '' : ` Did you mean \`${found}\`?`;
};

/** The sentence for an issue without a message of ours. */
const defaultMessage = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_value') return `Use ${issue.values.join(' or ')}.`;
  return issue.code === 'invalid_type' ? `Use an ${issue.expected}.` : 'Use a value of this format.';
};

const problemsOf = (issue: z.core.$ZodIssue, schema: Schema, file: unknown): readonly FieldProblem[] => {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    const fields = fieldsAt(schema, file, path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `Unknown field.${nearest(key, fields)} The fields are ${fields.join(', ')}.`,
    }));
  }
  const value = valueAt(file, path);
  const missing = value === undefined ? 'The field is missing. ' : '';
  if (issue.code === 'invalid_union') {
    const options = ('options' in issue ? (issue.options ?? []) : []).map(String);
    const unknown = typeof value === 'string' ? `Unknown name ${value}.${nearest(value, options)} ` : '';
    return [{ path, message: `${missing}${unknown}Use one of ${options.join(', ')}.` }];
  }
  const advice = message === 'Invalid input' ? defaultMessage(issue) : message;
  return [{ path, message: `${missing}${advice}` }];
};

/** Read a parsed file: its values with defaults, or the problems of its shape. */
export const readShape = (
  value: unknown,
): { readonly file: RulesFile | null; readonly problems: readonly FieldProblem[] } => {
  const schema = fileSchema();
  const { success, data, error } = schema.safeParse(value);
  if (success) return { file: data, problems: [] };
  return { file: null, problems: error.issues.flatMap((issue) => problemsOf(issue, schema, value)) };
};
