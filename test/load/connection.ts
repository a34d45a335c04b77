import { connect, type Socket } from 'node:net';

/** What came back: a status, or in a word why there is none. */
export type Outcome = { readonly status: number; readonly body: string } | { readonly failure: string };

type Waiting = (outcome: Outcome) => void;

const headEnd = Buffer.from('\r\n\r\n');

/** The length of a whole answer at the start of these bytes; `null` while it is incomplete. Throws at what it cannot read. */
const lengthOf = (bytes: Buffer): { readonly head: number; readonly whole: number } | null => {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return null;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1];
  if (length === undefined) throw new Error('an answer without a Content-Length');
  const head = end + headEnd.length;
  return { head, whole: head + Number(length) };
};

/**
 * One connection that is kept open, and asks one thing at a time.
 *
 * Not node:http: its client takes longer for a request than the service does for a refusal, and the generator must not
 * be what is measured. It understands what the local service sends, and calls anything else a failure.
 */
export const openConnection = (port: number, host: string) => {
  let socket: Socket | null = null;
  let received: Buffer[] = [];
  let waiting: Waiting | null = null;

  const settle = (outcome: Outcome): void => {
    const tell = waiting;
    waiting = null;
    received = [];
    tell?.(outcome);
  };
  const lose = (failure: string): void => {
    socket?.destroy();
    socket = null;
    settle({ failure });
  };
  const read = (chunk: Buffer): void => {
    received.push(chunk);
    const bytes = received.length === 1 ? chunk : Buffer.concat(received);
    received = [bytes];
    try {
      const length = lengthOf(bytes);
      if (!length || bytes.length < length.whole) return;
      settle({
        status: Number(bytes.toString('latin1', 9, 12)),
        body: bytes.toString('utf8', length.head, length.whole),
      });
    } catch (error) {
      lose(error instanceof Error ? error.message : 'unreadable');
    }
  };
  const open = (): Socket => {
    const opened = connect({ port, host, noDelay: true });
    const ifCurrent = (act: () => void) => () => void (socket === opened && act());
    opened.on('data', (chunk) => socket === opened && read(chunk));
    opened.on('error', (error: NodeJS.ErrnoException) => ifCurrent(() => lose(error.code ?? error.name))());
    opened.on(
      'close',
      ifCurrent(() => lose('closed')),
    );
    return opened;
  };

  return {
    /** Send a whole request; only when the last one is answered. */
    ask: (request: Buffer, tell: Waiting): void => {
      waiting = tell;
      socket ??= open();
      socket.write(request);
    },
    close: (): void => lose('closed'),
  };
};

export type Connection = ReturnType<typeof openConnection>;
