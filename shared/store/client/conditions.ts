/** Conditions of a write, as the fields of a command or of a write in a transaction. */
export const absent = { ConditionExpression: 'attribute_not_exists(pk)' } as const;
export const present = { ConditionExpression: 'attribute_exists(pk)' } as const;

/** The item still has the version that was read. */
export const asSeen = (version: unknown) => ({
  ConditionExpression: 'version = :seen',
  ExpressionAttributeValues: { ':seen': version },
});

/** There is still no item (version 0), or it has the version that was read. */
export const absentOrAsSeen = (version: number) => (version === 0 ? absent : asSeen(version));
