import type { Schemas } from '../../shared/client/client.ts';
import { withFeesOnLines } from './delivery-fee.ts';
import type { Document } from './document.ts';
import { shippingNotes } from './shipping.ts';

export type Calculation = Schemas['Calculation'];

/** Why Levy has no tax: of the address, of something else in the document, or because it did not answer in time. */
export type NoTaxReason = 'address' | 'refused' | 'unavailable';
export type Quote =
  | {
      readonly ok: true;
      readonly calculation: Calculation;
      /** Messages for the shop's staff: why the tax can be incomplete, or which products need another setting. */
      readonly warnings: readonly string[];
      /** Whether Levy has the rates and rules of the address. Without them, the tax is zero. */
      readonly isCovered: boolean;
    }
  | { readonly ok: false; readonly reason: NoTaxReason; readonly detail: string };

const messages: Readonly<Record<NoTaxReason, string>> = {
  address: 'The sales tax cannot be calculated. Check the state and the ZIP code of the shipping address.',
  refused: 'The sales tax of this order cannot be calculated. Contact the shop.',
  unavailable: 'The sales tax cannot be calculated at the moment. Try again in a minute.',
};

/** The message for the shopper when the shop does not continue without a tax from Levy. The log has the cause. */
export const noTaxMessage = (reason: NoTaxReason): string => messages[reason];

/** The log entry for the warnings of a quote. Log it once for each order. */
export const warningText = (reference: string, messages: readonly string[]): string =>
  `Check the tax of order ${reference}: ${messages.join(' ')}`;

const loggedCodes: readonly string[] = [
  'not_covered',
  'local_rates_missing',
  'local_rates_approximate',
  'content_approximate',
  'taxability_not_established',
  'registrations_missing',
  'retail_delivery_fee_due',
];

/** The quote of the calculation of a document. */
export const quoteOf = (calculation: Calculation, document: Document): Quote => {
  const warnings = calculation.warnings.filter(({ code }) => loggedCodes.includes(code));
  return {
    ok: true,
    calculation: withFeesOnLines(calculation),
    warnings: [...new Set([...warnings.map(({ message }) => message), ...shippingNotes(document)])],
    isCovered: !warnings.some(({ code }) => code === 'not_covered'),
  };
};
