import type { Settings } from '../accounts/account.ts';
import { stateJurisdiction } from '../jurisdiction.ts';
import type { Relief } from '../tax/document.ts';
import type { Customer, Exemption } from './fields.ts';
import type { CalculationInput } from './request.ts';

const isWithin = (day: string, from: string | null | undefined, to: string | null | undefined) =>
  (!from || from <= day) && (!to || day <= to);

const holds = ({ regions, valid_from, valid_to }: Exemption, place: string, day: string): boolean =>
  isWithin(day, valid_from, valid_to) && (!regions || regions.some((region) => stateJurisdiction(region) === place));

/**
 * Why nothing is collected from a buyer in a place (`US-MI`) on a tax day, or `null`.
 *
 * In this order: the account is not registered there, a marketplace collects, the buyer's certificate is valid. A line's
 * customer overrides the document's (interface decisions 2).
 */
export const reliefOf = (
  { collected_by, customer }: CalculationInput,
  lineCustomer: Customer | null,
  place: string,
  day: string,
  { registrations }: Settings,
): Relief => {
  if (
    registrations &&
    !registrations.some(({ state, from, to }) => stateJurisdiction(state) === place && isWithin(day, from, to))
  )
    return 'not_collecting';
  if (collected_by === 'marketplace') return 'marketplace_collects';
  const exemption = lineCustomer?.exemption ?? customer?.exemption;
  return exemption && holds(exemption, place, day) ? 'customer_exempt' : null;
};
