import * as z from 'zod/mini';
import { decimalString, identifier, text } from '../calculations/fields.ts';
import { creditShape, inputShape } from '../calculations/request.ts';

const statusAdvice = 'Send draft or finalized.';

/** The body of POST /transactions: the inputs of a calculation, and the fields of a transaction (specification 2.4). */
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

/** The body of POST /transactions/{id}: the fields to change. Absent fields stay; null clears a field that can be empty. */
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
