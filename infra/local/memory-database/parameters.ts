import { AssertionError } from '../../../shared/base/assert.ts';
import type { Table } from './table.ts';

/** The parameters of all commands of the document client. */
export type Input = {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly Key?: unknown;
  readonly Item?: unknown;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
  readonly ConsistentRead?: boolean;
  readonly ExclusiveStartKey?: Record<string, unknown>;
  readonly ScanIndexForward?: boolean;
  readonly Limit?: number;
  readonly ClientRequestToken?: string;
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[];
  readonly RequestItems?: Readonly<Record<string, unknown>>;
};
export type TableNamed = (name: string | undefined) => Table;

/** Throws on a parameter that the memory database does not implement. */
export const requireKnownParameters = (input: Input, ...names: readonly string[]): void => {
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && !names.includes(name))
      throw new AssertionError(`The memory database does not implement the parameter ${name}.`);
};
