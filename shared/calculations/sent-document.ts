import { isSent, type JsonObject } from '../json.ts';
import type { SentCharge, SentDocument, SentLine } from './deliveries.ts';
import { isDecimal, isPrice } from './line-amount.ts';
import { lineFulfillments } from './request.ts';

type Absent = null | undefined;

const isText = (value: unknown): value is string | Absent => !isSent(value) || typeof value === 'string';

const isAmount = (value: unknown): value is string | Absent => !isSent(value) || isDecimal(value);

const isTexts = (value: unknown): value is string[] | Absent =>
  !isSent(value) || (Array.isArray(value) && value.every((one) => typeof one === 'string'));

const isFulfillment = (value: unknown): value is (typeof lineFulfillments)[number] | Absent =>
  !isSent(value) || lineFulfillments.some((known) => known === value);

const lineFrom = (line: JsonObject | undefined): SentLine | null => {
  const { id, parent_line_item_id, product_tax_code, fulfillment, quantity, unit_price } = line ?? {};
  const { discount_amount, third_party_discount_amount } = line ?? {};
  return isText(id) &&
    isText(parent_line_item_id) &&
    isText(product_tax_code) &&
    isFulfillment(fulfillment) &&
    isDecimal(quantity) &&
    isPrice(unit_price) &&
    isAmount(discount_amount) &&
    isAmount(third_party_discount_amount)
    ? {
        id,
        parent_line_item_id,
        product_tax_code,
        fulfillment,
        quantity,
        unit_price,
        discount_amount,
        third_party_discount_amount,
      }
    : null;
};

const chargeFrom = (charge: JsonObject | undefined): SentCharge | null => {
  const { id, amount, discount_amount, line_item_ids } = charge ?? {};
  return isText(id) && isDecimal(amount) && isAmount(discount_amount) && isTexts(line_item_ids)
    ? { id, amount, discount_amount, line_item_ids }
    : null;
};

const isRead = <Value>(value: Value | null): value is Value => value !== null;

/**
 * What shipping depends on in an unvalidated body with these line items and shipping charges. `null` where a field has
 * another type: the schema refuses it.
 */
export const sentDocument = (
  { type, tax_included, shipping }: JsonObject,
  sentLines: readonly (JsonObject | undefined)[],
  sentCharges: readonly { readonly charge: JsonObject | undefined }[],
): SentDocument | null => {
  const lines = sentLines.map(lineFrom);
  const charges = isSent(shipping) ? sentCharges.map(({ charge }) => chargeFrom(charge)) : [];
  return isText(type) && lines.every(isRead) && charges.every(isRead)
    ? {
        type,
        tax_included: tax_included === true,
        line_items: lines,
        shipping: Array.isArray(shipping) ? charges : charges[0],
      }
    : null;
};
