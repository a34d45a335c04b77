import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { database } from '../../shared/store/client/client.ts';

// Emulators know no conflicts, no throttling and no lost replies; the SDK's middleware can make them.
const name = 'fault';

/** Let every call through again. */
export const noFaults = (): void => void database.middlewareStack.remove(name);

type Where = 'on the way there' | 'on the way back';
type Faulty = {
  /** How many sends fail; default: all. */
  readonly sends?: number;
  readonly error: () => Error;
  /** Before they reach the database, or after it, when the reply is lost. */
  readonly where: Where;
  /** How many sends pass before; default: none. */
  readonly skips?: number;
  /** The commands that fail, such as `TransactWriteItems`; default: all. */
  readonly of?: readonly string[];
};

/** Have sends end in an error, under the SDK's own retries; answers how many there were. */
export const failSends = ({
  sends = Number.POSITIVE_INFINITY,
  error,
  where,
  skips = 0,
  of,
}: Faulty): { sends: number } => {
  const seen = { sends: 0 };
  noFaults();
  database.middlewareStack.add(
    (next, { commandName }) =>
      async (sent) => {
        if (of && !of.includes(String(commandName).replace('Command', ''))) return next(sent);
        seen.sends += 1;
        const fails = seen.sends > skips && seen.sends <= skips + sends;
        if (fails && where === 'on the way there') throw error();
        if (!fails) return next(sent);
        // Whatever the answer was, even a refusal.
        await next(sent).catch(() => undefined);
        throw error();
      },
    { step: 'finalizeRequest', name, priority: 'low' },
  );
  return seen;
};

/** A transaction that DynamoDB cancelled, with the reasons of its writes. */
export const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled.',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** The error that the SDK throws on a timeout. */
export const lostReply = () => Object.assign(new Error('No reply.'), { name: 'TimeoutError' });

/** The error that the SDK throws for a throttled call. */
export const throttled = () => Object.assign(new Error('Slow down.'), { name: 'ThrottlingException' });
