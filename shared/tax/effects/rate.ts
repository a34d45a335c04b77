import * as z from 'zod/mini';
import { taxed } from '../assessment.ts';
import type { RatedAs } from '../document.ts';
import { ratedAs, scaledRate } from '../general-rate.ts';
import { type EffectDefinition, never, type ResolvedEffect } from './definition.ts';
import { rate as rateField } from './fields.ts';

const schema = () => z.strictObject({ type: z.literal('rate'), rate: rateField() });
export type RateEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

/** Taxed at a rate of its own. */
export const taxedAt = (own: RatedAs): ResolvedEffect => ({
  type: 'rate',
  wholeRate: own,
  assess: (treatment, { net }) => taxed(treatment, net, own),
});

/** Another rate than the general one. */
export const rate: EffectDefinition<RateEffect> = {
  schema,
  isInMoney: never,
  isWholeAnswer: true,
  taxesWithoutGeneralRate: true,
  resolve: (effect, { general }) => taxedAt(ratedAs(scaledRate(effect.rate), general)),
  describe: (effect) => `taxed at the rate ${effect.rate}`,
  coverageTerm: (effect, general) => (scaledRate(effect.rate).units < general ? 'reduced_rate' : 'higher_rate'),
};
