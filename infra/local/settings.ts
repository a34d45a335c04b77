import { resolve } from 'node:path';
import { isMisspelt } from '../../shared/accounts/api-key.ts';
import { loopback } from './ports.ts';
import { SetupError } from './setup-error.ts';

export type LocalSettings = {
  /** The address that the API listens on: loopback, or every network interface of a container. */
  readonly host: string;
  /** 0 selects any free port, for the API and for the database. */
  readonly port: number;
  readonly databasePort: number;
  /** The directory of the data; `null` keeps it in memory. */
  readonly dataDirectory: string | null;
  /** The demo account's key; `null` makes a new one. */
  readonly apiKey: string | null;
  /** An emulator that runs already; `null` starts one. */
  readonly endpoint: string | null;
};

type Variables = Readonly<Record<string, string | undefined>>;

const portFrom = (variables: Variables, name: string, otherwise: number): number => {
  const text = variables[name] || String(otherwise);
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new SetupError(`${name} must be a port number, not "${text}".`);
  return port;
};

/** The controls of the local service have no credential, so only a container may listen on every interface. */
const everyInterface = '0.0.0.0';

const hostFrom = (host: string | undefined): string => {
  if (!host || host === loopback || host === everyInterface) return host || loopback;
  throw new SetupError(`HOST must be ${loopback}, or ${everyInterface} in a container, not "${host}".`);
};

/** LOG is read in shared/observability/tally.ts, which takes every other value as off. */
const checkLog = (text: string | undefined): void => {
  if (text && text !== 'requests' && text !== 'off')
    throw new SetupError(`LOG must be requests or off, not "${text}".`);
};

const apiKeyFrom = (key: string | undefined): string | null => {
  if (!key) return null;
  // Other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new SetupError('API_KEY must be 1 to 255 printable ASCII characters without spaces.');
  // The service would refuse it.
  if (isMisspelt(key))
    throw new SetupError(
      'API_KEY looks like a Levy key, but its checksum is wrong. Copy the key again, or unset API_KEY to get a new one.',
    );
  return key;
};

const endpointFrom = (text: string | undefined): string | null => {
  if (!text) return null;
  const hostname = URL.parse(text)?.hostname;
  if (!hostname) throw new SetupError(`DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "${text}".`);
  // The local service creates tables and an account whose key it prints, which must never happen in an AWS account.
  if (/(^|\.)(amazonaws\.com(\.cn)?|api\.aws)\.?$/i.test(hostname))
    throw new SetupError('DYNAMODB_ENDPOINT must be an emulator: npm start never uses Amazon DynamoDB itself.');
  return text;
};

/** The settings of the local service from the environment. */
export const readSettings = (variables: Variables): LocalSettings => {
  checkLog(variables['LOG']);
  return settingsFrom(variables);
};

const settingsFrom = (variables: Variables): LocalSettings => ({
  host: hostFrom(variables['HOST']),
  port: portFrom(variables, 'PORT', 3000),
  databasePort: portFrom(variables, 'DYNAMODB_PORT', 8000),
  dataDirectory: variables['DATA_DIR'] ? resolve(variables['DATA_DIR']) : null,
  apiKey: apiKeyFrom(variables['API_KEY']),
  endpoint: endpointFrom(variables['DYNAMODB_ENDPOINT']),
});
