import * as z from 'zod/mini';
import type { ResolvedEffect } from '../assessment.ts';
import { defineEffect, type EffectContext, type EffectDefinition, typed, type Use } from './definition.ts';
import { exempt, rate, taxable } from './plain.ts';

const plainSchema = () => z.discriminatedUnion('type', [taxable.schema(), exempt.schema(), rate.schema()]);

/** An effect that does not depend on the price. */
export type PlainEffect = z.infer<ReturnType<typeof plainSchema>>;

const plain = { taxable, exempt, rate };
const plainDefinition = ({ type }: PlainEffect) => plain[type] as EffectDefinition<PlainEffect>;

const splitSchema = () =>
  typed('use_split', {
    business: plainSchema(),
    personal: plainSchema(),
    // The treatment for a buyer of unknown use. Absent: the treatment for personal use.
    unknown: z.exactOptional(plainSchema()),
  });

/** Returns the use of the product from its attribute, otherwise from its buyer. */
export const determineUse = ({ product: { attributes }, use }: Pick<EffectContext, 'product' | 'use'>): Use => {
  if (attributes.includes('_BUSINESS_USE')) return 'business';
  return attributes.includes('_PERSONAL_USE') ? 'personal' : use;
};

const describe = (effect: PlainEffect): string => plainDefinition(effect).describe(effect);

const resolve = (effect: PlainEffect, context: EffectContext): ResolvedEffect =>
  plainDefinition(effect).resolve(effect, context);

const describeBoth = ({ business, personal }: z.infer<ReturnType<typeof splitSchema>>): string =>
  `${describe(business)} for business use, ${describe(personal)} for personal use`;

const atGeneralRate = (effect: PlainEffect): PlainEffect => plainDefinition(effect).withoutOwnRate(effect);

/** Taxes business and personal buyers differently. */
export const useSplit = defineEffect({
  schema: splitSchema,
  withoutOwnRate: (effect) => {
    const { business, personal, unknown } = effect;
    if (![business, personal, unknown].some((use) => use?.type === 'rate')) return effect;
    const split = { ...effect, business: atGeneralRate(business), personal: atGeneralRate(personal) };
    return unknown ? { ...split, unknown: atGeneralRate(unknown) } : split;
  },
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
          message: `the buyer's use is not known, so the product was treated as ${describe(effect.unknown ?? effect.personal)}. It is ${describeBoth(effect)}. Send \`customer.use\`, or add _BUSINESS_USE or _PERSONAL_USE to the code.`,
        }
      : null,
  coverageTerm: () => 'by_use',
});
