/** Every type of effect that a rule may have. To add one, add its file and its entry here: without both nothing compiles. */
import * as z from 'zod/mini';
import { type AnyTaxableEffect, anyTaxable } from './any-taxable.ts';
import { type BandEffect, band } from './band.ts';
import { type BaseCapEffect, baseCap } from './base-cap.ts';
import { type BasePercentEffect, basePercent } from './base-percent.ts';
import type { EffectDefinition } from './definition.ts';
import { type ExemptEffect, exempt } from './exempt.ts';
import { type FlatFeeEffect, flatFee } from './flat-fee.ts';
import { type FollowsGoodsEffect, followsGoods } from './follows-goods.ts';
import { type HolidayEffect, holiday } from './holiday.ts';
import { type RateEffect, rate } from './rate.ts';
import { type TaxCapEffect, taxCap } from './tax-cap.ts';
import { type TaxableEffect, taxable } from './taxable.ts';
import { type ThresholdCliffEffect, thresholdCliff } from './threshold-cliff.ts';
import { type ThresholdExcessEffect, thresholdExcess } from './threshold-excess.ts';
import { type ThresholdRateEffect, thresholdRate } from './threshold-rate.ts';
import { type UseSplitEffect, useSplit } from './use-split.ts';

/** What a rule does to the goods that it names. Amounts are per unit, in the state's currency. */
export type Effect =
  | AnyTaxableEffect
  | BandEffect
  | BaseCapEffect
  | BasePercentEffect
  | ExemptEffect
  | FlatFeeEffect
  | FollowsGoodsEffect
  | HolidayEffect
  | RateEffect
  | TaxCapEffect
  | TaxableEffect
  | ThresholdCliffEffect
  | ThresholdExcessEffect
  | ThresholdRateEffect
  | UseSplitEffect;

type EffectOf<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

const definitions: { readonly [Type in Effect['type']]: EffectDefinition<EffectOf<Type>> } = {
  any_taxable: anyTaxable,
  band,
  base_cap: baseCap,
  base_percent: basePercent,
  exempt,
  flat_fee: flatFee,
  follows_goods: followsGoods,
  holiday,
  rate,
  tax_cap: taxCap,
  taxable,
  threshold_cliff: thresholdCliff,
  threshold_excess: thresholdExcess,
  threshold_rate: thresholdRate,
  use_split: useSplit,
};

/** The definition of an effect's type. */
export const definitionOf = <Type extends Effect['type']>({
  type,
}: {
  readonly type: Type;
}): EffectDefinition<EffectOf<Type>> => definitions[type];

/** The shape of any effect in a release. */
export const effectSchema = () => z.union(Object.values(definitions).map(({ schema }) => schema()));
