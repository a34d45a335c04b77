import * as z from 'zod/mini';
import { taxed } from '../assessment.ts';
import { type EffectDefinition, never, type ResolvedEffect } from './definition.ts';

const schema = () => z.strictObject({ type: z.literal('taxable') });
export type TaxableEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

/** Taxed at the general rate. Goods without a rule are taxed so too. */
export const taxedAtGeneralRate: ResolvedEffect = {
  type: 'taxable',
  wholeRate: 'general',
  assess: (treatment, { net }) => taxed(treatment, net, treatment.general),
};

export const taxable: EffectDefinition<TaxableEffect> = {
  schema,
  isInMoney: never,
  resolve: () => taxedAtGeneralRate,
  describe: () => 'taxable',
  coverageTerm: () => 'taxable',
};
