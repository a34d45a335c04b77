import type { Table } from './table.ts';

/** A request's parameters: those of the SDK, looked at by name. */
export type Input = Readonly<Record<string, any>>;
export type TableNamed = (name: string | undefined) => Table;

/** Refuse a parameter that this model does not know, rather than pass over it. */
export const knowing = (input: Input, ...names: readonly string[]): void => {
  for (const name in input)
    if (input[name] !== undefined && !names.includes(name))
      throw new Error(`The memory database does not know the parameter ${name}.`);
};
