import type { Account } from '../accounts/account.ts';
import { inTimeZone } from '../accounts/time-zone.ts';
import { isSent, type JsonObject, objectOf } from '../json.ts';
import { formatAmount, minorDigits } from '../money/currency.ts';
import { decimal, rescale } from '../money/decimal.ts';
import { isDecimal, isPrice, lineAmount } from './line-amount.ts';
import type { Warning } from './response.ts';
import { unknownFieldWarnings } from './unknown-field-warnings.ts';

/**
 * The decimals of the amounts of a body; `null` where the stored transaction or the sale of a credit decides, and amounts
 * have as many as they were sent with.
 */
const exponentIn = ({ currency }: JsonObject, isInherited: boolean): number | null =>
  typeof currency === 'string' ? minorDigits(currency) : isInherited ? null : minorDigits('USD');

/** The warning that `amount` of a line, which only answers have, is not its quantity times its price; none for an own answer. */
const amountWarning = (line: JsonObject, exponent: number | null, pointer: string): Warning[] => {
  const { amount, quantity, unit_price } = line;
  if (!isSent(amount) || !isDecimal(quantity) || !isPrice(unit_price)) return [];
  const sent = isPrice(amount) ? decimal(amount) : null;
  const places = exponent ?? sent?.scale ?? minorDigits('USD');
  const product = lineAmount({ quantity, unit_price }, places);
  if (sent && sent.scale <= places && rescale(sent, places) === product) return [];
  return [
    {
      code: 'line_amount_differs',
      message: `The amount sent, ${JSON.stringify(amount).slice(0, 60)}, is not the quantity times the unit price, ${formatAmount(product, places)}, which was taxed. Send another unit_price, or leave amount out.`,
      pointer: `${pointer}/amount`,
    },
  ];
};

const amountWarnings = (body: JsonObject, isInherited: boolean): Warning[] => {
  const exponent = exponentIn(body, isInherited);
  const lines = Array.isArray(body['line_items']) ? body['line_items'] : [];
  return lines.flatMap((line, index) => amountWarning(objectOf(line) ?? {}, exponent, `/line_items/${index}`));
};

// Programs write UTC as `Z` or as this offset, whatever the day of the sale: they leave the day to the account.
const utcOffset = /[+-]00:00$/;

/** The warning that the offset of the tax date gives another day than the account's time zone, which decides. */
const taxDayWarnings = ({ tax_date: sent }: JsonObject, { settings: { time_zone } }: Account): Warning[] => {
  if (typeof sent !== 'string' || !/[+-]\d\d:\d\d$/.test(sent) || utcOffset.test(sent)) return [];
  const [own, day] = [sent.slice(0, 10), inTimeZone(sent, time_zone).slice(0, 10)];
  return own === day
    ? []
    : [
        {
          code: 'tax_day_differs',
          message: `The tax date is ${own} by its offset, and ${day} in the account's time zone ${time_zone}: the tax of ${day} applies. Send ${own} as a date for that day, or set the account's time_zone.`,
          pointer: '/tax_date',
        },
      ];
};

/**
 * Warnings about a valid body as sent, that the calculation does not read: unknown fields, an amount of a line that
 * contradicts its price, and a tax date whose day depends on the time zone. `isUpdate` of a stored transaction, whose
 * currency applies unless the body has one.
 */
export const sentWarnings = (
  sent: unknown,
  unknownFields: readonly string[],
  account: Account,
  isUpdate = false,
): Warning[] => {
  const body = objectOf(sent) ?? {};
  const isOfSale = body['type'] === 'credit' && isSent(body['parent_transaction_id']);
  return [
    ...unknownFieldWarnings(unknownFields),
    ...taxDayWarnings(body, account),
    ...amountWarnings(body, isUpdate || isOfSale),
  ];
};
