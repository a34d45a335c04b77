import { existsSync } from 'node:fs';
import { type Emulator, emulatorEnvironment, startEmulator, useEmulator } from './emulator.ts';
import { freePort, type LocalSettings, listen, loopback, readSettings, SetupError } from './settings.ts';

const sale = {
  line_items: [{ product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' }],
  customer: { address: { city: 'New York', state: 'NY', postal_code: '10001', country: 'US' } },
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const curlLine = (url: string, apiKey: string): string =>
  [
    `curl -sS ${url}/calculations`,
    `-H ${quoted(`X-API-Key: ${apiKey}`)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(sale))}`,
  ].join(' ');

const databaseLine = ({ kind, endpoint }: Emulator, dataDirectory: string | null): string => {
  if (kind === 'given') return `Database  ${endpoint} (yours)`;
  return `Database  ${endpoint} (${dataDirectory ? `kept in ${dataDirectory}` : 'in memory'})`;
};

const greeting = (url: string, apiKey: string, emulator: Emulator, { dataDirectory }: LocalSettings): string =>
  [
    `Levy      ${url}`,
    `Docs      ${url}/docs`,
    `Console   ${url}/console`,
    databaseLine(emulator, dataDirectory),
    `Demo key  ${apiKey}`,
    '',
    'Try it (the response has "tax_amount":"8.88"):',
    curlLine(url, apiKey),
    '',
  ].join('\n');

const fail = (error: unknown): never => {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
};

const serve = async (settings: LocalSettings, emulator: Emulator): Promise<void> => {
  // Functions read the environment at import (shared/config/environment.ts).
  Object.assign(process.env, emulatorEnvironment(emulator));
  const { createDemo } = await import('./demo.ts');
  const { createGateway } = await import('./gateway.ts');
  const { handlers, startEventSource } = await import('./handlers.ts');
  const { environment } = await import('../../shared/config/environment.ts');
  const apiKey = await createDemo(settings.apiKey);
  await startEventSource(environment.tables.transactions);
  const port = await listen(createGateway({ handlers }), settings.port, 'PORT', settings.host);
  console.log(greeting(`http://${loopback}:${port}`, apiKey, emulator, settings));
};

/** A signal to npm reaches only its shell, so the service watches its parent and stops with it. */
const whenNpmEnds = (stop: () => void): void => {
  if (!process.env['npm_lifecycle_event']) return;
  const shell = process.ppid;
  setInterval(() => process.ppid !== shell && stop(), 200).unref();
};

const start = async (): Promise<void> => {
  const settings = readSettings(process.env);
  let emulator: Emulator | null = null;
  const stop = async () => {
    // An emulator that is still starting ends with this process.
    await emulator?.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
  whenNpmEnds(() => void stop());
  if (!existsSync(new URL('../../shared/packed/docs.br', import.meta.url)))
    throw new SetupError('The generated files are missing, as after npm ci --ignore-scripts. Run npm run pack.');
  // Rejects a port in use before the emulator starts.
  await freePort(settings.port, 'PORT');
  const { endpoint, databasePort: port, dataDirectory } = settings;
  emulator = await (endpoint ? useEmulator(endpoint) : startEmulator(port, dataDirectory));
  emulator.died.then((reason) => fail(new SetupError(`The database emulator exited: ${reason}.`)));
  await serve(settings, emulator);
};

await start().catch(fail);
