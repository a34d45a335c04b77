/** A deeply read-only value. */
export type DeepReadonly<Value> = unknown extends Value
  ? Value
  : Value extends string | number | bigint | boolean | null | undefined
    ? Value
    : Value extends Uint8Array | ReadonlyMap<string, unknown>
      ? Value
      : { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> };

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObjectOrArray = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

const isJsonObject = (value: unknown): value is JsonObject => isObjectOrArray(value) && !Array.isArray(value);

/** Returns the value if it is an object and not an array. */
export const asObject = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

/** Returns the value at a path, or `undefined`. Ignores inherited properties such as `__proto__`. */
export const valueAt = (root: unknown, path: readonly PropertyKey[]): unknown => {
  let value = root;
  for (const part of path) {
    if (!isObjectOrArray(value) || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
};

/** Returns whether a field was sent. `null` counts as absent. */
export const isSent = (value: unknown): boolean => value !== undefined && value !== null;

/** Parses JSON. Returns `null` for invalid JSON, because callers also refuse a JSON `null`. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** Serializes JSON with sorted keys and no white space, so equal values give equal strings. */
export const canonicalJson = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // String concatenation is the fastest way, and every change of a transaction runs this.
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner !== undefined) text += `${text && ','}${JSON.stringify(key)}:${canonicalJson(inner)}`;
  }
  return `{${text}}`;
};

/** The location of a JSON syntax error, with line and column from 1, and the expected tokens. */
type JsonError = { readonly line: number; readonly column: number; readonly expected: string };

const space = /[ \t\n\r]*/y;
const token = /(?<mark>[{}[\],:])|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;
// A repeated group would use one regular expression stack entry per character of a string.
const plain = /[ !#-[\]-\uffff]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Returns the position after the match of a sticky expression, or -1 if it does not match. */
const findEnd = (pattern: RegExp, text: string, position: number): number => {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/** Returns the position after the string that begins at a position, or -1 if there is none. */
const stringEnd = (text: string, start: number): number => {
  if (text[start] !== '"') return -1;
  let position = start + 1;
  while (position >= 0) {
    position = findEnd(plain, text, position);
    if (text[position] === '"') return position + 1;
    position = findEnd(escaped, text, position);
  }
  return -1;
};

/** The expected next token, in words. */
const expectations = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  name: 'a field name in double quotes',
  'name or }': 'a field name in double quotes or "}"',
  ':': '":"',
  ', or }': '"," or "}"',
  ', or ]': '"," or "]"',
  end: 'the end of the text',
} as const;
type State = keyof typeof expectations;

const after = (open: readonly string[]): State =>
  open.length === 0 ? 'end' : open.at(-1) === '{' ? ', or }' : ', or ]';

/** Returns the state after a token, or `null` if the token is not allowed. Updates the stack of open brackets. */
const next = (state: State, mark: string | undefined, isText: boolean, open: string[]): State | null => {
  if (state === 'value' || state === 'value or ]') {
    if (mark === undefined) return after(open);
    if (mark === '{' || mark === '[') {
      open.push(mark);
      return mark === '{' ? 'name or }' : 'value or ]';
    }
  }
  const closes = mark === ']' ? ['value or ]', ', or ]'] : mark === '}' ? ['name or }', ', or }'] : [];
  if (closes.includes(state)) {
    open.pop();
    return after(open);
  }
  if ((state === 'name' || state === 'name or }') && isText) return ':';
  if (state === ':' && mark === ':') return 'value';
  if (mark === ',') return state === ', or }' ? 'name' : state === ', or ]' ? 'value' : null;
  return null;
};

/** Locates the first JSON syntax error (RFC 8259); returns `null` for valid JSON. */
export const describeJsonError = (text: string): JsonError | null => {
  const open: string[] = [];
  let state: State = 'value';
  let position = 0;
  for (;;) {
    const start = findEnd(space, text, position);
    if (start === text.length && state === 'end') return null;
    const afterString = stringEnd(text, start);
    token.lastIndex = start;
    const found = afterString < 0 ? token.exec(text) : null;
    const isToken = afterString >= 0 || found !== null;
    const following: State | null = isToken ? next(state, found?.groups?.['mark'], afterString >= 0, open) : null;
    if (following === null) {
      const lines = text.slice(0, start).split('\n');
      return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, expected: expectations[state] };
    }
    position = afterString >= 0 ? afterString : token.lastIndex;
    state = following;
  }
};

/** Whether two values are the same JSON, ignoring the order of keys. */
export const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null);

/** Removes null fields from objects, because clients may send null or omit a field. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNulls(inner)]),
  );
};
