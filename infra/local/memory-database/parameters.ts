import type { Table } from './table.ts';

/** The parameters of the document client's commands, those of all operations together. */
export type Input = {
  readonly TableName?: string;
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
  readonly ClientRequestToken?: string;
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[];
  readonly RequestItems?: Readonly<Record<string, unknown>>;
};
export type TableNamed = (name: string | undefined) => Table;

/** Refuse a parameter that this model does not know, rather than pass over it. */
export const knowing = (input: Input, ...names: readonly string[]): void => {
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && !names.includes(name))
      throw new Error(`The memory database does not know the parameter ${name}.`);
};
