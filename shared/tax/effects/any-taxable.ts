import * as z from 'zod/mini';
import { type EffectDefinition, never } from './definition.ts';
import { taxedAtGeneralRate } from './taxable.ts';

const schema = () => z.strictObject({ type: z.literal('any_taxable') });
export type AnyTaxableEffect = Readonly<z.infer<ReturnType<typeof schema>>>;

/** All shipping is taxed once any line is (`shipping.ts`). As a line by itself it is taxed. */
export const anyTaxable: EffectDefinition<AnyTaxableEffect> = {
  schema,
  isInMoney: never,
  resolve: () => ({ ...taxedAtGeneralRate, type: 'any_taxable' }),
  describe: () => 'taxed once any of the goods that it brings is',
  coverageTerm: () => 'any_taxable',
};
