import { type Result, refuse } from '../result.ts';
import { inBodyOrder } from './field-problems.ts';

/** A refusal that names what is wrong in the order of the request's body, whatever was found first. */
export const refusedInOrder = <Value>(result: Result<Value>, body: unknown): Result<Value> => {
  if (result.ok) return result;
  const [first = result.problems[0], ...others] = inBodyOrder(result.problems, body);
  return refuse(first, ...others);
};
