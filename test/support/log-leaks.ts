import { inspect } from 'node:util';

/** Patterns that must never occur in a log line, by name. */
const shapes: Readonly<Record<string, RegExp>> = {
  'an API key': /levy_[0-9A-Za-z]{20,}/,
  'a token': /\beyJ[\w-]{8,}\.[\w-]{8,}/,
  'a credential header': /\b(bearer|basic) +[\w.~+/=-]{8,}|x-api-key['"]?\s*[:=]/i,
  'a key digest': /\bKEY#[0-9a-f]{16,}/,
  'an email address': /[\w.+-]+@[\w-]+\.[a-z]{2,}/i,
  // Part or all of a body, an item or an account.
  'a field of a body or an item':
    /\b(line_items|line1|line2|postal_code|unit_price|product_tax_code|customer_id|certificate_id|metadata|reference_id|confirmation_number|cursor_secret|levy_account)\b/,
};

const getText = (written: unknown): string => {
  if (typeof written === 'string') return written;
  if (written instanceof Uint8Array) return Buffer.from(written).toString('utf8');
  // Lambda logs a value as JSON; `npm start` uses `inspect`, which includes an error's causes and hidden fields.
  return inspect(written, { depth: 12, maxArrayLength: null, maxStringLength: null, breakLength: 1_000_000 });
};

// Short strings often occur in longer ones: a town in an id, a reference in a file name.
const longFrom = 8;
const wordCharacter = /[\p{L}\p{N}_-]/u;
// A number without quotes is a figure, such as a duration or the sum of a tax: personal data are strings.
const figures = /: ?\d+(\.\d+)?(?= ?[,}])/g;
const frames = / {4}at [^\n'"]*:\d+:\d+\)?/g;

const hasWord = (line: string, word: string): boolean => {
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) {
    const around = [line[at - 1], line[at + word.length]];
    if (!around.some((character) => character !== undefined && wordCharacter.test(character))) return true;
  }
  return false;
};

// Words and ids of the service that a request can contain.
const own = /^(draft_expired|(acct|txn|fil|key)_[0-9A-Z]{26})$/;

/**
 * Returns the leaks of a log line, by name. `secrets` are strings that were sent and must not occur in it. A secret of
 * less than eight characters must match as a whole word outside of stack frames.
 */
export const leaksIn = (written: readonly unknown[], secrets: Iterable<string> = []): string[] => {
  const line = written.map(getText).join(' ');
  const said = line.replaceAll(frames, '').replaceAll(figures, ':');
  const isSaid = (secret: string) =>
    !own.test(secret) && (secret.length < longFrom ? hasWord(said, secret) : line.includes(secret));
  return [
    ...Object.entries(shapes).flatMap(([name, shape]) => (shape.test(line) ? [name] : [])),
    ...[...secrets].flatMap((secret) => (isSaid(secret) ? [`what was sent: ${secret}`] : [])),
  ];
};

// The minimum length of a field value that counts as a secret. Shorter values, such as a state code, occur in any log.
const lengthMin: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['line1', 'line2', 'city', 'postal_code'].map((field) => [field, 4])),
  ...Object.fromEntries(['reference_id', 'certificate_id', 'confirmation_number'].map((field) => [field, 4])),
  ...Object.fromEntries(
    ['name', 'email', 'description', 'void_reason', 'unit_price'].map((field) => [field, longFrom]),
  ),
  metadata: longFrom,
};
const getLengthMin = (field: string): number => (Object.hasOwn(lengthMin, field) ? (lengthMin[field] ?? 0) : Infinity);

/**
 * Returns the strings of a body that may be stored but must never be logged: names, places, references and all
 * metadata.
 */
export const secretsIn = (value: unknown, from = Infinity): string[] => {
  if (typeof value === 'string') return value.length >= from ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) => secretsIn(inner, Math.min(from, getLengthMin(field))));
};
