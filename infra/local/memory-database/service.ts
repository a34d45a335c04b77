import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { type CreateTableCommandInput, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { Database } from './database.ts';
import { invalid } from './exceptions.ts';
import { newStreams, openJournal } from './journal.ts';
import { type Change, metered } from './table.ts';
import { fromRequest, toResponse } from './values.ts';

type Input = Readonly<Record<string, unknown>>;
type ServiceResponse = { readonly status: number; readonly text: string };
/** A command of the document client. Its class name is the operation. */
type Command = { readonly constructor: { readonly name: string }; readonly input: Input };
export type Service = {
  /** Responds to a call in DynamoDB's JSON protocol: an operation and its JSON body. */
  readonly respond: (operation: string, body: string) => ServiceResponse;
  /**
   * Runs a command and returns its output, or throws as the client does. A caller must not change an item that it
   * passed or received.
   */
  readonly run: (command: Command) => object;
};

const isBatch = /^(Batch|Transact)/;

const errorResponse = (error: unknown): ServiceResponse => {
  const known = error instanceof DynamoDBServiceException ? error : invalid(String(error));
  const { name, message, $fault, $metadata, $retryable, $response, stack, ...fields } = known;
  return {
    status: 400,
    text: JSON.stringify(
      { ...fields, __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, Message: message },
      // The items of an exception have bytes.
      (_, inner) => (inner instanceof Uint8Array ? Buffer.from(inner).toString('base64') : inner),
    ),
  };
};

/**
 * Implements DynamoDB over a memory database. With a folder, the database persists there. The streams get each change.
 */
export const newService = (folder: string | null): Service => {
  // Changes are not collected while the journal is read.
  let changes: Change[] | null = null;
  const database = new Database(Date.now, (change) => void changes?.push(change));
  const journal = folder === null ? null : openJournal(folder, database);
  const streams = newStreams(database);

  const execute = (command: Command): object => {
    const { ReturnConsumedCapacity: capacity, ...input } = command.input;
    const run = () => database.execute({ constructor: command.constructor, input });
    if (capacity === undefined || capacity === 'NONE') return run();
    const { response, consumed } = metered(database.tables, run);
    return { ...response, ConsumedCapacity: isBatch.test(command.constructor.name) ? consumed : consumed[0] };
  };

  const call = (operation: string, body: Input): object => {
    if (operation === 'UpdateTable') return streams.open(body['TableName'] as string, journal !== null);
    // PutItem is PutCommand, and TransactWriteItems is TransactWriteCommand.
    const name = `${operation.replace(/Items?$/, '')}Command`;
    return (
      database.tableCall(operation, body as Partial<CreateTableCommandInput>) ??
      streams.call(operation, body as Record<string, string>) ??
      toResponse(execute({ constructor: { name }, input: fromRequest(body) }))
    );
  };

  const responseTo = (operation: string, body: string): ServiceResponse => {
    try {
      return { status: 200, text: JSON.stringify(call(operation, JSON.parse(body))) };
    } catch (error) {
      return errorResponse(error);
    }
  };

  /** Passes the writes of a call to the journal and the streams. If the file cannot store them, the process ends. */
  const recordWrites = <Result>(run: () => Result): Result => {
    const written: Change[] = [];
    changes = written;
    const result = run();
    if (written.length > 0) {
      journal?.changed(written);
      streams.changed(written);
    }
    return result;
  };

  const respond = (operation: string, body: string): ServiceResponse => {
    const response = recordWrites(() => responseTo(operation, body));
    if (operation === 'CreateTable' && response.status === 200) journal?.created(JSON.parse(body));
    return response;
  };

  return { respond, run: (command) => recordWrites(() => execute(command)) };
};

/** Serves DynamoDB's protocol over HTTP. */
export const newServer = (respond: Service['respond']): Server => {
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const { status, text: body } = respond(operation, await text(request));
    response.writeHead(status, {
      'Content-Type': 'application/x-amz-json-1.0',
      'Content-Length': Buffer.byteLength(body),
      'x-amzn-RequestId': '0',
    });
    response.end(body);
  });
  // Longer than any pause between calls, because a client could reuse a connection while the server closes it.
  server.keepAliveTimeout = 600_000;
  return server;
};
