import * as z from 'zod/mini';
import { untaxed } from '../assessment.ts';
import { alwaysFalse, type EffectDefinition } from './definition.ts';
import { typed } from './fields.ts';

type OtherTaxEffect = { readonly type: 'other_tax'; readonly name: string };

const nameAdvice = 'Send the name of the other tax, such as "motor vehicle excise tax, 5 %": at most 300 characters.';

/** Another tax applies in place of sales tax, such as an excise on vehicles. Levy does not calculate it. */
export const otherTax: EffectDefinition<OtherTaxEffect> = {
  schema: () =>
    typed('other_tax', { name: z.string(nameAdvice).check(z.minLength(1, nameAdvice), z.maxLength(300, nameAdvice)) }),
  isInMoney: alwaysFalse,
  isWholeAnswer: true,
  appliesToAdditionalJurisdictions: true,
  resolve: () => ({ assess: (treatment, { net }) => untaxed(treatment, net, 'not_subject_to_tax') }),
  describe: ({ name }) => `not subject to sales tax; another tax applies (${name})`,
  uncertainty: ({ name }) => ({
    code: 'other_tax_applies',
    message: `no sales tax is due, because another tax applies: ${name}. Levy does not calculate it.`,
  }),
  coverageTerm: () => 'other_tax',
};
