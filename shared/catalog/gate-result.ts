import * as z from 'zod/mini';

export const units = ['%', 'percentage points', ''] as const;

/** A gate with its figure. It is stored with the release that it was measured of. */
export const GateResult = z.object({
  name: z.string(),
  describe: z.string(),
  figure: z.number(),
  most: z.number(),
  unit: z.enum(units),
  passed: z.boolean(),
});
export type GateResult = z.infer<typeof GateResult>;
