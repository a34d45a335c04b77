import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeJsonError } from '../../shared/base/json.ts';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

it.each([
  ['', 1, 1, 'a value'],
  ['{"line_items":[}', 1, 16, 'a value or "]"'],
  ['{"a":1,}', 1, 8, 'a field name in double quotes'],
  ["{'a':1}", 1, 2, 'a field name in double quotes or "}"'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, '"," or "}"'],
  ['{"a" 1}', 1, 6, '":"'],
  ['{"a":NaN}', 1, 6, 'a value'],
  ['{"a":01}', 1, 6, 'a value'],
  ['{"a":"x', 1, 6, 'a value'],
  ['{"a":1} {"b":2}', 1, 9, 'the end of the text'],
  ['[1, 2', 1, 6, '"," or "]"'],
])('finds where %j becomes invalid JSON', (text, line, column, expected) => {
  expect(describeJsonError(text)).toEqual({ line, column, expected });
});

it('rejects exactly what JSON.parse rejects, at the first position that no valid JSON can have', () => {
  let wrong = 0;
  const edit = fc.record({
    value: fc.json({ maxDepth: 3 }),
    at: fc.nat(200),
    cut: fc.integer({ min: 0, max: 3 }),
    put: fc.constantFrom(
      ...['', '"', '{', '}', '[', ']', ',', ':', '1', '-', '.5', 'e'],
      ...['true', 'nul', '\\', '\\u12', '\n', '\u0001', "'"],
    ),
  });
  fc.assert(
    fc.property(edit, ({ value, at, cut, put }) => {
      const text = value.slice(0, at % (value.length + 1)) + put + value.slice((at % (value.length + 1)) + cut);
      const error = describeJsonError(text);
      expect(error === null).toBe(parses(text));
      if (error === null) return;
      wrong += 1;
      const start =
        text
          .split('\n')
          .slice(0, error.line - 1)
          .join('\n').length + (error.line > 1 ? 1 : 0);
      const before = text.slice(0, start + error.column - 1);
      // The text before the position can be completed to valid JSON.
      const endings = ['', '1', '"a":1', ':1', '""', 'null'];
      const isPrefix = endings.some((ending) => {
        for (let closed = before + ending, depth = 0; depth < 8; depth++) {
          if (parses(closed)) return true;
          const open: string[] = [];
          for (const [mark] of closed.replace(/"(?:[^"\\]|\\.)*"/g, '0').matchAll(/[{}[\]]/g))
            if (mark === '{' || mark === '[') open.push(mark);
            else open.pop();
          if (open.length === 0) return false;
          closed += open.at(-1) === '{' ? '}' : ']';
        }
        return false;
      });
      expect(isPrefix, before).toBe(true);
    }),
    { numRuns: 3000 },
  );
  expect(wrong).toBeGreaterThan(1000);
});

// The maximum body size. A regular expression with a repeated group would overflow its stack.
it.each([
  ['a long string', `{"a":"${'x'.repeat(1_000_000)}", }`, 'a field name in double quotes'],
  ['a long string without its end', `{"a":"${'x'.repeat(1_000_000)}`, 'a value'],
  ['many escapes', `["${'\\n'.repeat(500_000)}" x`, '"," or "]"'],
  ['many brackets', '['.repeat(1_000_000), 'a value or "]"'],
])('reports %s', (_, text, expected) => {
  expect(describeJsonError(text)?.expected).toBe(expected);
});
