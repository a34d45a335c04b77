import * as z from 'zod/mini';
import type { ResolvedEffect } from '../assessment.ts';
import { alwaysFalse, type EffectContext, type EffectDefinition } from './definition.ts';
import { typed } from './fields.ts';
import { type ExemptEffect, exempt, type RateEffect, rate, type TaxableEffect, taxable } from './plain.ts';

/** An effect that the price does not matter for. */
export type PlainEffect = TaxableEffect | ExemptEffect | RateEffect;

type PlainOf<Type extends PlainEffect['type']> = Extract<PlainEffect, { readonly type: Type }>;

const plain: { readonly [Type in PlainEffect['type']]: EffectDefinition<PlainOf<Type>> } = { taxable, exempt, rate };

const plainOf = <Type extends PlainEffect['type']>({
  type,
}: {
  readonly type: Type;
}): EffectDefinition<PlainOf<Type>> => plain[type];

type UseSplitEffect = { readonly type: 'use_split'; readonly business: PlainEffect; readonly personal: PlainEffect };

const isForBusiness = ({ product: { attributes }, use }: EffectContext): boolean =>
  attributes.includes('_BUSINESS_USE') || (use === 'business' && !attributes.includes('_PERSONAL_USE'));

const describe = (effect: PlainEffect): string => plainOf(effect).describe(effect);

const resolve = (effect: PlainEffect, context: EffectContext): ResolvedEffect =>
  plainOf(effect).resolve(effect, context);

const plainSchema = () => z.discriminatedUnion('type', [taxable.schema(), exempt.schema(), rate.schema()]);

/** Business and personal buyers are taxed differently. A buyer of unknown use is a personal one. */
export const useSplit: EffectDefinition<UseSplitEffect> = {
  schema: () => typed('use_split', { business: plainSchema(), personal: plainSchema() }),
  isInMoney: alwaysFalse,
  resolve: (effect, context) => resolve(isForBusiness(context) ? effect.business : effect.personal, context),
  describe: ({ business, personal }) =>
    `${describe(business)} for business use, ${describe(personal)} for personal use`,
  explain: (_, { taxable: amount, rate: applied }) => `For this buyer, ${amount} is taxed at ${applied}.`,
  coverageTerm: () => 'by_use',
};
