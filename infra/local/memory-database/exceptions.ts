import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { AssertionError } from '../../../shared/base/assert.ts';
import type { Item } from './values.ts';

const $metadata = {};

export const invalid = (message: string): DynamoDBServiceException =>
  new DynamoDBServiceException({ name: 'ValidationException', $fault: 'client', message, $metadata });

export const noSuchTable = (name: string) =>
  new ResourceNotFoundException({ message: `Requested resource not found: Table: ${name} not found`, $metadata });

// In wire format, as the document client passes it on.
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

type Expression = `${'KeyCondition' | 'Filter' | 'Condition' | 'Update' | 'Projection'}Expression`;
type TextParameter =
  | Expression
  | ('TableName' | 'IndexName' | 'ReturnValues' | 'ReturnValuesOnConditionCheckFailure' | 'ClientRequestToken');

/** The parameters of all commands of the document client. */
export type Input = { readonly [Name in TextParameter]?: string } & {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
  readonly Key?: unknown;
  readonly Item?: unknown;
  readonly ConsistentRead?: boolean;
  readonly ExclusiveStartKey?: Record<string, unknown>;
  readonly ScanIndexForward?: boolean;
  readonly Limit?: number;
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[];
  readonly RequestItems?: Readonly<Record<string, unknown>>;
};

/** Throws on a parameter that the memory database does not implement. */
export const requireKnownParameters = (input: Input, ...names: readonly string[]): void => {
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && !names.includes(name))
      throw new AssertionError(`The memory database does not implement the parameter ${name}.`);
};
