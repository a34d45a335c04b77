import { isObjectOrArray } from '../json.ts';
import type { Problem } from '../problem.ts';
import { pointerTo } from './pointer.ts';

const depthMax = 16;

const problem = (path: readonly string[], title: string, detail: string): Problem => ({
  code: 'validation_invalid_format',
  title,
  detail,
  source: { pointer: pointerTo(path) },
});

// NUL and lone surrogates cannot be stored and returned unchanged.
const isText = (text: string) => text.isWellFormed() && !text.includes('\0');

/**
 * Problems that are found before the schema runs: text with NUL characters or lone surrogates, and too deep nesting.
 *
 * The deepest documented body has six levels.
 */
export const textProblems = (value: unknown, path: readonly string[] = []): Problem[] => {
  if (typeof value === 'string')
    return isText(value)
      ? []
      : [problem(path, 'Invalid text', 'Send Unicode text without NUL characters and lone surrogates.')];
  if (!isObjectOrArray(value)) return [];
  if (path.length >= depthMax)
    return [problem(path, 'Nested too deeply', `Send at most ${depthMax} levels of objects and arrays.`)];
  return Object.entries(value).flatMap(([key, inner]) =>
    isText(key)
      ? textProblems(inner, [...path, key])
      : [problem(path, 'Invalid field name', 'Send field names without NUL characters and lone surrogates.')],
  );
};
