/** The schema of a custom rules file: the fields of a release, with a first day for every value. */
import * as z from 'zod/mini';
import { isDay } from '../../base/calendar.ts';
import { couponPolicies, shippingPolicies, sourcingPolicies } from '../../catalog/release.ts';
import { confidences } from '../../catalog/release-values.ts';
import { amount, flag, rate, text } from '../../tax/effects/definition.ts';
import { type Effect, effectSchema } from '../../tax/effects/effects.ts';
import { closest } from '../../vocabulary/closest.ts';
import { hintFor } from '../../vocabulary/product-tax-code.ts';
import { vocabulary } from '../../vocabulary/vocabulary.ts';

const listMax = 2_000;

const list = <Item extends z.ZodMiniType>(item: Item, what: string) =>
  z.array(item, `Use an array of ${what}.`).check(z.maxLength(listMax, `Use at most ${listMax} ${what}.`));

const filled = <Item extends z.ZodMiniType>(item: Item, what: string) =>
  list(item, what).check(z.minLength(1, `Use at least one of ${what}, or leave the field out.`));

const allowOnly = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, `Use one of ${values.join(', ')}.`);

/** A check that rejects a string with the message that `refusal` returns for it. */
const checked =
  (refusal: (text: string) => string | null) =>
  ({ value, issues }: { readonly value: string; readonly issues: object[] }): void => {
    const message = refusal(value);
    if (message !== null) issues.push({ code: 'custom', input: value, message, path: [] });
  };

const dayLike = (isValid: (value: string) => boolean, advice: string) =>
  z.string(advice).check(z.refine(isValid, advice));

const day = dayLike(isDay, 'Use a day, such as "2027-01-01".');

const dated = { from: day, to: z._default(z.nullable(day), null) };

const evidence = {
  source: z.string('Use the key of one of `sources`.'),
  confidence: z._default(allowOnly(confidences), 'high'),
  note: z.exactOptional(z.string('Use a string.').check(z.maxLength(1_000, 'Use at most 1000 characters.'))),
};

const level = allowOnly(['state', 'county', 'city', 'district']);

const zipAdvice = 'Use pairs of the first and last five-digit ZIP, such as ["55401", "55403"].';
const zip = text(/^\d{5}$/, zipAdvice);
const zips = filled(
  z.tuple([zip, zip], zipAdvice).check(z.refine(([low, high]) => low <= high, 'Put the lower ZIP first.')),
  'ZIP ranges',
);

const code = text(
  /^US-[A-Z]{2}(-[A-Z0-9]+)*$/,
  'Use the code of a jurisdiction, such as "US-MN" or "US-MN-01-43000": `content show --zip` prints them.',
);

// The year 2000 is a leap year, so a season can end on February 29.
const monthDay = dayLike((value) => isDay(`2000-${value}`), 'Use month and day, such as "06-01".');

/** Returns the question `Did you mean …?` with the known string closest to a mistyped one; empty if none is close. */
export const didYouMean = (text: string, known: Iterable<string>, differentMax?: number): string => {
  const found = closest(text, known, differentMax);
  return found === undefined ? '' : ` Did you mean ${found}?`;
};

/** Accepts every product tax code and family: a rule can use any prefix of a path. */
const isProduct = (value: string): boolean => {
  const { codesByFamily, productTaxCodes } = vocabulary();
  return codesByFamily.has(value) || productTaxCodes.some((path) => path === value || path.startsWith(`${value}.`));
};

const productRefusal = (value: string): string | null => {
  if (isProduct(value)) return null;
  if (value.includes('._')) return 'Use the product tax code alone, and its attributes in `attributes`.';
  return (
    hintFor(value.toUpperCase())?.detail ?? 'Use a code from GET /product-tax-codes, or a family such as CLOTHING.'
  );
};

const attributeRefusal = (value: string): string | null => {
  const { attributeByCode } = vocabulary();
  if (attributeByCode.has(value)) return null;
  return `Use an attribute from GET /product-attributes.${didYouMean(value, attributeByCode.keys())}`;
};

const attribute = z.string('Use an attribute, such as "_ATHLETIC".').check(checked(attributeRefusal));
const product = z.string('Use a product tax code, such as "CLOTHING.APPAREL".').check(checked(productRefusal));

/** Refuses codes in the base of a fee that are not in the vocabulary. */
const feeCodes = ({ value, issues }: { readonly value: Effect; readonly issues: object[] }): void => {
  if (value.type !== 'flat_fee' || !value.base) return;
  for (const name of ['also', 'never'] as const)
    for (const [index, code] of value.base[name].entries()) {
      const message = productRefusal(code);
      if (message !== null) issues.push({ code: 'custom', input: code, message, path: ['base', name, index] });
    }
};

const rule = () =>
  z.strictObject({
    id: text(
      /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
      'Use an id of lower-case letters, digits and hyphens, such as "mn-ruling-24-001".',
    ).check(z.maxLength(100, 'Use an id of at most 100 characters.')),
    ptcs: filled(product, 'product tax codes'),
    attributes: z._default(
      z.strictObject({
        any: z._default(list(attribute, 'attributes'), []),
        all: z.exactOptional(filled(attribute, 'attributes')),
        none: z._default(list(attribute, 'attributes'), []),
      }),
      { any: [], none: [] },
    ),
    levels: z._default(z.nullable(filled(level, 'levels')), null),
    jurisdictions: z.exactOptional(filled(code, 'jurisdiction codes')),
    zips: z.exactOptional(zips),
    counties: z.exactOptional(filled(text(/^\d{5}$/, 'Use the five-digit FIPS code of a county.'), 'counties')),
    kinds: z.exactOptional(filled(text(/^[A-Za-z]+$/, 'Use a kind of jurisdiction, such as "RTD".'), 'kinds')),
    season: z.exactOptional(z.strictObject({ from: monthDay, to: monthDay })),
    threshold_includes_shipping: z.exactOptional(flag()),
    effect: effectSchema().check(feeCodes),
    assumption: z.exactOptional(z.string('Use a string.').check(z.maxLength(600, 'Use at most 600 characters.'))),
    assumption_above: z.exactOptional(amount()),
    ...dated,
    ...evidence,
  });

const jurisdiction = z.strictObject({
  code,
  name: z.string('Use a name.').check(z.minLength(1, 'Use a name.'), z.maxLength(200, 'Use at most 200 characters.')),
  type: allowOnly(['county', 'city', 'district']),
  reporting_code: z.exactOptional(z.string('Use a string.')),
  zips,
});

const rates = () => ({ rate: rate(), food_rate: z.exactOptional(rate()) });
const ownRate = () =>
  z.strictObject({
    jurisdiction: code,
    ...rates(),
    interstate: z.exactOptional(z.strictObject(rates())),
    ...dated,
    ...evidence,
  });

const cents = text(/^0\.\d{2}$/, 'Use cents, such as "0.07".');
const bracket = () =>
  z.strictObject({
    jurisdiction: code,
    rate: rate(),
    steps: filled(cents, 'steps'),
    nothing_below: z.nullable(amount()),
  });
const rounding = () =>
  z.discriminatedUnion('method', [
    z.strictObject({
      method: z.literal('half_up'),
      shipping: z.exactOptional(z.literal('with_goods')),
      per: z.exactOptional(z.literal('invoice', 'Use "invoice", or leave the field out.')),
      half: z.exactOptional(z.literal('down', 'Use "down", or leave the field out.')),
    }),
    z.strictObject({ method: z.literal('bracket'), brackets: filled(bracket(), 'brackets') }),
  ]);

const settings = <Fields extends z.core.$ZodLooseShape>(fields: Fields) =>
  z._default(list(z.strictObject({ ...fields, ...dated, ...evidence }), 'settings'), []);

const sourceText = z
  .string('Use the citation of the source: the ruling, the law or the ordinance.')
  .check(z.refine((value) => value.trim().length >= 10, 'Use a citation of at least 10 characters.'));

/** Returns the schema of a file. A function, because only an import needs it. */
export const fileSchema = () =>
  z.strictObject(
    {
      state: z.string('Use the two-letter code of the state.'),
      sources: z._default(z.record(z.string(), sourceText, 'Use an object with a citation for each key.'), {}),
      jurisdictions: z._default(list(jurisdiction, 'jurisdictions'), []),
      rates: z._default(list(ownRate(), 'rates'), []),
      rules: z._default(list(rule(), 'rules'), []),
      settings: z._default(
        z.strictObject({
          sourcing: settings({
            policy: allowOnly(sourcingPolicies),
            ptcs: z.exactOptional(filled(product, 'product tax codes')),
          }),
          shipping: settings({ policy: allowOnly(shippingPolicies) }),
          rounding: settings({ policy: rounding() }),
          coupons: settings({ policy: allowOnly(couponPolicies) }),
        }),
        { sourcing: [], shipping: [], rounding: [], coupons: [] },
      ),
    },
    {
      error: ({ code }) =>
        code === 'invalid_type'
          ? 'Use an object with `state`, `sources`, and `rules`, `rates` or `settings`.'
          : undefined,
    },
  );

/** A file of the right shape. */
export type RulesFile = z.infer<ReturnType<typeof fileSchema>>;
