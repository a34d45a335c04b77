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

/** The controls of the local service need no credential, so only a container may listen on every interface. */
const everyInterface = '0.0.0.0';

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= 65_535;

/** Whether a URL belongs to AWS. The local service must never create tables or its demo account there. */
const isAmazon = (text: string): boolean => /(^|\.)(amazonaws\.com(\.cn)?|api\.aws)\.?$/i.test(new URL(text).hostname);

const isIssuer = (text: string): boolean => {
  const { protocol, host = '' } = URL.parse(text) ?? {};
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(host));
};

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the function that reads a variable; `null` if it is not set. The function refuses an invalid value. */
const newReader =
  (variables: Variables) =>
  (name: string, isValid: (text: string) => boolean, form: string): string | null => {
    const text = variables[name];
    if (!text) return null;
    if (!isValid(text)) throw new SetupError(`${name} must be ${form}, not "${text}".`);
    return text;
  };

const refuseIf = (isWrong: unknown, message: string): void => {
  if (isWrong) throw new SetupError(message);
};

/** Reads the settings of the local service from the environment. */
export const readSettings = (variables: Variables) => {
  const read = newReader(variables);
  const readPort = (name: string, byDefault: number) => Number(read(name, isPort, 'a port number') ?? byDefault);
  // shared/observability/tally.ts reads LOG and treats every other value as off.
  read('LOG', (text) => text === 'requests' || text === 'off', 'requests or off');
  // shared/config/environment.ts reads the variables of bearer tokens.
  for (const name of ['OIDC_ISSUER', 'OIDC_TOKEN_ORIGIN'])
    read(name, isIssuer, 'an https URL such as https://login.example.com (http only on this machine)');
  const [issuer, audience] = [variables['OIDC_ISSUER'], variables['OIDC_AUDIENCE']];
  refuseIf(issuer && !audience, 'OIDC_AUDIENCE must also be set, because OIDC_ISSUER is set.');
  refuseIf(audience && !issuer, 'OIDC_ISSUER must also be set, because OIDC_AUDIENCE is set.');
  const endpoint = read('DYNAMODB_ENDPOINT', isHttpUrl, 'a URL such as http://127.0.0.1:8000');
  refuseIf(
    endpoint && isAmazon(endpoint),
    'DYNAMODB_ENDPOINT must be an emulator: npm start never uses Amazon DynamoDB itself.',
  );
  const apiKey = variables['API_KEY'] || null;
  // A header allows only these characters. The service would refuse a key with a wrong checksum.
  const isSendable = apiKey === null || /^[\x21-\x7e]{1,255}$/.test(apiKey);
  refuseIf(!isSendable, 'API_KEY must be 1 to 255 printable ASCII characters without spaces.');
  refuseIf(
    apiKey && isMisspelt(apiKey),
    'API_KEY looks like a Levy key, but its checksum is wrong. Copy the key again, or unset API_KEY to get a new one.',
  );
  const isHost = (text: string) => text === loopback || text === everyInterface;
  return {
    /** The address that the API listens on: loopback, or every network interface of a container. */
    host: read('HOST', isHost, `${loopback}, or ${everyInterface} in a container`) ?? loopback,
    /** 0 selects any free port, for the API and for the database. */
    port: readPort('PORT', 3000),
    databasePort: readPort('DYNAMODB_PORT', 8000),
    /** The data directory; `null` keeps the data in memory. */
    dataDirectory: variables['DATA_DIR'] ? resolve(variables['DATA_DIR']) : null,
    /** The demo account's key; `null` creates a new one. */
    apiKey,
    /** An emulator that is already running; `null` starts one. */
    endpoint,
  };
};
export type LocalSettings = Readonly<ReturnType<typeof readSettings>>;
