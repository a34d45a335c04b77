import { registrationsOf, type Settings } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { assert } from '../assert.ts';
import type { ReleaseFor } from '../content/content.ts';
import { getOrAdd } from '../get-or-add.ts';
import { stateJurisdiction } from '../jurisdiction.ts';
import { exponentOf } from '../money/currency.ts';
import { decimal, multiply, rescale } from '../money/decimal.ts';
import { accept, type Result, refuse } from '../result.ts';
import type { Place, Relief, TaxDocument, TaxLine } from '../tax/document.ts';
import { type ProductTaxCode, parseProductTaxCode } from '../vocabulary/product-tax-code.ts';
import {
  appliedInline,
  chooseCertificate,
  inlineExemption,
  inlineWarning,
  isWithin,
  type KnownCertificates,
} from './certificates.ts';
import { lineIds } from './echo.ts';
import type { Customer, Exemption } from './fields.ts';
import { distinct, type LocatedLine, locateLines } from './locate-lines.ts';
import { policyProblem } from './policy.ts';
import type { CalculationInput } from './request.ts';
import type { AppliedExemption, Warning } from './response.ts';

/** The inputs of a calculation besides the request. */
export type Context = {
  readonly settings: Settings;
  readonly releaseFor: ReleaseFor;
  /** The service's time in milliseconds. */
  readonly now: number;
  /** The certificates of the buyers. Without it, only those in the request apply. */
  readonly certificates?: KnownCertificates;
};

/** A warning about the certificate of a line, by its index; `null` for one that was recorded with a transaction. */
export type CertificateWarning = { readonly line: number | null; readonly warning: Warning };

export type ReadDocument = {
  readonly document: TaxDocument;
  readonly located: readonly LocatedLine[];
  /** ISO instant or date that begins with the tax day: as sent, or now. */
  readonly taxDate: string;
  /** The certificate that exempts each line, or `null`. */
  readonly exemptions: readonly (AppliedExemption | null)[];
  /** Warnings about certificates that do not apply on the tax day. They matter where the line is taxed. */
  readonly certificateWarnings: readonly CertificateWarning[];
};

export const generalGoods = 'GENERAL';
const delivery = 'SHIPPING.DELIVERY';

const productOf = (text: string): ProductTaxCode => {
  const parsed = parseProductTaxCode(text);
  assert(parsed.ok, 'The schema accepted an unknown product tax code.');
  return parsed.value;
};

const isFor = ({ regions }: Exemption, place: string): boolean =>
  !regions || regions.some((region) => stateJurisdiction(region) === place);

/** Why nothing is collected in a place (`US-MI`) on a tax day from any buyer, or `null`. */
const sellersRelief = (
  collectedBy: CalculationInput['collected_by'],
  place: string,
  day: string,
  settings: Settings,
): Relief => {
  const registrations = registrationsOf(settings);
  if (
    registrations &&
    !registrations.some(({ state, from, to }) => stateJurisdiction(state) === place && isWithin(day, from, to))
  )
    return 'not_collecting';
  return collectedBy === 'marketplace' ? 'marketplace_collects' : null;
};

type Buyer = {
  readonly exemption: AppliedExemption | null;
  readonly warnings: readonly Warning[];
};

const noCertificate: Buyer = { exemption: null, warnings: [] };

/** The buyer with a certificate of the request. `holder` is the pointer of the line item that has it; empty for the document. */
const inlineBuyer = (inline: Exemption, { code, name }: Place, day: string, holder: string): Buyer => {
  if (!isFor(inline, code)) return noCertificate;
  if (isWithin(day, inline.valid_from, inline.valid_to)) return { exemption: appliedInline(inline), warnings: [] };
  const warning = inlineWarning(inline, name, day);
  return { exemption: null, warnings: [{ ...warning, pointer: `${holder}${warning.pointer}` }] };
};

/**
 * Decides which certificate exempts a line item in a place on the tax day. A line's customer overrides the document's, and a
 * certificate in the request overrides those of the customer.
 */
const buyersOf = (input: CalculationInput, day: string, known: KnownCertificates | undefined) => {
  const ids = known && 'recorded' in known ? lineIds(input.line_items ?? []) : [];
  const chosen = new Map<string, ReturnType<typeof chooseCertificate>>();
  return (customer: Customer | null, index: number, taxing: Place): Buyer => {
    const { code: place, name: placeName } = taxing;
    const line = `/line_items/${index}`;
    const inline = inlineExemption(customer, input.customer);
    if (inline) return inlineBuyer(inline, taxing, day, customer?.exemption ? line : '');
    const customerId = customer?.id ?? input.customer?.id ?? null;
    if (known === undefined || customerId === null) return noCertificate;
    if ('recorded' in known) {
      const exemption = known.recorded.get(ids[index] ?? '');
      if (exemption !== undefined) return { exemption, warnings: [] };
      // At that time, the document's certificate exempted the lines of other buyers, too.
      return input.customer?.exemption ? inlineBuyer(input.customer.exemption, taxing, day, '') : noCertificate;
    }
    const certificates = known.customers.get(customerId);
    if (!certificates) return noCertificate;
    const { applied, warnings } = getOrAdd(chosen, `${place} ${customerId}`, () =>
      chooseCertificate(certificates, { customerId, place, placeName, day }),
    );
    const pointer = `${customer?.id ? line : ''}/customer/id`;
    return { exemption: applied, warnings: warnings.map((warning) => ({ ...warning, pointer })) };
  };
};

/**
 * Why nothing is collected for each line, with the certificates that exempt them, in this order: the account is not
 * registered, a marketplace collects, the buyer's certificate is valid.
 */
const reliefs = (
  input: CalculationInput,
  located: readonly LocatedLine[],
  day: string,
  { certificates, settings }: Context,
) => {
  const buyerOf = buyersOf(input, day, certificates);
  const relief: Relief[] = [];
  const exemptions: (AppliedExemption | null)[] = [];
  const recorded = certificates && 'recorded' in certificates ? certificates.warnings : null;
  const warnings: CertificateWarning[] = (recorded ?? []).map((warning) => ({ line: null, warning }));
  for (const [index, { customer }] of (input.line_items ?? []).entries()) {
    const { place } = located[index] as LocatedLine;
    const sellers = sellersRelief(input.collected_by, place.code, day, settings);
    // Where the seller collects from nobody, no certificate is needed.
    const buyer = sellers === null ? buyerOf(customer ?? null, index, place) : noCertificate;
    relief.push(sellers ?? (buyer.exemption ? 'customer_exempt' : null));
    exemptions.push(buyer.exemption);
    if (!recorded) warnings.push(...buyer.warnings.map((warning) => ({ line: index, warning })));
  }
  return { relief, exemptions, warnings };
};

/**
 * Convert a valid request into the tax core's document: amounts in minor units, addresses as places.
 *
 * Refusals: addresses that cannot be resolved, and places that the account's policies reject.
 */
export const readDocument = (input: CalculationInput, context: Context): Result<ReadDocument> => {
  const taxDate = input.tax_date ?? taxDateAt(context.now, context.settings.time_zone);
  const day = taxDate.slice(0, 10);
  const currency = input.currency ?? 'USD';
  const exponent = exponentOf(currency);
  const minor = (text: string | null | undefined) => (text ? rescale(decimal(text), exponent) : 0n);
  const located = locateLines(input, context, day);
  if (!located.ok) return located;
  const { relief, exemptions, warnings } = reliefs(input, located.value, day, context);
  const lines = (input.line_items ?? []).map((line, index): TaxLine => {
    const quantity = decimal(line.quantity);
    return {
      product: productOf(line.product_tax_code ?? generalGoods),
      quantity,
      amount: multiply(quantity, decimal(line.unit_price ?? '0'), exponent),
      discount: minor(line.discount_amount),
      thirdPartyDiscount: minor(line.third_party_discount_amount),
      place: (located.value[index] as LocatedLine).place,
      use: line.customer?.use ?? input.customer?.use ?? null,
      relief: relief[index] ?? null,
    };
  });
  // Where nothing is collected, incomplete content does not matter.
  const rejected = located.value.filter((_, index) => lines[index]?.relief === null);
  const [problem, ...others] = distinct(rejected.flatMap((line) => policyProblem(line, context.settings) ?? []));
  if (problem) return refuse(problem, ...others);
  const shipping = input.shipping
    ? { amount: minor(input.shipping.amount), product: productOf(input.shipping.product_tax_code ?? delivery) }
    : null;
  return accept({
    taxDate,
    located: located.value,
    exemptions,
    certificateWarnings: warnings,
    document: {
      day,
      currency,
      exponent,
      rounding: context.settings.rounding,
      taxIncluded: input.tax_included ?? false,
      passOnGeneralExcise: context.settings.pass_on_general_excise,
      discount: minor(input.discount_amount),
      thirdPartyDiscount: minor(input.third_party_discount_amount),
      lines,
      shipping,
    },
  });
};
