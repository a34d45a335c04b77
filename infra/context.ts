import type { Node } from 'constructs';

/** Stop the synthesis with what was given and how to put it right. */
export const refuse = (name: string, value: string, remedy: string): never => {
  throw new Error(`The context value ${name} is '${value}'. ${remedy}`);
};

/** A context value as text: `-c` always gives text, cdk.json may also hold a number or a boolean. `null` where there is none. */
export const text = (node: Node, name: string): string | null => {
  const value: unknown = node.tryGetContext(name);
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'object') return refuse(name, JSON.stringify(value), 'Give a text, a number or a boolean.');
  return String(value);
};

/** A context value that matches a pattern; the remedy says in words what that is. */
export const matching = (node: Node, name: string, pattern: RegExp, remedy: string): string | null => {
  const value = text(node, name);
  return value === null || pattern.test(value) ? value : refuse(name, value, remedy);
};

/** One of some words; the first one is what holds where nothing is said. */
export const oneOf = <const Word extends string>(node: Node, name: string, words: readonly [Word, ...Word[]]): Word => {
  const value = text(node, name) ?? words[0];
  return words.find((word) => word === value) ?? refuse(name, value, `Give one of: ${words.join(', ')}.`);
};

/** A switch; `unless` is what holds where nothing is said. */
export const flag = (node: Node, name: string, unless: boolean): boolean => {
  const value = text(node, name) ?? String(unless);
  if (['true', '1'].includes(value)) return true;
  return ['false', '0'].includes(value) ? false : refuse(name, value, 'Give true or false.');
};

/** A whole number within limits, the limits included. */
export const wholeNumber = (name: string, value: string, [least, most]: readonly [number, number]): number => {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  return number >= least && number <= most
    ? number
    : refuse(name, value, `Give a whole number from ${least} to ${most}.`);
};
