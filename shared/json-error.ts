/** Where a text stops being JSON, with line and column from 1, and what could be there. */
export type JsonError = { readonly line: number; readonly column: number; readonly expected: string };

const token =
  /[ \t\n\r]*(?:(?<mark>[{}[\],:])|(?<text>"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?<other>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)))/y;
const space = /[ \t\n\r]*/y;

/** What is expected next, in words. */
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
export const jsonErrorOf = (text: string): JsonError | null => {
  const open: string[] = [];
  let state: State = 'value';
  let position = 0;
  for (;;) {
    space.lastIndex = position;
    space.exec(text);
    const start = space.lastIndex;
    if (start === text.length && state === 'end') return null;
    token.lastIndex = position;
    const { mark, text: string } = token.exec(text)?.groups ?? {};
    const isToken = token.lastIndex > 0;
    const following: State | null = isToken ? next(state, mark, string !== undefined, open) : null;
    if (following === null) {
      const lines = text.slice(0, start).split('\n');
      return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, expected: expectations[state] };
    }
    position = token.lastIndex;
    state = following;
  }
};
