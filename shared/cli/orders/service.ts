import { type Problem, problemText } from '../../base/result.ts';
import type { Calculation } from '../../calculations/response.ts';
import { createClient, LevyUnavailable } from '../../client/client.ts';
import { parseAddress, resolvePath } from '../terminal/arguments.ts';
import { firstErrors, shown } from '../terminal/output.ts';
import { CommandError, flag, required, withDefault } from '../terminal/run-command.ts';
import { describeProblem, type Order, type OrderError, readOrders } from './read-orders.ts';

/** Sends the orders of a file to a running service. */

/** The options that `compare` and `import` share. */
export const fileOptions = {
  file: required('<file>', 'orders as NDJSON, or as .csv with one row for each line item', resolvePath),
  url: withDefault('http://127.0.0.1:3000', '<url>', 'address of the service', parseAddress),
  json: flag('one JSON object'),
};

export type Client = ReturnType<typeof createClient>;
type Failing = Pick<Problem, 'code' | 'title' | 'detail'> & { readonly source?: { readonly pointer?: string } | null };
type Refused = { readonly status: number; readonly detail: string; readonly errors: readonly object[] };

/** Returns the client of the service. Requires LEVY_API_KEY. */
export const clientFor = (url: string): Client => {
  const apiKey = process.env['LEVY_API_KEY'];
  if (!apiKey) throw new CommandError('Set LEVY_API_KEY to a key of the account.');
  return createClient({ url, apiKey });
};

/** Describes a refused order. Throws if the service would refuse every order: a wrong key, scope or address. */
export const refusalText = ({ status, detail, errors }: Refused, rows: Order['rows']): string => {
  if (status === 404)
    throw new CommandError('Levy has no such path. Check --url: it ends with the stage, such as https://…/v1.');
  if (status === 401 || status === 403) throw new CommandError(`The service refuses the key: ${detail}`);
  return (errors as readonly Failing[])
    .map((error) => describeProblem(error.source?.pointer ?? '', problemText(error), rows))
    .join(' ');
};

/** Calculates the tax of an order. An unknown field is an error, because the tax would not reflect its value. */
export const calculated = async (client: Client, { line, rows, body }: Order): Promise<Calculation | OrderError> => {
  const result = await client.post('/calculations', { body: body as never });
  if (!result.ok) return { line, error: refusalText(result.refusal, rows) };
  const tax = result.data as unknown as Calculation;
  const unknown = tax.warnings.filter(({ code }) => code === 'unknown_field');
  if (unknown.length === 0) return tax;
  const removed = unknown.map(({ pointer, message }) =>
    describeProblem(pointer ?? '', message.replace(', ignored.', '. Remove or rename it.'), rows),
  );
  return { line, error: removed.join(' ') };
};

const concurrency = 6;

/** Runs `work` for each order, several at a time, and yields the results in the order of the file. */
export async function* forEachOrder<Value>(
  file: string,
  work: (order: Order) => Promise<Value | OrderError>,
): AsyncGenerator<Value | OrderError> {
  const pending: Promise<Value | OrderError>[] = [];
  try {
    for await (const order of readOrders(file)) {
      const result = 'error' in order ? Promise.resolve(order) : work(order);
      // The rejection is thrown where the result is awaited.
      result.catch(() => {});
      pending.push(result);
      if (pending.length >= concurrency) yield await (pending.shift() as Promise<Value | OrderError>);
    }
    for (const result of pending) yield await result;
  } catch (error) {
    if (error instanceof LevyUnavailable && error.status === 404)
      throw new CommandError(`This is not the address of Levy. Check --url: ${error.message}`);
    if (error instanceof LevyUnavailable)
      throw new CommandError(`The service does not respond. Check --url, and run this again. ${error.message}`);
    throw error;
  }
}

/** Returns the lines that report orders with errors. */
export const errorLines = (errors: readonly OrderError[]): readonly string[] =>
  firstErrors(errors.map(({ line, error }) => `Line ${line}: ${shown(error)}`));
