import { hash, randomBytes } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { mapShipping, shippingPointer } from '../../calculations/charges.ts';
import type { Customer, ShipFrom } from '../../calculations/fields.ts';
import type { LineItemResponse, ShippingResponse } from '../../calculations/response.ts';
import { fiveDigitZip, type PostalAddress } from '../../catalog/location/address.ts';
import { expiredReason, type StoredTransaction, type Transaction } from '../transaction.ts';

/** Called with the JSON Pointer and the value of each personal field that has one. */
type Found = (pointer: string, value: unknown) => void;

/** The text of a warning or an explanation after a redaction: the original may quote an address or a certificate. */
export const removedText = 'Removed with the personal data.';

// `undefined` stays absent, so that the keys of stored documents stay as they were.
const blank = (pointer: string, value: string | null | undefined, found: Found): null | undefined => {
  if (value) found(pointer, value);
  return value === undefined ? undefined : null;
};

const addressWithout = (
  address: PostalAddress | null | undefined,
  pointer: string,
  found: Found,
): PostalAddress | null | undefined => {
  if (!address) return address;
  const { line1, postal_code } = address;
  const zip = postal_code && fiveDigitZip(postal_code);
  if (zip !== postal_code) found(`${pointer}/postal_code`, postal_code);
  const street = blank(`${pointer}/line1`, line1, found);
  return {
    ...address,
    ...(street !== undefined && { line1: street }),
    ...(postal_code !== undefined && { postal_code: zip }),
  };
};

const customerWithout = (customer: Customer | null, pointer: string, found: Found): Customer | null => {
  if (!customer) return customer;
  const { id, address, exemption } = customer;
  return {
    ...customer,
    ...(id !== undefined && { id: blank(`${pointer}/id`, id, found) }),
    ...(address && { address: addressWithout(address, `${pointer}/address`, found) }),
    ...(typeof exemption === 'object' &&
      exemption?.certificate_id !== undefined && {
        exemption: {
          ...exemption,
          certificate_id: blank(`${pointer}/exemption/certificate_id`, exemption.certificate_id, found),
        },
      }),
  };
};

const shipFromWithout = (shipFrom: ShipFrom | null, pointer: string, found: Found): ShipFrom | null =>
  shipFrom?.address
    ? { ...shipFrom, address: addressWithout(shipFrom.address, `${pointer}/address`, found) }
    : shipFrom;

const metadataWithout = (metadata: Transaction['metadata'], pointer: string, found: Found): Record<string, string> => {
  if (Object.keys(metadata).length > 0) found(pointer, metadata);
  return {};
};

const lineWithout = (line: LineItemResponse, pointer: string, found: Found): LineItemResponse => {
  const { applied_exemption: applied } = line;
  return {
    ...line,
    description: blank(`${pointer}/description`, line.description, found) ?? null,
    customer: customerWithout(line.customer, `${pointer}/customer`, found),
    ship_from: shipFromWithout(line.ship_from, `${pointer}/ship_from`, found),
    metadata: metadataWithout(line.metadata, `${pointer}/metadata`, found),
    ...(applied && {
      applied_exemption: {
        ...applied,
        customer_id: blank(`${pointer}/applied_exemption/customer_id`, applied.customer_id, found) ?? null,
        certificate_number:
          blank(`${pointer}/applied_exemption/certificate_number`, applied.certificate_number, found) ?? null,
      },
    }),
  };
};

const chargeWithout = (charge: ShippingResponse, pointer: string, found: Found): ShippingResponse => ({
  ...charge,
  ship_to: shipFromWithout(charge.ship_to, `${pointer}/ship_to`, found),
  ship_from: shipFromWithout(charge.ship_from, `${pointer}/ship_from`, found),
});

const textsWithout = <Field extends 'message' | 'text', Row extends Readonly<Record<Field, string>>>(
  rows: readonly Row[],
  field: Field,
  pointer: string,
  found: Found,
): Row[] => {
  if (rows.length > 0)
    found(
      pointer,
      rows.map((row) => row[field]),
    );
  return rows.map((row) => ({ ...row, [field]: removedText }));
};

/**
 * A transaction without personal data: ids of customers, street lines, ZIP+4, certificate numbers, descriptions, metadata,
 * the reason of a void, and texts that may quote them. City, county, state, five-digit ZIP, figures, days, references and
 * tax codes stay (decision 0023). Idempotent.
 */
export const withoutPersonalData = (transaction: Transaction, found: Found = () => {}): Transaction => {
  const { void_reason, explanation } = transaction;
  return {
    ...transaction,
    customer: customerWithout(transaction.customer, '/customer', found),
    ship_from: shipFromWithout(transaction.ship_from, '/ship_from', found),
    line_items: transaction.line_items.map((line, index) => lineWithout(line, `/line_items/${index}`, found)),
    shipping: mapShipping(transaction.shipping, (charge, index) =>
      chargeWithout(charge, shippingPointer(transaction.shipping, index), found),
    ),
    metadata: metadataWithout(transaction.metadata, '/metadata', found),
    warnings: textsWithout(transaction.warnings, 'message', '/warnings', found),
    explanation: explanation && textsWithout(explanation, 'text', '/explanation', found),
    // The service sets this one, and its reads depend on it.
    void_reason: void_reason === expiredReason ? void_reason : (blank('/void_reason', void_reason, found) ?? null),
  };
};

/**
 * A transaction after a redaction: without personal data and the pointers to unknown fields, whose names the client
 * chose. State hashes cover these pointers, so that `withoutPersonalData` keeps them. Idempotent.
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

/** Whether a transaction names a customer: on the document, on a line, or as the holder of a certificate. */
export const namesCustomer = ({ customer, line_items }: Transaction, id: string): boolean =>
  customer?.id === id ||
  line_items.some((line) => line.customer?.id === id || line.applied_exemption?.customer_id === id);

const sha256 = (text: string) => hash('sha256', text, 'base64url');

/** A random salt of 128 bits, in base64url. */
export const newSalt = (): string => randomBytes(16).toString('base64url');

// The key of a field is the hash of the salt and its pointer. Its commitment is the hash of the key and the value, so that
// one field can be proven with its key, without the salt and the other fields.
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
 * The input of the state hash of a transaction with commitments: the transaction without personal data, and the digest
 * of the commitments, which stays after the data and the salt are removed.
 */
export const committedState = (
  transaction: Transaction,
  commitments: Hashed['commitments'],
): { readonly kept: Transaction; readonly digest: string } =>
  'digest' in commitments
    ? { kept: withoutPersonalData(transaction), digest: commitments.digest }
    : committed(transaction, commitments.salt);
