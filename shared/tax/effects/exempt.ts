import * as z from 'zod/mini';
import { untaxed } from '../assessment.ts';
import { type EffectDefinition, never, type ResolvedEffect } from './definition.ts';

const schema = () => z.strictObject({ type: z.literal('exempt') });
export type ExemptEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

const resolved: ResolvedEffect = {
  type: 'exempt',
  assess: (treatment, { net }) => untaxed(treatment, net, 'product_exempt'),
};

export const exempt: EffectDefinition<ExemptEffect> = {
  schema,
  isInMoney: never,
  isWholeAnswer: true,
  appliesToBandJurisdictions: true,
  resolve: () => resolved,
  describe: () => 'exempt',
  coverageTerm: () => 'exempt',
};
