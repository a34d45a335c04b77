import { rateDecimals } from '../content/release.ts';
import { powerOfTen } from '../money/decimal.ts';
import type { RatedAs, ScaledRate, TaxabilityReason, Treatment } from './document.ts';
import type { Base } from './effects/base.ts';

/** A row before rounding: its base, its rate and the exact tax. */
export type Assessment = {
  /** The treatment whose rule decided: above the limit of a holiday, the treatment without the holiday. */
  readonly treatment: Treatment;
  readonly taxable: bigint;
  readonly exempt: bigint;
  readonly rate: ScaledRate;
  readonly reason: TaxabilityReason;
  /** The exact tax, in units of `10^-rateDecimals` of a minor unit: base times rate, unless a cap or a fee applies. */
  readonly exact: bigint;
};

/** One minor unit of the currency, in the scale of taxable base times rate. */
export const minorUnit = powerOfTen(rateDecimals);

/** Apply a jurisdiction's treatment to a taxable base. */
export const assess = (treatment: Treatment, base: Base): Assessment => treatment.effect.assess(treatment, base);

/** Tax the whole of an amount. */
export const taxed = (treatment: Treatment, net: bigint, { rate, reason }: RatedAs): Assessment => ({
  treatment,
  taxable: net,
  exempt: 0n,
  rate,
  reason,
  exact: net * rate.units,
});
/** Tax nothing of an amount. */
export const untaxed = (treatment: Treatment, net: bigint, reason: TaxabilityReason): Assessment => ({
  treatment,
  taxable: 0n,
  exempt: net,
  rate: treatment.general.rate,
  reason,
  exact: 0n,
});

/** Tax a part of the net. `reason` applies unless the part is the whole. */
export const partly = (
  treatment: Treatment,
  { net }: Base,
  taxable: bigint,
  rated: RatedAs,
  reason: TaxabilityReason,
): Assessment => {
  const { rate } = rated;
  const isWhole = taxable === net;
  return {
    treatment,
    taxable,
    exempt: net - taxable,
    rate,
    reason: isWhole ? rated.reason : reason,
    exact: taxable * rate.units,
  };
};
