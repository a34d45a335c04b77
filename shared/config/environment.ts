// Parsed without zod, because a schema would be built at every cold start.
const text = (name: string): string | undefined => process.env[name] || undefined;

const issuer = text('OIDC_ISSUER');
const audience = text('OIDC_AUDIENCE');
const client_id = text('OIDC_CLIENT_ID');
const scopes = {
  read: text('OIDC_READ_SCOPE') ?? 'levy/read',
  write: text('OIDC_WRITE_SCOPE') ?? 'levy/write',
  settings: text('OIDC_SETTINGS_SCOPE') ?? 'levy/settings',
};

/**
 * The settings from environment variables, read once when the instance starts. They are not validated here, because an
 * error at import has a stack: the CDK app, `npm start` and the commands validate what they use.
 */
export const environment = {
  /** Whether the code runs in Lambda, which sets this variable. */
  isDeployed: text('AWS_LAMBDA_FUNCTION_NAME') !== undefined,
  region: text('AWS_REGION') ?? 'us-east-1',
  /** The CloudWatch namespace of the stage's metrics. */
  metricsNamespace: text('METRICS_NAMESPACE') ?? 'Levy',
  /** Whether functions publish all metrics, or only the essential ones. */
  publishesAllMetrics: text('METRICS') === 'full',
  /** Set only for an emulator. */
  dynamodbEndpoint: text('DYNAMODB_ENDPOINT'),
  /** The name of the event bus, if there is one. */
  eventBus: text('EVENT_BUS'),
  /** Whether scheduled updates activate releases that pass the gates. */
  activatesContent: text('CONTENT_UPDATES') === 'activate',
  /** The URL of a mirror of the publishers, if there is one. */
  contentMirror: text('LEVY_CONTENT_MIRROR'),
  /**
   * Whether the function `update-content` reads a mirror on loopback, which only the tests use. AWS sets the second
   * variable in every Lambda function and rejects a deployment that sets it.
   */
  trustsMirror: text('LEVY_TEST_LOOPBACK_MIRROR') === 'on' && text('AWS_LAMBDA_FUNCTION_NAME') === undefined,
  tables: {
    transactions: text('TABLE_TRANSACTIONS') ?? 'transactions',
    content: text('TABLE_CONTENT') ?? 'content',
    accounts: text('TABLE_ACCOUNTS') ?? 'accounts',
  },
  /** The issuer and audience of bearer tokens. Without both, Levy accepts only API keys. */
  oidc:
    issuer !== undefined && audience !== undefined
      ? {
          issuer,
          /** Separated by commas or spaces. A token must have at least one of these audiences. */
          audience: audience.split(/[\s,]+/).filter(Boolean),
          accountClaim: text('OIDC_ACCOUNT_CLAIM') ?? 'levy_account',
          /** The claim with the scopes: a list, or a string separated by spaces. */
          scopesClaim: text('OIDC_SCOPES_CLAIM') ?? 'scope',
          scopes,
        }
      : null,
} as const;

/** Returns the issuer for console sign-in; `null` if users sign in only with API keys. Throws if it is not a URL. */
export const readConsoleIssuer = () => {
  if (environment.oidc === null || client_id === undefined) return null;
  const { issuer } = environment.oidc;
  return {
    issuer,
    client_id,
    // An issuer refuses unknown scopes, so this scope is requested only if it is configured.
    scope: ['openid', scopes.read, scopes.write, text('OIDC_SETTINGS_SCOPE')].filter(Boolean).join(' '),
    /** Origins of the issuer and its token endpoint, to which the page may connect. */
    origins: [...new Set([issuer, text('OIDC_TOKEN_ORIGIN') ?? issuer].map((address) => new URL(address).origin))],
  };
};
