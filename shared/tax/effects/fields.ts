/** The fields of effects in a release. Each call builds a schema: only validation needs them. */
import * as z from 'zod/mini';

const text = (pattern: RegExp, advice: string) => z.string(advice).check(z.regex(pattern, advice));

/** An amount of the state's currency: `110` or `0.27`. */
export const amount = () => text(/^\d{1,12}(\.\d{2})?$/, 'Send an amount as a string, such as "110" or "0.27".');

/** A rate below 100 %, as a fraction: `0.0625`. */
export const rate = () =>
  text(/^0(\.\d{1,8})?$/, 'Send a fraction as a string, such as "0.0625" for 6.25 %: at most 8 decimals.');

export const flag = () => z.boolean('Send true or false.');

/** Product tax codes or families, without attributes. */
export const codes = () => {
  const advice = 'Send an array of product tax codes, such as ["CLOTHING.APPAREL"].';
  return z.array(text(/^[A-Z_]+(\.[A-Z_]+)*$/, advice), advice);
};

/** An object of one type of effect, without any other field. */
export const typed = <const Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });
