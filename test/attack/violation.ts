import { isDeepStrictEqual } from 'node:util';

/** A violation of the service's contract, with the difference. */
export class Violation extends Error {}

const written = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one), 1) ?? 'undefined';

/** Throws a `Violation` unless the condition is true. */
export const must = (isTrue: boolean, message: string, ...details: readonly unknown[]): void => {
  if (!isTrue) throw new Violation([message, ...details.map(written)].join('\n'));
};

/** Throws a `Violation` with both values unless they are equal. */
export const same = (actual: unknown, expected: unknown, message: string, ...details: readonly unknown[]): void =>
  must(isDeepStrictEqual(actual, expected), message, { actual, expected }, ...details);
