import * as z from 'zod/mini';
import { type EffectDefinition, never } from './definition.ts';
import { taxedAtGeneralRate } from './taxable.ts';

const schema = () => z.strictObject({ type: z.literal('follows_goods') });
export type FollowsGoodsEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

/** Shipping that is taxed like the goods it brings (`shipping.ts`). As a line by itself it is taxed. */
export const followsGoods: EffectDefinition<FollowsGoodsEffect> = {
  schema,
  isInMoney: never,
  appliesToBandJurisdictions: true,
  resolve: () => ({ ...taxedAtGeneralRate, type: 'follows_goods' }),
  describe: () => 'taxed as the goods that it brings',
  coverageTerm: () => 'follows_goods',
};
