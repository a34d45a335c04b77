import * as z from 'zod/mini';
import { decimalString, identifier, text } from '../calculations/fields.ts';
import { creditShape, inputShape } from '../calculations/request.ts';

const statusAdvice = 'Send draft or finalized.';

/** POST /transactions: a calculation's inputs and what makes a transaction of them (specification 2.4). */
export const TransactionRequest = z.object(
  {
    ...inputShape,
    ...creditShape,
    status: z.nullish(z.enum(['draft', 'finalized'], statusAdvice)),
    reference_id: z.nullish(identifier),
    tax_amount: z.nullish(decimalString),
  },
  'Send a JSON object.',
);
export type TransactionRequest = z.infer<typeof TransactionRequest>;

const { credit_remaining: _, ...identityShape } = creditShape;

/** POST /transactions/{id}: the fields to change. Absent is unchanged; null clears, where that means something. */
export const TransactionUpdate = z.object(
  {
    ...inputShape,
    ...identityShape,
    status: z.nullish(z.enum(['draft', 'finalized', 'filed', 'void'], 'Send draft, finalized or void.')),
    void_reason: z.nullish(text(500)),
    reference_id: z.nullish(identifier),
    tax_amount: z.nullish(decimalString),
  },
  'Send a JSON object.',
);
export type TransactionUpdate = z.infer<typeof TransactionUpdate>;
