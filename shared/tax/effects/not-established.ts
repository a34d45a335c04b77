import * as z from 'zod/mini';
import { alwaysFalse, type EffectDefinition } from './definition.ts';
import { typed } from './fields.ts';
import { taxedAtGeneralRate } from './plain.ts';

type NotEstablishedEffect = { readonly type: 'not_established'; readonly reason: string };

const reasonAdvice = 'Send a sentence that says why the treatment is not established: at most 600 characters.';

/** Taxed as general goods, as without a rule: the treatment is not established. `reason` says what is known. */
export const notEstablished: EffectDefinition<NotEstablishedEffect> = {
  schema: () =>
    typed('not_established', {
      reason: z.string(reasonAdvice).check(z.minLength(1, reasonAdvice), z.maxLength(600, reasonAdvice)),
    }),
  isInMoney: alwaysFalse,
  resolve: () => taxedAtGeneralRate,
  describe: () => 'not established; taxed as general goods, with a warning',
  uncertainty: ({ reason }, { product }) => ({
    code: 'taxability_not_established',
    message: `no confirmed treatment of ${product.path}; it was taxed as general goods. ${reason}`,
  }),
  coverageTerm: () => 'not_established',
};
