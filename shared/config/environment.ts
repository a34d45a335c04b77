// By hand: a few texts are checked in microseconds, and a schema would be built at every cold start.
const text = (name: string): string | undefined => process.env[name] || undefined;

const issuer = text('OIDC_ISSUER');
const audience = text('OIDC_AUDIENCE');
if ((issuer === undefined) !== (audience === undefined))
  throw new Error('Set OIDC_ISSUER and OIDC_AUDIENCE together, or neither.');

/** What the deployment tells a function, read once when the instance starts. A wrong value stops the instance. */
export const environment = {
  region: text('AWS_REGION') ?? 'us-east-1',
  /** Whose metrics they are: each stage of an account has its own. */
  metricsNamespace: text('METRICS_NAMESPACE') ?? 'Levy',
  /** Set only against an emulator. */
  dynamodbEndpoint: text('DYNAMODB_ENDPOINT'),
  tables: {
    transactions: text('TABLE_TRANSACTIONS') ?? 'transactions',
    content: text('TABLE_CONTENT') ?? 'content',
    accounts: text('TABLE_ACCOUNTS') ?? 'accounts',
  },
  /** Where bearer tokens come from; without both, none is accepted. */
  oidc:
    issuer !== undefined && audience !== undefined
      ? {
          issuer,
          /** Several stand with commas or spaces between them. */
          audience: audience.split(/[\s,]+/).filter(Boolean),
          accountClaim: text('OIDC_ACCOUNT_CLAIM') ?? 'levy_account',
          scopesClaim: text('OIDC_SCOPES_CLAIM') ?? 'scope',
          scopes: { read: text('OIDC_READ_SCOPE') ?? 'levy/read', write: text('OIDC_WRITE_SCOPE') ?? 'levy/write' },
        }
      : null,
} as const;
