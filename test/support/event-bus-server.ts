/** A loopback server that emulates EventBridge's PutEvents. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Entry = Readonly<Record<'EventBusName' | 'Source' | 'DetailType' | 'Detail', string>>;

type EventBusServer = {
  readonly url: string;
  /** The accepted entries so far, in order. */
  readonly entries: Entry[];
  /** Rejects this many entries with status 200, as EventBridge does. */
  readonly refuse: (count: number) => void;
  readonly close: () => Promise<void>;
};

export const openEventBus = async (): Promise<EventBusServer> => {
  const entries: Entry[] = [];
  let refused = 0;
  const put = (entry: Entry) => {
    if (refused > 0) {
      refused -= 1;
      return { ErrorCode: 'InternalFailure', ErrorMessage: 'Try again.' };
    }
    return { EventId: `event-${entries.push(entry)}` };
  };
  const server = createServer(async (request, response) => {
    const sent = Buffer.concat(await Array.fromAsync(request)).toString('utf8');
    if (request.headers['x-amz-target'] !== 'AWSEvents.PutEvents' || !request.headers.authorization)
      return response.writeHead(400).end();
    const Entries = (JSON.parse(sent) as { readonly Entries: readonly Entry[] }).Entries.map(put);
    const FailedEntryCount = Entries.filter((entry) => 'ErrorCode' in entry).length;
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ FailedEntryCount, Entries }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    entries,
    refuse: (count) => {
      refused = count;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
