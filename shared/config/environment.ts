import * as z from 'zod/mini';

const text = z.optional(z.string().check(z.minLength(1)));

const Environment = z.object({
  AWS_REGION: z._default(z.string(), 'us-east-1'),
  DYNAMODB_ENDPOINT: text,
  TABLE_TRANSACTIONS: z._default(z.string(), 'transactions'),
  TABLE_CONTENT: z._default(z.string(), 'content'),
  TABLE_ACCOUNTS: z._default(z.string(), 'accounts'),
  OIDC_ISSUER: text,
  OIDC_AUDIENCE: text,
});

const parsed = Environment.parse(process.env);

/** What the deployment tells a function, read once when the instance starts. A wrong value stops the instance. */
export const environment = {
  region: parsed.AWS_REGION,
  /** Set only against an emulator. */
  dynamodbEndpoint: parsed.DYNAMODB_ENDPOINT,
  tables: {
    transactions: parsed.TABLE_TRANSACTIONS,
    content: parsed.TABLE_CONTENT,
    accounts: parsed.TABLE_ACCOUNTS,
  },
  /** Where bearer tokens come from; without both, none is accepted. */
  oidc:
    parsed.OIDC_ISSUER && parsed.OIDC_AUDIENCE ? { issuer: parsed.OIDC_ISSUER, audience: parsed.OIDC_AUDIENCE } : null,
} as const;
