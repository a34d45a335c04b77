import { inspect } from 'node:util';

/** What must never be in a log line: each a name, and what it looks like. */
const shapes: Readonly<Record<string, RegExp>> = {
  'an API key': /levy_[0-9A-Za-z]{20,}/,
  'a token': /\beyJ[\w-]{8,}\.[\w-]{8,}/,
  'a credential header': /\b(bearer|basic) +[\w.~+/=-]{8,}|x-api-key['"]?\s*[:=]/i,
  'a key digest': /\bKEY#[0-9a-f]{16,}/,
  'an email address': /[\w.+-]+@[\w-]+\.[a-z]{2,}/i,
  // A body, an item or an account, whole or in part.
  'a field of a body or an item':
    /\b(line_items|line1|line2|postal_code|unit_price|product_tax_code|customer_id|certificate_id|metadata|reference_id|confirmation_number|cursor_secret|levy_account)\b/,
};

const textOf = (written: unknown): string => {
  if (typeof written === 'string') return written;
  if (written instanceof Uint8Array) return Buffer.from(written).toString('utf8');
  // Lambda logs what JSON shows of it; `npm start` what inspect shows, an error's causes and hidden fields with it.
  return inspect(written, { depth: 12, maxArrayLength: null, maxStringLength: null, breakLength: 1_000_000 });
};

/** What a log line gives away, by name; `secrets` are texts that were sent, each of which must not be in it. */
export const leaksIn = (written: readonly unknown[], secrets: Iterable<string> = []): string[] => {
  const line = written.map(textOf).join(' ');
  return [
    ...Object.entries(shapes).flatMap(([name, shape]) => (shape.test(line) ? [name] : [])),
    ...[...secrets].flatMap((secret) => (line.includes(secret) ? [`what was sent: ${secret}`] : [])),
  ];
};

const personal = new Set([
  ...['line1', 'line2', 'city', 'postal_code', 'name', 'email', 'description', 'reference_id', 'certificate_id'],
  ...['confirmation_number', 'void_reason', 'unit_price'],
]);
const secretLengthMin = 8;

/** The texts of a body that nobody but the database may see again: names, places, references, and all metadata. */
export const secretsIn = (value: unknown, isPersonal = false): string[] => {
  if (typeof value === 'string') return isPersonal && value.length >= secretLengthMin ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    secretsIn(inner, isPersonal || field === 'metadata' || personal.has(field)),
  );
};
