import { readFileSync } from 'node:fs';
import type * as z from 'zod/mini';
import { problemIn } from './arguments.ts';
import { CommandError } from './errors.ts';

/** The value of a JSON file. Throws a CommandError of `refusal` and the reason where it cannot be read or parsed. */
export const jsonFile = <Value>(file: string, schema: z.ZodMiniType<Value>, refusal: string): Value => {
  const refuse = (reason: string) => new CommandError(`${refusal}: ${reason}`);
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw refuse((error as Error).message);
  }
  const { data, error } = schema.safeParse(json);
  if (error) throw refuse(problemIn(error));
  return data;
};
