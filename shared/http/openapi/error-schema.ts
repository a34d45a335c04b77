import * as z from 'zod/mini';
import { type Code, statusOf } from '../../problem.ts';

const codes = Object.keys(statusOf) as [Code, ...Code[]];
const statuses = [...new Set(Object.values(statusOf))].sort().map(String) as [string, ...string[]];

const ErrorSource = z.strictObject({
  pointer: z.nullable(z.string()),
  parameter: z.optional(z.string()),
  header: z.optional(z.string()),
});

const ErrorObject = z.strictObject({
  status: z.enum(statuses),
  code: z.enum(codes),
  title: z.string(),
  detail: z.string(),
  source: z.nullable(ErrorSource),
  meta: z.nullable(z.looseObject({ request_id: z.optional(z.string()) })),
});

/** The envelope of every refusal and failure (specification 2.5), as `envelope` in reply.ts fills it. */
export const ErrorResponse = z.strictObject({ errors: z.array(ErrorObject).check(z.minLength(1)) });

for (const [id, schema] of Object.entries({ ErrorSource, ErrorObject, ErrorResponse }))
  z.globalRegistry.add(schema, { id });
