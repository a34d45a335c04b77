/** The fields of effects in a release. Each call builds a schema: only validation needs them. */
import * as z from 'zod/mini';

const text = (pattern: RegExp) => z.string().check(z.regex(pattern));

/** An amount of the state's currency: `110` or `0.27`. */
export const amount = () => text(/^\d+(\.\d{2})?$/);

/** A rate below 100 %, as a fraction: `0.0625`. */
export const rate = () => text(/^0(\.\d{1,8})?$/);
