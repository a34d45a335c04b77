/** Where a text stops being JSON, with line and column from 1, and what could be there. */
export type JsonError = { readonly line: number; readonly column: number; readonly expected: string };

const space = /[ \t\n\r]*/y;
const token = /(?<mark>[{}[\],:])|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;
// A repeated group would use one entry of the regular expression's stack for each character of a string.
const plain = /[ !#-[\]-\uffff]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The position after what a sticky expression matches at a position; -1 where it does not match. */
const findEnd = (pattern: RegExp, text: string, position: number): number => {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/** The position after the string that begins at a position; -1 where there is none. */
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

/** The state after a token in a state, or `null` where it cannot be there. Changes the stack of open brackets. */
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

/** Where a text is not JSON (RFC 8259); `null` where it is. */
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
