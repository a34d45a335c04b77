import { PostalAddress } from '../content/location/postal-address.ts';
import { suggestField } from './field-suggestion.ts';
import { Customer } from './fields.ts';
import { CalculationRequest, LineItemRequest, ShippingRequest } from './request.ts';
import type { Warning } from './response.ts';

const unknownFieldsMax = 20;

const fieldNames = (pointer: string): string[] =>
  /^\/shipping\/(\d+\/)?[^/]+$/.test(pointer)
    ? Object.keys(ShippingRequest.shape)
    : [CalculationRequest, LineItemRequest, Customer, PostalAddress].flatMap(({ shape }) => Object.keys(shape));

const unknownFieldWarning = (pointer: string, names: readonly string[] | undefined): Warning => {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  const suggestion = suggestField(pointer, names ?? fieldNames(pointer));
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
