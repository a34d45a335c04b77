import * as z from 'zod/mini';
import { Calculation } from '../../calculations/response.ts';
import { RetrievedTransaction } from '../../transactions/history/response.ts';
import { Transaction } from '../../transactions/response.ts';
import { Unexpected } from './session.ts';

const Envelope = z.object({ errors: z.array(z.object({ code: z.string(), detail: z.string() })) });

/** What a refusal says first; nothing where the body is no refusal. */
export const problemOf = (body: unknown): { readonly code: string; readonly detail: string } | undefined =>
  Envelope.safeParse(body).data?.errors[0];

const contentOf =
  <Schema extends z.ZodMiniType>(what: string, schema: Schema) =>
  (body: unknown): z.output<Schema> => {
    const read = schema.safeParse(body);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new Unexpected(`the body is not ${what}: ${issue?.path.join('.')} ${issue?.message}`);
  };

export const calculationOf = contentOf('a calculation', Calculation);
export const transactionOf = contentOf('a transaction', Transaction);
export const retrievedOf = contentOf('a transaction', RetrievedTransaction);

const Named = z.object({ id: z.string().check(z.regex(/^txn_\w+$/)), reference_id: z.string(), status: z.string() });
const Listed = z.object({ data: z.array(z.unknown()) });

/** As much of a transaction as cleaning up needs, whatever else is wrong with it. */
export const namedOf = (body: unknown): z.infer<typeof Named> | undefined => Named.safeParse(body).data;

export const rowsOf = (body: unknown): readonly unknown[] => Listed.safeParse(body).data?.data ?? [];
