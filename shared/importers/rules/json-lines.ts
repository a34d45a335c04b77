/** Parses JSON and finds the line of each value, so that problems can name it. */
import { describeJsonError } from '../../base/json-error.ts';

/** The keys and indexes that lead to a value. */
export type Path = readonly PropertyKey[];

/** A path as text: `rules[0].effect.amount`. */
export const pathText = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');

/** A repeated key of an object, which `JSON.parse` would drop silently. */
export type RepeatedKey = { readonly path: Path; readonly line: number };

export type JsonLines = {
  readonly value: unknown;
  /** The line of a value, from 1; of a missing one, the line of the object that it should be in. */
  readonly lineOf: (path: Path) => number;
  readonly repeated: readonly RepeatedKey[];
};

const depthMax = 20;

/** The tokens of valid JSON and its line ends. No white space is between a string and its quotes. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,\n]|[^\s[\]{}:,]+/g;

/** An object or array that is not closed yet. `part` is the current key or index; `keys` is `null` in an array. */
type Open = { readonly path: Path; readonly keys: Set<string> | null; part: PropertyKey | null };

/** The line of each value of valid JSON, by its path as text, and the repeated keys. Throws if values are nested too deep. */
const scan = (text: string, name: string) => {
  const lines = new Map<string, number>();
  const repeated: RepeatedKey[] = [];
  const open: Open[] = [];
  let line = 1;
  for (const [token] of text.matchAll(tokens)) {
    const container = open.at(-1);
    if (token === '\n') line += 1;
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && container) container.part = container.keys ? null : Number(container.part) + 1;
    else if (container?.keys && container.part === null) {
      const key: string = JSON.parse(token);
      if (container.keys.has(key)) repeated.push({ path: [...container.path, key], line });
      container.keys.add(key);
      container.part = key;
    } else if (token !== ':') {
      const path = container ? [...container.path, container.part as PropertyKey] : [];
      if (path.length > depthMax)
        throw new Error(`${name}, line ${line}: values are nested more than ${depthMax} deep.`);
      lines.set(pathText(path), line);
      if (token === '{') open.push({ path, keys: new Set(), part: null });
      if (token === '[') open.push({ path, keys: null, part: 0 });
    }
  }
  return { lines, repeated };
};

/** Parse the text of the file `name`. Throws an `Error` with line and column where it is not JSON. */
export const parseJsonLines = (file: string, name: string): JsonLines => {
  const text = file.replace(/^\uFEFF/, '');
  const error = describeJsonError(text);
  if (error) throw new Error(`${name}, line ${error.line}, column ${error.column}: expected ${error.expected}.`);
  const { lines, repeated } = scan(text, name);
  const lineOf = (path: Path): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const line = lines.get(pathText(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return lines.get('') ?? 1;
  };
  return { value: JSON.parse(text), lineOf, repeated };
};
