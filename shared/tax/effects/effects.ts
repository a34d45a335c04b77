/** All types of effects. To add one, add its file and its entry here. */
import * as z from 'zod/mini';
import { assert } from '../../base/assert.ts';
import type { EffectDefinition } from './definition.ts';
import { flatFee } from './flat-fee.ts';
import { baseCap, basePercent, collectedUpTo, taxCap } from './part-of-base.ts';
import { anyTaxable, exempt, followsGoods, notEstablished, otherTax, rate, taxable } from './plain.ts';
import {
  band,
  exemptAbove,
  holiday,
  thresholdCliff,
  thresholdExcess,
  thresholdRate,
  tieredRate,
} from './thresholds.ts';
import { useSplit } from './use-split.ts';

const definitions = {
  any_taxable: anyTaxable,
  band,
  base_cap: baseCap,
  base_percent: basePercent,
  collected_up_to: collectedUpTo,
  exempt,
  exempt_above: exemptAbove,
  flat_fee: flatFee,
  follows_goods: followsGoods,
  holiday,
  not_established: notEstablished,
  other_tax: otherTax,
  rate,
  tax_cap: taxCap,
  taxable,
  threshold_cliff: thresholdCliff,
  threshold_excess: thresholdExcess,
  threshold_rate: thresholdRate,
  tiered_rate: tieredRate,
  use_split: useSplit,
};

/**
 * The effect of a rule on its goods. Amounts (`110`, `0.27`) are per unit in the state's currency; rates are fractions
 * below 1 (`0.0625`).
 */
export type Effect = Parameters<(typeof definitions)[keyof typeof definitions]['describe']>[0];

/** Returns the definition of an effect's type. */
export const effectDefinition = ({ type }: Pick<Effect, 'type'>): EffectDefinition<Effect> =>
  definitions[type] as EffectDefinition<Effect>;

/** Returns the schema of any effect in a release. A function, because only validation needs it. */
export const effectSchema = (): z.ZodMiniType<Effect> => {
  const [first, ...others] = Object.values(definitions).map(({ schema }) => schema());
  assert(first !== undefined, 'There is no type of effect.');
  return z.discriminatedUnion('type', [first, ...others]);
};
