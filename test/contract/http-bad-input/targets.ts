import type { Chance } from './chance.ts';
import { hostileNames, hostileTexts } from './hostile.ts';
import { jsonText } from './json-text.ts';
import type { Known } from './known.ts';
import type { DocumentedOperation } from './operations.ts';
import { validValue, valueAround } from './schema-values.ts';

const oddQueries = [
  ...['%', '%zz=%ff', '=', '&', '[]=1', 'limit[]=1', 'limit=1&limit=2', 'tax_date[gte]=x'],
  ...['+=+', '%00=%00', '#', '?x'],
];
const oddPaths = ['/', '//', '/x', '/Transactions', '/docs/', '/openapi.json/x', '/transactions//', '/%'];
const oddSegments = ['%ff', '%', '%ed%a0%80', '..', '%2e%2e', '', '{id}', ';x=1', 'x'.repeat(9000), '%F0%9F%91%8D'];

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

/** The pairs of a query: as the document has them, or not at all so. */
export const queryOf = (operation: DocumentedOperation, known: Known, chance: Chance, isHostile: boolean): string[] => {
  const parameters = operation.parameters.filter((one) => one.in === 'query');
  const chosen = parameters.filter(() => chance.is(1 / (parameters.length + 1)));
  const pairs = chosen.map(({ name, schema }) => {
    const isCursor = name === 'starting_after';
    const value =
      isCursor && chance.is(0.7)
        ? known.cursor(chance)
        : isHostile
          ? valueAround(schema, chance)
          : validValue(schema, chance);
    return `${encoded(name)}=${encoded(typeof value === 'string' ? value : jsonText(value))}`;
  });
  if (!isHostile) return pairs;
  const extra = () =>
    chance.pick<() => string>([
      () => `${encoded(chance.pick(hostileNames))}=${encoded(chance.pick(hostileTexts))}`,
      () =>
        `${encoded(chance.pick([...parameters.map(({ name }) => name), 'x']))}=${encoded(chance.pick(hostileTexts))}`,
      () => pairs[0] ?? 'x',
      () => chance.pick(oddQueries),
    ])();
  return [...pairs, ...Array.from({ length: chance.is(0.03) ? 60 : chance.below(3) }, extra)];
};

/** A path that leads to something else, or nowhere. */
export const hostilePath = (operation: DocumentedOperation, known: Known, chance: Chance): string => {
  const id = known.idFor(operation.path, chance);
  const other = chance.pick<() => string>([
    () => encoded(chance.pick(hostileTexts)),
    () => chance.pick([known.filing(chance), known.transaction(chance)]),
    () => chance.pick([id.toLowerCase(), id.slice(0, -1), `%20${id}`]),
    () => `${id}${chance.pick(['x', '%00', '%2Fhistory', '/', '/x'])}`,
    () => chance.pick(oddSegments),
  ])();
  return chance.is(0.1) ? chance.pick(oddPaths) : operation.path.replace('{id}', () => other);
};
