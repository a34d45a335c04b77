/** A schema as the OpenAPI document has it: the keywords that say something about a type. */
export type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
};

/** A description as a doc comment, on a line of its own. */
export const comment = (text: string | undefined, indent = ''): string =>
  text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s*\n\s*/g, ' ')} */\n` : '';

/** A name as it stands in an object type. */
export const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never';

const bracketed = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`);

const objectType = (schema: Schema, indent: string): string => {
  const { properties = {}, required = [], additionalProperties } = schema;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const type = typeOf(field, inner);
    const declared = required.includes(name) ? `: ${type}` : `?: ${type} | undefined`;
    return `${comment(field.description, inner)}${inner}readonly ${propertyName(name)}${declared};\n`;
  });
  const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties, inner) : null;
  if (fields.length === 0) return `{ readonly [key: string]: ${others ?? 'unknown'} }`;
  // An index must allow what the named fields are.
  const index = others === null ? '' : `${inner}readonly [key: string]: unknown;\n`;
  return `{\n${fields.join('')}${index}${indent}}`;
};

const ofOneType = (type: string, schema: Schema, indent: string): string => {
  switch (type) {
    case 'object':
      return objectType(schema, indent);
    case 'array':
      return `readonly ${bracketed(typeOf(schema.items ?? {}, indent))}[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return type;
  }
  throw new Error(`A schema has the unknown type "${type}".`);
};

const unreadable = ['allOf', 'not', 'if', 'prefixItems', 'patternProperties', '$dynamicRef'];

/** A schema as a TypeScript type. A keyword that only narrows a type, such as a pattern, is left to the service. */
export const typeOf = (schema: Schema, indent = ''): string => {
  const keyword = unreadable.find((one) => one in schema);
  if (keyword) throw new Error(`A schema uses "${keyword}", which no type is made of yet.`);
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((choice) => typeOf(choice, indent)));
  if (schema.type === undefined) return 'unknown';
  return union([schema.type].flat().map((type) => ofOneType(type, schema, indent)));
};
