import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { isMisspelt } from '../../shared/accounts/api-key.ts';
import { isHttpUrl, isLoopback } from '../../shared/base/loopback.ts';

/** A problem that the developer must fix before the local service can start. Printed without a stack. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

export const loopback = '127.0.0.1';

/** Returns a SetupError that names the variable to set; returns other errors unchanged. */
const listenProblem = (error: unknown, port: number, variable: string): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') return new SetupError(`Port ${port} is in use. Set ${variable} to a different port.`);
  if (code === 'EACCES')
    return new SetupError(`Port ${port} is not allowed for this user. Set ${variable} to a port above 1023.`);
  return error;
};

/** Listens on loopback or another address of this machine. Returns the port, which is a free one for 0. */
export const listen = async (
  server: Server,
  port: number,
  variable: string,
  host: string = loopback,
): Promise<number> => {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw listenProblem(error, port, variable);
  }
  return (server.address() as AddressInfo).port;
};

/**
 * Returns the port, or a free one for 0. Throws if it is in use, which a child process might not report. Does not
 * reserve it.
 */
export const freePort = async (port: number, variable: string): Promise<number> => {
  const server = createServer();
  const free = await listen(server, port, variable);
  server.close();
  await once(server, 'close');
  return free;
};

type Variables = Readonly<Record<string, string | undefined>>;

const portFrom = (variables: Variables, name: string, otherwise: number): number => {
  const text = variables[name] || String(otherwise);
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new SetupError(`${name} must be a port number, not "${text}".`);
  return port;
};

/** The controls of the local service need no credential, so only a container may listen on every interface. */
const everyInterface = '0.0.0.0';

const hostFrom = (host: string | undefined): string => {
  if (!host || host === loopback || host === everyInterface) return host || loopback;
  throw new SetupError(`HOST must be ${loopback}, or ${everyInterface} in a container, not "${host}".`);
};

/** shared/observability/tally.ts reads LOG and treats every other value as off. */
const checkLog = (text: string | undefined): void => {
  if (text && text !== 'requests' && text !== 'off')
    throw new SetupError(`LOG must be requests or off, not "${text}".`);
};

const apiKeyFrom = (key: string | undefined): string | null => {
  if (!key) return null;
  // Other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new SetupError('API_KEY must be 1 to 255 printable ASCII characters without spaces.');
  // The service would reject it.
  if (isMisspelt(key))
    throw new SetupError(
      'API_KEY looks like a Levy key, but its checksum is wrong. Copy the key again, or unset API_KEY to get a new one.',
    );
  return key;
};

const endpointFrom = (text: string | undefined): string | null => {
  if (!text) return null;
  const hostname = isHttpUrl(text) ? new URL(text).hostname : '';
  if (!hostname) throw new SetupError(`DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "${text}".`);
  // The local service creates tables and an account whose key it prints, which must never happen in an AWS account.
  if (/(^|\.)(amazonaws\.com(\.cn)?|api\.aws)\.?$/i.test(hostname))
    throw new SetupError('DYNAMODB_ENDPOINT must be an emulator: npm start never uses Amazon DynamoDB itself.');
  return text;
};

/** Checks the variables of bearer tokens, which shared/config/environment.ts reads. */
const checkIssuer = (variables: Variables): void => {
  const [issuer, audience] = [variables['OIDC_ISSUER'], variables['OIDC_AUDIENCE']];
  if (issuer && !audience) throw new SetupError('OIDC_AUDIENCE must be set as well, because OIDC_ISSUER is set.');
  if (audience && !issuer) throw new SetupError('OIDC_ISSUER must be set as well, because OIDC_AUDIENCE is set.');
  for (const name of ['OIDC_ISSUER', 'OIDC_TOKEN_ORIGIN']) {
    const text = variables[name];
    const { protocol, host = '' } = URL.parse(text ?? '') ?? {};
    if (text && !(protocol === 'https:' || (protocol === 'http:' && isLoopback(host))))
      throw new SetupError(
        `${name} must be an https URL such as https://login.example.com (http only on this machine), not "${text}".`,
      );
  }
};

/** Reads the settings of the local service from the environment. */
export const readSettings = (variables: Variables) => {
  checkLog(variables['LOG']);
  checkIssuer(variables);
  return {
    /** The address that the API listens on: loopback, or every network interface of a container. */
    host: hostFrom(variables['HOST']),
    /** 0 selects any free port, for the API and for the database. */
    port: portFrom(variables, 'PORT', 3000),
    databasePort: portFrom(variables, 'DYNAMODB_PORT', 8000),
    /** The data directory; `null` keeps the data in memory. */
    dataDirectory: variables['DATA_DIR'] ? resolve(variables['DATA_DIR']) : null,
    /** The demo account's key; `null` creates a new one. */
    apiKey: apiKeyFrom(variables['API_KEY']),
    /** An emulator that is already running; `null` starts one. */
    endpoint: endpointFrom(variables['DYNAMODB_ENDPOINT']),
  };
};
export type LocalSettings = Readonly<ReturnType<typeof readSettings>>;
