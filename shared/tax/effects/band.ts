import * as z from 'zod/mini';
import { decimal } from '../../money/decimal.ts';
import { partly, untaxed } from '../assessment.ts';
import { ratedAs, scaledRate } from '../general-rate.ts';
import { min, timesQuantity } from './base.ts';
import { alwaysTrue, type EffectDefinition } from './definition.ts';
import { amount, rate, typed } from './fields.ts';

type BandEffect = { readonly type: 'band'; readonly above: string; readonly to: string; readonly rate: string };

/**
 * The part of each unit above `above` and up to `to` is taxed at a separate rate (Tennessee's single article).
 *
 * Where it comes on top of a state's tax, the band is a separate jurisdiction of type `state`. Its rule names the code
 * in `jurisdictions`, and the jurisdiction has no rate. Such a jurisdiction has a row only where it taxes something. Of all
 * other rules, only those with `appliesToAdditionalJurisdictions` apply to it: that the state taxes the goods at a rate of its
 * own does not remove the band.
 */
export const band: EffectDefinition<BandEffect> = {
  schema: () =>
    typed('band', { above: amount(), to: amount(), rate: rate() }).check(
      z.refine(({ above, to }) => Number(above) < Number(to), 'Send `to` above `above`.'),
    ),
  isInMoney: alwaysTrue,
  taxesWithoutGeneralRate: true,
  resolve: (effect, { general }) => {
    const [above, to] = [decimal(effect.above), decimal(effect.to)];
    const own = ratedAs(scaledRate(effect.rate), general);
    const reason = own.reason === 'reduced_rated' ? 'portion_reduced_rated' : 'portion_standard_rated';
    return {
      assess: (treatment, base) => {
        const below = min(base.net, timesQuantity(above, base, base.exponent));
        const taxable = min(base.net, timesQuantity(to, base, base.exponent)) - below;
        return taxable === 0n
          ? untaxed(treatment, base.net, 'product_exempt')
          : partly(treatment, base, taxable, own, reason);
      },
    };
  },
  describe: (effect) =>
    `taxed at the rate ${effect.rate} on the part of each unit above ${effect.above} and up to ${effect.to}`,
  explain: (effect, { price, taxable, perUnit }) =>
    `The band goes from ${perUnit(effect.above)} to ${perUnit(effect.to)}. ${taxable} of the price of ${price} is in it.`,
  coverageTerm: () => 'capped',
};
