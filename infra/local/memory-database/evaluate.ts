import { getOrAdd } from '../../../shared/base/collections.ts';
import { type Input, invalid } from './exceptions.ts';
import {
  type Assigned,
  type Condition,
  type Operand,
  type Path,
  parseCondition,
  parseUpdate,
  type Test,
} from './syntax.ts';
import { compare, type Item, isEqual, type Value, valueType } from './values.ts';

/** The names and values available to a request's expressions. */
export type Scope = {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, Value>>;
};

const placeholders = new Map<string, readonly string[]>();
const listPlaceholders = (expression = ''): readonly string[] =>
  getOrAdd(placeholders, expression, () => expression.match(/[:#][A-Za-z0-9_]+/g) ?? []);

/** Returns the names and values of a request. Rejects unused and missing names and values. */
export const newScope = (
  { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Input,
  expressions: readonly (string | undefined)[],
): Scope => {
  const used = new Set(expressions.flatMap(listPlaceholders));
  for (const name of [...Object.keys(names), ...Object.keys(values)])
    if (!used.has(name)) throw invalid(`Value provided in the expression attributes unused in expressions: ${name}`);
  for (const name of used)
    if (!Object.hasOwn(name.startsWith('#') ? names : values, name))
      throw invalid(`An expression attribute used in an expression is not defined; attribute: ${name}`);
  return { names, values };
};

const resolved = (name: string, { names }: Scope): string => (name.startsWith('#') ? (names[name] as string) : name);

export const resolveName = ({ name }: Path, scope: Scope): string => resolved(name, scope);

const mapAt = (value: Value | undefined): Item | undefined =>
  value !== undefined && valueType(value) === 'M' ? (value as Item) : undefined;

const valueAt = (path: Path, item: Item, scope: Scope): Value | undefined =>
  path.inner.reduce<Value | undefined>(
    (value, name) => mapAt(value)?.[resolved(name, scope)],
    item[resolveName(path, scope)],
  );

/** Returns an item with a value set at, or removed from, a document path. The maps of the path must exist. */
const withValueAt = (item: Item, names: readonly string[], value: Value | undefined): Item => {
  const [name = '', ...inner] = names;
  const { [name]: before, ...others } = item;
  if (inner.length === 0) return value === undefined ? others : { ...item, [name]: value };
  const map = mapAt(before);
  if (!map) throw invalid('The document path provided in the update expression is invalid for update');
  return { ...item, [name]: withValueAt(map, inner, value) };
};

const resolveNames = (path: Path, scope: Scope): string[] =>
  [path.name, ...path.inner].map((name) => resolved(name, scope));

const read = (operand: Operand, item: Item, scope: Scope): Value | undefined =>
  operand.kind === 'value' ? scope.values[operand.name] : valueAt(operand, item, scope);

const isWithin = (container: Value, part: Value): boolean =>
  typeof container === 'string'
    ? typeof part === 'string' && container.includes(part)
    : Array.isArray(container) && container.some((element) => isEqual(element, part));

/** Returns the order of two values; NaN if they have no order, so that every comparison is false. */
const compareOrNaN = (left: Value, right: Value): number => compare(left, right) ?? Number.NaN;

type Tested = Exclude<Test, 'attribute_exists' | 'attribute_not_exists'>;
const tests: Readonly<Record<Tested, (value: Value, other: Value, ...more: Value[]) => boolean>> = {
  '=': isEqual,
  '<': (left, right) => compareOrNaN(left, right) < 0,
  '<=': (left, right) => compareOrNaN(left, right) <= 0,
  '>': (left, right) => compareOrNaN(left, right) > 0,
  '>=': (left, right) => compareOrNaN(left, right) >= 0,
  BETWEEN: (value, from, to) => tests['>='](value, from) && tests['<='](value, to as Value),
  IN: (value, ...among) => among.some((one) => isEqual(value, one)),
  begins_with: (value, part) => typeof value === 'string' && typeof part === 'string' && value.startsWith(part),
  contains: isWithin,
};

/** Returns whether an item satisfies a condition. A test with a missing attribute is false. */
export const isTrue = (condition: Condition, item: Item, scope: Scope): boolean => {
  if (condition.kind !== 'test') {
    const isLeft = isTrue(condition.left, item, scope);
    return isLeft === (condition.kind === 'or') ? isLeft : isTrue(condition.right, item, scope);
  }
  const { by, operands } = condition;
  const [value, ...others] = operands.map((operand) => read(operand, item, scope));
  if (by === 'attribute_exists') return value !== undefined;
  if (by === 'attribute_not_exists') return value === undefined;
  const known = others.filter((other) => other !== undefined);
  if (value === undefined || (by !== 'IN' && known.length < others.length)) return false;
  const [other = null, ...more] = known;
  return tests[by](value, other, ...more);
};

/** Returns whether an item satisfies the condition of a write. A missing item has no attributes. */
export const matchesCondition = (expression: string | undefined, item: Item | undefined, scope: Scope): boolean =>
  expression === undefined || isTrue(parseCondition(expression), item ?? {}, scope);

const missing = 'The provided expression refers to an attribute that does not exist in the item';

const assigned = (to: Assigned, item: Item, scope: Scope): Value => {
  if (to.kind === 'if_not_exists') return valueAt(to.path, item, scope) ?? assigned(to.otherwise, item, scope);
  const value = read(to, item, scope);
  if (value === undefined) throw invalid(missing);
  return value;
};

const added = (before: Value | undefined, by: Value): Value => {
  if (typeof by === 'number' && (before === undefined || typeof before === 'number')) return (before ?? 0) + by;
  throw invalid(`An operand in the update expression has an incorrect data type: ADD of ${valueType(by)}`);
};

/** Returns the attributes that an update changes. Rejects overlapping paths. */
export const updatedNames = (expression: string, scope: Scope): readonly string[] => {
  const paths = parseUpdate(expression).map(({ path }) => path);
  const texts = paths.map((path) => `${resolveNames(path, scope).join('.')}.`).sort();
  if (texts.some((text, at) => texts[at + 1]?.startsWith(text)))
    throw invalid('Two document paths overlap with each other');
  return [...new Set(paths.map((path) => resolveName(path, scope)))];
};

/** Returns the item after an update. Operands are read from the item before the update. */
export const updated = (expression: string, before: Item, scope: Scope): Item => {
  let item = before;
  for (const { path, set, add } of parseUpdate(expression)) {
    const sum = () => add && added(valueAt(path, before, scope), assigned(add, before, scope));
    item = withValueAt(item, resolveNames(path, scope), set ? assigned(set, before, scope) : sum());
  }
  return item === before ? { ...before } : item;
};
