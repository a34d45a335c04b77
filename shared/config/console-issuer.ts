type ConsoleIssuer = {
  readonly issuer: string;
  readonly client_id: string;
  readonly scope: string;
  /** Origins of the issuer and of its token endpoint. The page may connect to them. */
  readonly origins: readonly string[];
};

/** Where people sign in to the console, from the environment; `null` if they use API keys only. */
export const consoleIssuer = (): ConsoleIssuer | null => {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: client_id,
    OIDC_TOKEN_ORIGIN: tokenOrigin,
    OIDC_READ_SCOPE: read,
    OIDC_WRITE_SCOPE: write,
  } = process.env;
  if (!issuer || !client_id) return null;
  return {
    issuer,
    client_id,
    scope: `openid ${read || 'levy/read'} ${write || 'levy/write'}`,
    origins: [...new Set([issuer, tokenOrigin || issuer].map((address) => new URL(address).origin))],
  };
};
