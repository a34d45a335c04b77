import type { Schemas } from '../../shared/client/client.ts';
import { withFeesOnLines } from './delivery-fee.ts';
import type { Document } from './document.ts';
import { shippingNotes } from './shipping.ts';

export type Calculation = Schemas['Calculation'];

/** Why there is no tax: Levy refused the address or another field of the document, or did not respond in time. */
export type NoTaxReason = 'address' | 'refused' | 'unavailable';
export type Quote =
  | {
      readonly ok: true;
      readonly calculation: Calculation;
      /** Messages for the shop's staff: why the tax may be incomplete, or which product settings to change. */
      readonly warnings: readonly string[];
      /** Whether Levy covers the rates and rules of the address. If not, the tax is zero. */
      readonly isCovered: boolean;
    }
  | { readonly ok: false; readonly reason: NoTaxReason; readonly detail: string };

const messages: Readonly<Record<NoTaxReason, string>> = {
  address: 'The sales tax cannot be calculated. Check the state and the ZIP code of the shipping address.',
  refused: 'The sales tax of this order cannot be calculated. Contact the shop.',
  unavailable: 'The sales tax cannot be calculated at the moment. Try again in a minute.',
};

/** Returns the message for the shopper if the shop cannot continue without a tax from Levy. The cause is logged. */
export const noTaxMessage = (reason: NoTaxReason): string => messages[reason];

/** Formats the log entry for the warnings of a quote. Log it once per order. */
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

/** Converts the calculation of a document to a quote. */
export const quoteOf = (calculation: Calculation, document: Document): Quote => {
  const warnings = calculation.warnings.filter(({ code }) => loggedCodes.includes(code));
  return {
    ok: true,
    calculation: withFeesOnLines(calculation),
    warnings: [...new Set([...warnings.map(({ message }) => message), ...shippingNotes(document)])],
    isCovered: !warnings.some(({ code }) => code === 'not_covered'),
  };
};
