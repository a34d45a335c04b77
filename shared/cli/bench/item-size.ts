/** The bytes of an item as DynamoDB counts them: the names, and text in UTF-8, binary as it is, numbers by their digits. */
export const itemSize = (item: Readonly<Record<string, unknown>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);

const valueSize = (value: unknown): number => {
  if (value === null || value === undefined || typeof value === 'boolean') return 1;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + 1 + valueSize(one), 3);
  // A map: three bytes, and one for each of its elements, like a list.
  if (typeof value === 'object') return 3 + Object.keys(value).length + itemSize(value as Record<string, unknown>);
  throw new Error(`The ledger has no attributes of this kind: ${typeof value}.`);
};
