import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { database } from '../../shared/store/client/client.ts';

// Emulators do not produce conflicts, throttling or lost responses, so SDK middleware injects them.
const name = 'fault';
const interceptors: string[] = [];

// The database of test/support/setup-api.ts, which module resets do not change.
const testDatabase = globalThis as { [key: symbol]: { usesSdk: boolean } | undefined };

/** Passes the calls of the service through the whole SDK, for a test of its layers, until `noFaults`. */
export const useSdk = (usesSdk = true): void => {
  Object.assign(testDatabase[Symbol.for('levy test database')] ?? {}, { usesSdk });
};

/** Removes all injected faults and interceptors. */
export const noFaults = (): void => {
  useSdk(false);
  for (const one of [name, ...interceptors.splice(0)]) database.middlewareStack.remove(one);
};

type Call = {
  /** The name of the command, such as `GetItem`. */
  readonly command: string;
  readonly input: object;
  /** Sends the call to the database, with this input instead of its own. */
  readonly pass: (input?: object) => Promise<{ output: object }>;
};

/** Handles each call of the service to the database, until `noFaults`. */
export const intercept = (handle: (call: Call) => Promise<{ output: object }>): void => {
  const name = `interceptor ${crypto.randomUUID()}`;
  interceptors.push(name);
  database.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (sent) => {
        const pass = (input: object = sent.input) => next({ ...sent, input: input as typeof sent.input });
        const command = commandName.replace('Command', '');
        return (await handle({ command, input: sent.input, pass })) as Awaited<ReturnType<typeof next>>;
      },
    { step: 'initialize', name, priority: 'high' },
  );
};

type Where = 'on the way there' | 'on the way back';
type Faulty = {
  /** The number of sends that fail. Default: all. */
  readonly sends?: number;
  readonly error: () => Error;
  /** Whether a send fails before it reaches the database, or afterwards, so the response is lost. */
  readonly where: Where;
  /** The number of sends that succeed first. Default: none. */
  readonly skips?: number;
  /** The commands that fail, such as `TransactWriteItems`. Default: all. */
  readonly of?: readonly string[];
};

/** Makes sends fail below the SDK's retries. Returns a function with the number of failures. */
export const failSends = ({
  sends = Number.POSITIVE_INFINITY,
  error,
  where,
  skips = 0,
  of,
}: Faulty): { sends: number } => {
  const seen = { sends: 0 };
  useSdk();
  database.middlewareStack.remove(name);
  database.middlewareStack.add(
    (next, { commandName }) =>
      async (sent) => {
        if (of && !of.includes(String(commandName).replace('Command', ''))) return next(sent);
        seen.sends += 1;
        const fails = seen.sends > skips && seen.sends <= skips + sends;
        if (fails && where === 'on the way there') throw error();
        if (!fails) return next(sent);
        // Drops any response, even an error.
        await next(sent).catch(() => undefined);
        throw error();
      },
    { step: 'finalizeRequest', name, priority: 'low' },
  );
  return seen;
};

/** The error of a transaction that DynamoDB canceled, with the reason for each write. */
export const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled.',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** The error that the SDK throws on a timeout. */
export const lostResponse = () => Object.assign(new Error('No response.'), { name: 'TimeoutError' });

/** The error that the SDK throws for a throttled call. */
export const throttled = () => Object.assign(new Error('Slow down.'), { name: 'ThrottlingException' });
