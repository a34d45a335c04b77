/** Reads the tables of taxability that people edit. Only `npm run content` and the tests read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';

/**
 * How a state treats a product tax code.
 *
 * - `attributes`: joined with `+`; all must hold. `-_X` must not hold. Empty: the default row of the code.
 * - `treatment`: `taxable`, `exempt`, `rate` (percent in `state_rate` instead of the state's rate), `partial`, `threshold`,
 *   `not_sales_tax` (another tax instead), `rule` (a topic) or `unknown`.
 * - `local`: the local taxes treat it as the state does (`same`), at their full rate (`full`), not at all (`none`) or by
 *   rules of their own (`own`).
 * - `condition`: what the treatment also depends on.
 * - `from`, `to`: the first and last day, if they are known.
 */
export type TaxabilityRow = Readonly<
  Record<
    | 'state'
    | 'code'
    | 'attributes'
    | 'treatment'
    | 'state_rate'
    | 'local'
    | 'condition'
    | 'from'
    | 'to'
    | 'citation'
    | 'confidence'
    | 'note',
    string
  >
>;

const folder = fileURLToPath(new URL('rows/', import.meta.url));

/** The rows of all tables, in their order. */
export const taxabilityRows = (): readonly TaxabilityRow[] =>
  readdirSync(folder)
    .sort()
    .flatMap((name): TaxabilityRow[] => parse(readFileSync(`${folder}${name}`), { columns: true }));
