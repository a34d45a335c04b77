import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { type CreateTableCommandInput, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { Database } from './database.ts';
import { invalid } from './exceptions.ts';
import { newStreams, openJournal } from './journal.ts';
import { type Change, metered } from './table.ts';
import { fromRequest, toAnswer } from './values.ts';

type Input = Readonly<Record<string, unknown>>;
type ServiceResponse = { readonly status: number; readonly text: string };
export type Service = (operation: string, body: string) => ServiceResponse;

const isBatch = /^(Batch|Transact)/;

const errorAnswer = (error: unknown): ServiceResponse => {
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
 * Implements DynamoDB's JSON protocol over a memory database: takes an operation and its JSON body, and returns a
 * status and a JSON body.
 */
export const newService = (folder: string | null): Service => {
  // Changes are not collected while the journal is read.
  let changes: Change[] | null = null;
  const database = new Database(Date.now, (change) => void changes?.push(change));
  const journal = folder === null ? null : openJournal(folder, database);
  const streams = newStreams(database);

  const itemCall = (operation: string, body: Input): object => {
    // PutItem is PutCommand, and TransactWriteItems is TransactWriteCommand.
    const name = `${operation.replace(/Items?$/, '')}Command`;
    const { ReturnConsumedCapacity: capacity, ...input } = fromRequest(body);
    const run = () => database.execute({ constructor: { name }, input });
    const { answer, consumed } =
      capacity === undefined || capacity === 'NONE' ? { answer: run(), consumed: null } : metered(database.tables, run);
    return {
      ...toAnswer(answer),
      ...(consumed && { ConsumedCapacity: isBatch.test(operation) ? consumed : consumed[0] }),
    };
  };

  const call = (operation: string, body: Input): object => {
    if (operation === 'UpdateTable') return streams.open(body['TableName'] as string, journal !== null);
    return (
      database.tableCall(operation, body as Partial<CreateTableCommandInput>) ??
      streams.call(operation, body as Record<string, string>) ??
      itemCall(operation, body)
    );
  };

  const answerTo = (operation: string, body: string): ServiceResponse => {
    try {
      return { status: 200, text: JSON.stringify(call(operation, JSON.parse(body))) };
    } catch (error) {
      return errorAnswer(error);
    }
  };

  return (operation: string, body: string): ServiceResponse => {
    const written: Change[] = [];
    changes = written;
    const answer = answerTo(operation, body);
    // If the file cannot store a change, the process ends without a response.
    if (operation === 'CreateTable' && answer.status === 200) journal?.created(JSON.parse(body));
    if (written.length > 0) {
      journal?.changed(written);
      streams.changed(written);
    }
    return answer;
  };
};

/** Serves DynamoDB's protocol over HTTP. */
export const newServer = (service: Service): Server => {
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const { status, text: body } = service(operation, await text(request));
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
