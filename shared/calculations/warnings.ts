import { PostalAddress } from '../content/location/postal-address.ts';
import type { Treatment } from '../tax/assessment.ts';
import type { InexactGross, TaxedDocument, TaxedShipping } from '../tax/document.ts';
import { roundingDoubts } from '../tax/rounding-doubts.ts';
import { doubted, placeDoubts, resolutionWarnings, ruleAloneWarnings } from './address-warnings.ts';
import type { ReadDocument } from './document.ts';
import { suggestionOf } from './field-suggestion.ts';
import { Customer } from './fields.ts';
import { type Writer, writerFor } from './figures.ts';
import { notPassedOnWarnings } from './general-excise.ts';
import type { LocatedLine } from './locate-lines.ts';
import { type CalculationInput, CalculationRequest, LineItemRequest } from './request.ts';
import type { Warning } from './response.ts';

const doubtWarnings = (treatments: readonly Treatment[], pointer: string): Warning[] =>
  treatments.flatMap(({ doubts }) => doubted(doubts, pointer));

// Where nothing is collected, doubts about the place do not matter.
const isTaxed = ({ treatments }: TaxedDocument['lines'][number]): boolean =>
  treatments.some(({ effect }) => effect.kind !== 'relief');

// No certificate is needed where no tax is charged. An exempt product may come with taxed shipping.
const isCharged = (index: number, located: readonly LocatedLine[], { lines, shipping }: TaxedDocument): boolean => {
  const codes = new Set(located[index]?.place.jurisdictions.map(({ code }) => code));
  const inPlace = (shipping?.rows ?? []).filter(({ jurisdiction }) => codes.has(jurisdiction.code));
  return [lines[index], ...inPlace].some((charge) => charge !== undefined && charge.tax > 0n);
};

// That shipping is not stated separately matters only where it is taxed.
const shippingWarnings = ({ treatments, rows }: TaxedShipping): Warning[] => {
  const taxed = new Set(rows.filter(({ taxable }) => taxable > 0n).map(({ jurisdiction }) => jurisdiction.code));
  return treatments.flatMap(({ doubts, jurisdiction }) =>
    doubted(
      doubts.filter(({ code }) => code !== 'shipping_not_stated' || taxed.has(jurisdiction.code)),
      '/shipping',
    ),
  );
};

/** The warning that the included tax is the gross minus the net, because no net plus its tax equals the gross. */
const inexactWarning = ({ charges, gross, net, taxOfNet }: InexactGross, write: Writer): Warning => {
  const [first = null] = charges;
  const together = charges.length > 1 ? ` of ${charges.length} charges together` : '';
  return {
    code: 'tax_included_not_exact',
    message: `No net amount plus its tax is exactly the gross of ${write(gross)}${together}. The tax on the net of ${write(net)} would be ${write(taxOfNet)}; the tax charged is the difference to the gross, ${write(gross - net)}.`,
    pointer: first === null ? '/shipping' : `/line_items/${first}`,
  };
};

/** Warns that a charge with included tax has no base: its only cent is tax of the whole invoice. */
const baselessWarnings = ({ lines, shipping }: TaxedDocument, write: Writer): Warning[] =>
  [...lines.entries(), ...(shipping ? [[null, shipping] as const] : [])].flatMap(([index, charge]) =>
    charge.tax > 0n && charge.taxable + charge.exempt === 0n && !charge.inexact
      ? [
          {
            code: 'tax_included_not_exact',
            message: `All of the gross of ${write(charge.tax)} is tax: included tax is rounded once, on the invoice, which leaves no net for this charge.`,
            pointer: index === null ? '/shipping' : `/line_items/${index}`,
          },
        ]
      : [],
  );

const unknownFieldsMax = 20;

const fieldNames = (): string[] =>
  [CalculationRequest, LineItemRequest, Customer, PostalAddress].flatMap(({ shape }) => Object.keys(shape));

const unknownFieldWarning = (pointer: string, names: readonly string[] | undefined): Warning => {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  const suggestion = suggestionOf(pointer, names ?? fieldNames());
  const message = `Unknown field \`${name}\`, ignored.${suggestion && ` ${suggestion}`}`;
  return { code: 'unknown_field', message, pointer };
};

/**
 * A warning for each of the first 20 unknown fields, and one for the number of the others. `names` are the fields to
 * suggest; by default, those of a calculation.
 */
export const unknownFieldWarnings = (pointers: readonly string[], names?: readonly string[]): Warning[] => {
  const named = pointers.slice(0, unknownFieldsMax).map((pointer) => unknownFieldWarning(pointer, names));
  const others = pointers.length - named.length;
  const message = `${others} more unknown fields, ignored.`;
  return others > 0 ? [...named, { code: 'unknown_field', message, pointer: null }] : named;
};

/** The warnings of a calculation at the service's time. Each message comes once, at the first place that it applies to. */
export const warningsOf = (
  input: CalculationInput,
  { document, located, certificateWarnings }: Pick<ReadDocument, 'document' | 'located' | 'certificateWarnings'>,
  taxed: TaxedDocument,
  unknownFields: readonly string[],
  nowMs: number,
): Warning[] => {
  const days = { day: document.day, nowMs };
  const seen = new Map<string, Warning>();
  const add = (warning: Warning) => {
    const key = `${warning.code} ${warning.message}`;
    if (!seen.has(key)) seen.set(key, warning);
  };
  const reported = new Set<LocatedLine['decisive']>();
  const doubtful = new Set<LocatedLine['decisive']>();
  const treated = new Set<readonly Treatment[]>();
  for (const [index, line] of (input.line_items ?? []).entries()) {
    const pointer = `/line_items/${index}`;
    if (!line.product_tax_code)
      add({
        code: 'product_tax_code_missing',
        message: 'No `product_tax_code`: taxed as general tangible goods.',
        pointer,
      });
    const place = located[index] as LocatedLine;
    if (!reported.has(place.decisive)) for (const warning of resolutionWarnings(place, days)) add(warning);
    reported.add(place.decisive);
    const figures = taxed.lines[index] as TaxedDocument['lines'][number];
    if (!doubtful.has(place.decisive) && isTaxed(figures)) {
      for (const warning of placeDoubts(place, days)) add(warning);
      doubtful.add(place.decisive);
    }
    if (isTaxed(figures)) for (const warning of ruleAloneWarnings(place)) add(warning);
    const { treatments } = figures;
    if (treated.has(treatments)) continue;
    treated.add(treatments);
    for (const warning of doubtWarnings(treatments, pointer)) add(warning);
  }
  for (const { line, warning } of certificateWarnings)
    if (line === null || isCharged(line, located, taxed)) add(warning);
  for (const warning of taxed.shipping ? shippingWarnings(taxed.shipping) : []) add(warning);
  const write = writerFor(document.exponent);
  for (const inexact of new Set([...taxed.lines, taxed.shipping].map((charge) => charge?.inexact)))
    if (inexact) add(inexactWarning(inexact, write));
  for (const warning of document.taxIncluded ? baselessWarnings(taxed, write) : []) add(warning);
  for (const warning of notPassedOnWarnings(document, taxed)) add(warning);
  for (const { doubt, line } of roundingDoubts(document, taxed))
    for (const warning of doubted([doubt], line === null ? '/shipping' : `/line_items/${line}`)) add(warning);
  return [...unknownFieldWarnings(unknownFields), ...seen.values()];
};
