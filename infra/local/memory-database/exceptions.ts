import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type {
  BatchGetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { AssertionError } from '../../../shared/base/assert.ts';
import type { Item } from './values.ts';

const $metadata = {};

export const invalid = (message: string): DynamoDBServiceException =>
  new DynamoDBServiceException({ name: 'ValidationException', $fault: 'client', message, $metadata });

export const noSuchTable = (name: string) =>
  new ResourceNotFoundException({ message: `Requested resource not found: Table: ${name} not found`, $metadata });

// The item is in wire format, as the document client returns it.
const wire = (item: Item | undefined) => (item === undefined ? {} : { Item: marshall(item) });

export const conditionFailed = (item: Item | undefined) =>
  new ConditionalCheckFailedException({ message: 'The conditional request failed', $metadata, ...wire(item) });

export const noReason: CancellationReason = { Code: 'None' };

export const conditionReason = (item: Item | undefined): CancellationReason => ({
  Code: 'ConditionalCheckFailed',
  Message: 'The conditional request failed',
  ...wire(item),
});

export const invalidReason = ({ message: Message }: DynamoDBServiceException): CancellationReason => ({
  Code: 'ValidationError',
  Message,
});

/** A canceled transaction, with a reason for each of its actions. */
export const canceled = (CancellationReasons: CancellationReason[]) =>
  new TransactionCanceledException({
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${CancellationReasons.map(({ Code }) => Code).join(', ')}]`,
    $metadata,
    CancellationReasons,
  });

export const tokenReused = () =>
  new IdempotentParameterMismatchException({
    message: 'The provided token was used with other parameters.',
    $metadata,
  });

/** The parameters of all commands of the document client. */
export type Input = Partial<
  QueryCommandInput & PutCommandInput & UpdateCommandInput & TransactWriteCommandInput & BatchGetCommandInput
>;

/** Throws on a parameter that the memory database does not implement. */
export const requireKnownParameters = (input: object, ...names: readonly string[]): void => {
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && !names.includes(name))
      throw new AssertionError(`The memory database does not implement the parameter ${name}.`);
};
