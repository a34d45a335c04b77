import { accept, type Result } from '../result.ts';
import { calculateTax } from '../tax/calculate.ts';
import type { TaxedDocument, TaxedLine, TaxedShipping } from '../tax/document.ts';
import { type Context, type ReadDocument, readDocument } from './document.ts';
import { inputEcho, lineEchoes } from './echo.ts';
import { explain } from './explain/explain.ts';
import { rowResponse, summaryOf, totalsOf, type Writer, writerFor } from './figures.ts';
import { contentReleases, type LocatedLine } from './locate-lines.ts';
import type { CalculationInput, ShippingRequest } from './request.ts';
import type { AppliedExemption, Calculation, LineItemResponse, ShippingResponse } from './response.ts';
import { warningsOf } from './warnings.ts';

/** The engine's version. A transaction pins it, and a replay reports when it differs. */
export const engineVersion = '1.1.0';

/** A calculation without the fields that differ between calculations and transactions. */
export type Outcome = Omit<Calculation, 'object' | 'type' | 'parent_transaction_id'>;

/**
 * Calculate the tax of a request. Pure: the content and the time are arguments.
 *
 * Refusals: `validation_address_unresolvable`, `validation_not_covered`. Everything else is calculated, with `warnings`
 * about missing or unconfirmed content.
 */
export const calculate = (
  input: CalculationInput,
  context: Context,
  unknownFields: readonly string[],
): Result<Outcome> => {
  const read = readDocument(input, context);
  if (!read.ok) return read;
  const taxed = calculateTax(read.value.document);
  return accept(outcomeOf(input, read.value, taxed, unknownFields, context.now));
};

const outcomeOf = (
  input: CalculationInput,
  read: ReadDocument,
  taxed: TaxedDocument,
  unknownFields: readonly string[],
  nowMs: number,
): Outcome => {
  const { document, located, taxDate, exemptions } = read;
  const write = writerFor(document.exponent);
  const lines = input.line_items ?? [];
  const echoes = lineEchoes(lines);
  const amounts = document.lines.map(({ amount }) => amount);
  const totals = totalsOf(amounts, taxed, document.taxIncluded);
  return {
    ...inputEcho(input, taxDate),
    shipping: input.shipping && taxed.shipping ? shippingResponse(input.shipping, taxed.shipping, write) : null,
    line_items: taxed.lines.map((line, index) => {
      const found = { resolution: (located[index] as LocatedLine).resolution, exemption: exemptions[index] ?? null };
      return lineResponse(echoes[index] as LineEcho, amounts[index] as bigint, line, found, write);
    }),
    subtotal_amount: write(totals.subtotal),
    applied_discount_amount: write(totals.discount),
    applied_third_party_discount_amount: write(totals.thirdPartyDiscount),
    shipping_amount: write(totals.shipping),
    taxable_amount: write(totals.taxable),
    exempt_amount: write(totals.exempt),
    tax_amount: write(totals.tax),
    total_amount: write(totals.total),
    tax_summary: summaryOf(taxed, write),
    content_releases: contentReleases(located),
    engine_version: engineVersion,
    warnings: warningsOf(input, read, taxed, unknownFields, nowMs),
    explanation: input.explain ? explain({ input, read, taxed, write }) : null,
  };
};

const chargeFigures = ({ taxable, exempt, tax, rows }: TaxedShipping, write: Writer) => ({
  taxable_amount: write(taxable),
  exempt_amount: write(exempt),
  tax_amount: write(tax),
  taxes: rows.map((row) => rowResponse(row, write)),
});

type LineEcho = ReturnType<typeof lineEchoes>[number];
type Found = {
  readonly resolution: LineItemResponse['address_resolution'];
  readonly exemption: AppliedExemption | null;
};

const lineResponse = (
  echo: LineEcho,
  amount: bigint,
  line: TaxedLine,
  { resolution, exemption }: Found,
  write: Writer,
): LineItemResponse => ({
  ...echo,
  amount: write(amount),
  applied_discount_amount: write(line.discount),
  applied_third_party_discount_amount: write(line.thirdPartyDiscount),
  net_amount: write(line.net),
  ...chargeFigures(line, write),
  address_resolution: resolution,
  applied_exemption: exemption,
});

const shippingResponse = (sent: ShippingRequest, taxed: TaxedShipping, write: Writer): ShippingResponse => ({
  amount: sent.amount,
  product_tax_code: sent.product_tax_code ?? null,
  ...chargeFigures(taxed, write),
});
