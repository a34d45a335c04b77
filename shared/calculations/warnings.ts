import type { TaxedDocument, Treatment } from '../tax/document.ts';
import type { LocatedLine } from './locate-lines.ts';
import type { CalculationInput } from './request.ts';
import type { Warning } from './response.ts';

const resolutionWarnings = ({ resolution, place, address, pointer }: LocatedLine): Warning[] => {
  const warnings: Warning[] = [];
  const warn = (code: Warning['code'], message: string) => warnings.push({ code, message, pointer });
  if (resolution.coverage === 'none') warn('not_covered', `No content covers ${place.name}. No tax was calculated.`);
  if (resolution.coverage === 'partial')
    warn(
      'local_rates_missing',
      `${place.name}: only the state's rate is known; local taxes are missing from the figures.`,
    );
  if (resolution.ambiguous)
    warn(
      'address_ambiguous',
      `${place.name}: the postal code spans jurisdictions with different taxes. Send the state and a ZIP+4.`,
    );
  if (address.zip5 !== null && !address.isZipKnown)
    warn('postal_code_unknown', `ZIP ${address.zip5} is not known to be in use; the state decided.`);
  return warnings;
};

const doubtWarnings = (treatments: readonly Treatment[], pointer: string): Warning[] =>
  treatments.flatMap(({ doubts }) => doubts.map(({ code, message }) => ({ code, message, pointer })));

const unknownFieldsMax = 20;

/** That fields were ignored, because nobody knows them; the first twenty by name. */
export const unknownFieldWarnings = (pointers: readonly string[]): Warning[] => {
  const named = pointers.slice(0, unknownFieldsMax).map((pointer) => ({
    code: 'unknown_field' as const,
    message: `Nothing is known of ${pointer}; it was ignored.`,
    pointer,
  }));
  const others = pointers.length - named.length;
  const message = `Nothing is known of ${others} more fields either; they were ignored.`;
  return others > 0 ? [...named, { code: 'unknown_field', message, pointer: null }] : named;
};

/**
 * What a client should know of a calculation that was made all the same: each message once, at the first place that it
 * is true of.
 */
export const warningsOf = (
  input: CalculationInput,
  located: readonly LocatedLine[],
  taxed: TaxedDocument,
  unknownFields: readonly string[],
): Warning[] => {
  const seen = new Map<string, Warning>();
  const add = (warning: Warning) => {
    const key = `${warning.code} ${warning.message}`;
    if (!seen.has(key)) seen.set(key, warning);
  };
  for (const warning of unknownFieldWarnings(unknownFields)) add(warning);
  const treated = new Set<readonly Treatment[]>();
  for (const [index, line] of (input.line_items ?? []).entries()) {
    const pointer = `/line_items/${index}`;
    if (!line.product_tax_code)
      add({
        code: 'product_tax_code_missing',
        message: 'Without product_tax_code, general tangible goods were assumed.',
        pointer,
      });
    for (const warning of resolutionWarnings(located[index] as LocatedLine)) add(warning);
    const { treatments } = taxed.lines[index] as TaxedDocument['lines'][number];
    if (treated.has(treatments)) continue;
    treated.add(treatments);
    for (const warning of doubtWarnings(treatments, pointer)) add(warning);
  }
  for (const warning of doubtWarnings(taxed.shipping?.treatments ?? [], '/shipping')) add(warning);
  return [...seen.values()];
};
