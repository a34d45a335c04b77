import * as z from 'zod/mini';
import { currency, day, identifier, instant, metadata, productTaxCode, quantity } from '../../calculations/fields.ts';
import { RatesQuery } from '../../rates/query.ts';
import { ProductAttributesQuery } from '../../vocabulary/query.ts';
import { ratesQuery } from './rates-example.ts';

/** An instant in UTC, or a day: seconds and fractions may be left out. */
export const instantPattern = '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|\\+00:00))?$';

// The form alone: whether the vocabulary has the code is told by an error of its own.
const productTaxCodeFormat = {
  pattern: '^[A-Z][A-Z0-9_]*(\\.[A-Z][A-Z0-9_]*)*(\\._[A-Z0-9_]+)*$',
  maxLength: 255,
  examples: ['CLOTHING.APPAREL._ATHLETIC'],
};

// What these schemas check in code has no form in JSON Schema of its own. A pattern never refuses what the code accepts.
const formats = [
  [instant, { pattern: instantPattern, examples: ['2026-10-08T12:00:00Z', '2026-10-08'] }],
  [day, { format: 'date', examples: ['2026-10-08'] }],
  [currency, { pattern: '^[A-Z]{3}$', examples: ['USD'] }],
  [quantity, { pattern: '^(?![0.]*$)\\d{1,12}(\\.\\d{1,10})?$', examples: ['2'] }],
  [productTaxCode, productTaxCodeFormat],
  // The class of control characters, spelled out: not every language's patterns know its name.
  [ProductAttributesQuery.shape.ptc._zod.def.innerType, productTaxCodeFormat],
  [identifier, { pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$', minLength: 1, maxLength: 255 }],
  [metadata, { maxProperties: 50 }],
] as const;

/** The parameters of the example requests that are sent in a query. */
const exampleParameters = Object.entries(ratesQuery).map(
  ([name, example]) => [RatesQuery.shape[name as keyof typeof ratesQuery], { param: { example } }] as const,
);

/** Say in the document what the fields' own checks look for. */
export const describeFormats = (): void => {
  for (const [schema, override] of formats)
    z.globalRegistry.add<z.core.$ZodType>(schema, { ...z.globalRegistry.get(schema), override });
  for (const [schema, meta] of exampleParameters)
    z.globalRegistry.add<z.core.$ZodType>(schema, { ...z.globalRegistry.get(schema), ...meta });
};
