import * as z from 'zod/mini';
import type { ResolvedEffect } from '../assessment.ts';
import { alwaysFalse, type EffectContext, type EffectDefinition, typed, type Use } from './definition.ts';
import { type ExemptEffect, exempt, type RateEffect, rate, type TaxableEffect, taxable } from './plain.ts';

/** An effect that the price does not matter for. */
export type PlainEffect = TaxableEffect | ExemptEffect | RateEffect;

type PlainOf<Type extends PlainEffect['type']> = Extract<PlainEffect, { readonly type: Type }>;

const plain: { readonly [Type in PlainEffect['type']]: EffectDefinition<PlainOf<Type>> } = { taxable, exempt, rate };

const plainDefinition = <Type extends PlainEffect['type']>({
  type,
}: {
  readonly type: Type;
}): EffectDefinition<PlainOf<Type>> => plain[type];

type UseSplitEffect = {
  readonly type: 'use_split';
  readonly business: PlainEffect;
  readonly personal: PlainEffect;
  /** For a buyer of unknown use. Absent: as for personal use. */
  readonly unknown?: PlainEffect;
};

/** The use of the product by its attribute, or else by its buyer. */
const determineUse = ({ product: { attributes }, use }: Pick<EffectContext, 'product' | 'use'>): Use => {
  if (attributes.includes('_BUSINESS_USE')) return 'business';
  return attributes.includes('_PERSONAL_USE') ? 'personal' : use;
};

const describe = (effect: PlainEffect): string => plainDefinition(effect).describe(effect);

const resolve = (effect: PlainEffect, context: EffectContext): ResolvedEffect =>
  plainDefinition(effect).resolve(effect, context);

const plainSchema = () => z.discriminatedUnion('type', [taxable.schema(), exempt.schema(), rate.schema()]);

const describeBoth = ({ business, personal }: UseSplitEffect): string =>
  `${describe(business)} for business use, ${describe(personal)} for personal use`;

/** Business and personal buyers are taxed differently. */
export const useSplit: EffectDefinition<UseSplitEffect> = {
  schema: () =>
    typed('use_split', {
      business: plainSchema(),
      personal: plainSchema(),
      unknown: z.exactOptional(plainSchema()),
    }),
  isInMoney: alwaysFalse,
  resolve: (effect, context) => {
    const { business, personal, unknown = personal } = effect;
    return resolve({ business, personal, unknown }[determineUse(context) ?? 'unknown'], context);
  },
  describe: describeBoth,
  explain: (_, { taxable: amount, rate: applied }) => `For this buyer, ${amount} is taxed at ${applied}.`,
  uncertainty: (effect, context) =>
    determineUse(context) === null
      ? {
          code: 'taxability_assumed',
          message: `the use of the buyer is not known, so the product was treated as ${describe(effect.unknown ?? effect.personal)}. It is ${describeBoth(effect)}. Send \`use\` of the customer, or add _BUSINESS_USE or _PERSONAL_USE to the code.`,
        }
      : null,
  coverageTerm: () => 'by_use',
};
