import * as z from 'zod/mini';
import { described } from '../described.ts';

const identifierAdvice =
  'Send 1 to 255 characters, without control characters and without white space at the start or the end.';
const isControl = (code: number) => code < 32 || (code > 126 && code < 160);
const isIdentifier = (value: string) => {
  for (let index = 0; index < value.length; index++) if (isControl(value.charCodeAt(index))) return false;
  return value.length > 0;
};

// Names the value to send. A value of white space alone has none.
const paddedAdvice = ({ input }: { readonly input?: unknown }): string => {
  const trimmed = String(input).trim();
  return isIdentifier(trimmed) && trimmed.length <= 255
    ? `Send ${JSON.stringify(trimmed)}, without white space at the start or the end.`
    : identifierAdvice;
};

/**
 * An identifier that the client chooses: 1 to 255 characters without control characters, and without white space at the
 * start or the end. Otherwise `" o1"` and `"o1"` would be two documents.
 */
export const identifier = described(
  z.string(identifierAdvice).check(
    z.maxLength(255, identifierAdvice),
    z.refine(isIdentifier, { error: identifierAdvice, abort: true }),
    z.refine((value) => value.trim().length === value.length, { error: paddedAdvice }),
  ),
  'An identifier that the client chooses.',
  {
    minLength: 1,
    // The class of control characters is spelled out, because not every language's patterns have a name for it.
    pattern:
      '^[^\\s\\u0000-\\u001F\\u007F-\\u009F]([^\\u0000-\\u001F\\u007F-\\u009F]*[^\\s\\u0000-\\u001F\\u007F-\\u009F])?$',
  },
);
