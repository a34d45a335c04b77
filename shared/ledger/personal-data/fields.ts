import { hash, randomBytes } from 'node:crypto';
import { canonicalJson, isObjectOrArray } from '../../base/json.ts';
import { fiveDigitZip } from '../../catalog/location/address.ts';
import { expiredReason, type StoredTransaction, type Transaction } from '../transaction.ts';

/** Returns the value that remains after redaction, and the personal data removed, if any. */
type Rule = (value: unknown) => { readonly left: unknown; readonly taken?: unknown };
/** The rules of personal fields, by path in a document. Rules of an array apply to each element. */
type Rules = { readonly [name: string]: Rule | Rules };

/** Replaces the text of warnings and explanations, which can quote an address or a certificate. */
const removedText = 'Removed with the personal data.';

const blank: Rule = (value) => ({ left: null, ...(value ? { taken: value } : {}) });
const empty: Rule = (value) => ({ left: {}, ...(Object.keys(value as object).length > 0 && { taken: value }) });
const toFiveDigits: Rule = (value) => {
  const zip = value && fiveDigitZip(String(value));
  return { left: zip, ...(zip !== value && { taken: value }) };
};
// The service sets this reason, and reads depend on it.
const withoutReason: Rule = (value) => (value === expiredReason ? { left: value } : blank(value));
const withoutTexts =
  (field: 'message' | 'text'): Rule =>
  (value) => {
    const rows = (value ?? []) as readonly Record<string, unknown>[];
    const left = rows.map((row) => ({ ...row, [field]: removedText }));
    return { left: value && left, ...(rows.length > 0 && { taken: rows.map((row) => row[field]) }) };
  };

const address = { line1: blank, postal_code: toFiveDigits };
const customer = { id: blank, address, exemption: { certificate_id: blank } };
const place = { address };
const personal: Rules = {
  customer,
  ship_from: place,
  line_items: {
    description: blank,
    customer,
    ship_from: place,
    metadata: empty,
    applied_exemption: { customer_id: blank, certificate_number: blank },
  },
  shipping: { ship_to: place, ship_from: place },
  metadata: empty,
  warnings: withoutTexts('message'),
  explanation: withoutTexts('text'),
  void_reason: withoutReason,
};

/** Called with the JSON Pointer and value of each non-empty personal field. */
type Found = (pointer: string, value: unknown) => void;

// Skip absent fields, so stored documents keep the same keys.
const apply = (rules: Rules, value: unknown, pointer: string, found: Found): unknown => {
  if (Array.isArray(value)) return value.map((element, index) => apply(rules, element, `${pointer}/${index}`, found));
  if (!isObjectOrArray(value)) return value;
  const left: Record<string, unknown> = { ...value };
  for (const [name, rule] of Object.entries(rules)) {
    if (value[name] === undefined) continue;
    const at = `${pointer}/${name}`;
    if (typeof rule !== 'function') {
      left[name] = apply(rule, value[name], at, found);
      continue;
    }
    const outcome = rule(value[name]);
    left[name] = outcome.left;
    if ('taken' in outcome) found(at, outcome.taken);
  }
  return left;
};

/**
 * Removes a transaction's personal data: customer ids, street lines, ZIP+4, certificate numbers, descriptions,
 * metadata, void reasons, and free text that may quote any of these. Keeps city, county, state, five-digit ZIP,
 * amounts, dates, references and tax codes (decision 0023). Idempotent.
 */
export const withoutPersonalData = (transaction: Transaction, found: Found = () => {}): Transaction =>
  apply(personal, transaction, '', found) as Transaction;

/**
 * Returns the redacted transaction: without personal data and without pointers to unknown fields, whose names the
 * client chose. `withoutPersonalData` keeps these pointers, because state hashes cover them. Idempotent.
 */
export const redactedForm = (transaction: Transaction): Transaction => {
  const kept = withoutPersonalData(transaction);
  return {
    ...kept,
    warnings: kept.warnings.map((warning) =>
      warning.code === 'unknown_field' ? { ...warning, pointer: null } : warning,
    ),
  };
};

/** Whether a transaction refers to a customer: on the document, on a line, or as the holder of a certificate. */
export const namesCustomer = ({ customer, line_items }: Transaction, id: string): boolean =>
  customer?.id === id ||
  line_items.some((line) => line.customer?.id === id || line.applied_exemption?.customer_id === id);

const sha256 = (text: string) => hash('sha256', text, 'base64url');

/** Returns a random 128-bit salt, in base64url. */
export const newSalt = (): string => randomBytes(16).toString('base64url');

// A field's key is the hash of the salt and the field's pointer. Its commitment is the hash of that key and the value.
// Disclosing the key proves one field without revealing the salt or the other fields.
const commitment = (salt: string, pointer: string, value: unknown): string =>
  sha256(`${sha256(`${salt}${pointer}`)}${canonicalJson(value)}`);

const committed = (transaction: Transaction, salt: string) => {
  const commitments: Record<string, string> = {};
  const kept = withoutPersonalData(transaction, (pointer, value) => {
    commitments[pointer] = commitment(salt, pointer, value);
  });
  return { kept, digest: sha256(canonicalJson(commitments)) };
};

/** The part of a stored transaction that its state hash covers. */
export type Hashed = Pick<StoredTransaction, 'transaction' | 'commitments'>;

/**
 * Returns the input of a transaction's state hash: the transaction without personal data, and the digest of the
 * commitments. The digest is kept after the data and the salt are removed.
 */
export const committedState = (
  transaction: Transaction,
  commitments: Hashed['commitments'],
): { readonly kept: Transaction; readonly digest: string } =>
  'digest' in commitments
    ? { kept: withoutPersonalData(transaction), digest: commitments.digest }
    : committed(transaction, commitments.salt);
