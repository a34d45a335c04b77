import { formatPercent } from '../../catalog/release-values.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { type City, type Entry, type Span, unknownPlace } from '../entry.ts';
import { openHeadedTable, readRows } from '../files/columns.ts';
import { type Importer, onlyFile, type Read } from '../importer.ts';
import { assertFits, limits } from '../limits.ts';
import { PseudoJurisdictions } from '../pseudo-jurisdictions.ts';
import { combinedOf, isRateOfState, type LocalContext, localsOf, stateRateOf } from './locals.ts';
import { anyZip, type Choice, type Choose, isStateWide, MatchesByCity, matchesByZip, newChoose } from './matching.ts';
import { readBadWooRate, readWooRate, type WooRate, wooColumns } from './rate-row.ts';

const isEntry = (value: ReturnType<typeof localsOf>): value is Entry => 'kind' in value;

const overtakingReason =
  'overlaps a less specific row of its priority, which WooCommerce applies because it has more ZIPs or cities, or is earlier: the more specific row is used';

/** Report rows of one priority that overlap, each once. */
function* overlapEntries(
  { bad, remarked }: LocalContext,
  { conflict, overtaking }: Choice,
  place: string,
): Generator<Entry> {
  for (const { line } of overtaking) {
    if (!bad.has(line) && !remarked.has(line)) yield { kind: 'remark', line, reason: overtakingReason };
    remarked.add(line);
  }
  if (conflict === null || conflict.some(({ isBad, line }) => isBad || bad.has(line))) return;
  const [{ line: first }, { line }] = conflict;
  const reason = `has a different rate for ${place} than line ${first} with the same priority: remove one of them, or change its priority`;
  bad.add(line);
  yield { kind: 'bad', line, reason };
}

type Where = Pick<Span, 'kind' | 'low' | 'high' | 'flags'> | Pick<City, 'kind' | 'city' | 'flags'>;

/** The entries of a place. If only rates of the whole state apply, the fallback release covers the place. */
function* placeEntries(context: LocalContext, choice: Choice, place: string, where: Where): Generator<Entry> {
  const { rates, conflict } = choice;
  if (rates.every(isStateWide)) return;
  yield* overlapEntries(context, choice, place);
  const isKnown = conflict === null && rates.every(({ isBad, line }) => !isBad && !context.bad.has(line));
  const locals = isKnown ? localsOf(context, rates, place) : null;
  if (locals === null || isEntry(locals)) {
    if (locals) yield locals;
    yield* unknownPlace(stateOfJurisdiction(context.base.state), { ...where, from: context.from, to: null });
    return;
  }
  yield* locals.entries;
  yield { ...where, from: context.from, to: locals.to, locals: locals.codes };
}

const areSame = (some: readonly WooRate[], others: readonly WooRate[]): boolean =>
  some.length === others.length && some.every((rate, index) => rate === others[index]);

/**
 * A ZIP has the rates without a city, and each city that its rows name has rates of its own there. For a city that is
 * named without a ZIP, both sets of rates apply.
 */
function* zipEntries(
  context: LocalContext,
  zip: string,
  matches: MatchesByCity,
  ofState: MatchesByCity,
  choose: Choose,
): Generator<Entry> {
  const where = { kind: 'span', low: `${zip}0000`, high: `${zip}9999` } as const;
  const chosenIn = (city: string | null) => choose([...matches.in(city), ...ofState.in(city)]);
  const anywhere = chosenIn(null);
  yield* placeEntries(context, anywhere, zip, where);
  const [named, byName] = [matches.cities(), ofState.cities()];
  for (const city of named.union(byName)) {
    const chosen = chosenIn(city);
    const flags = { within_city: city };
    if (named.has(city)) {
      yield* placeEntries(context, chosen, city, { ...where, flags });
      if (!byName.has(city)) yield* placeEntries(context, chosen, city, { kind: 'city', city, flags });
      continue;
    }
    if (areSame(chosen.rates, anywhere.rates)) yield* overlapEntries(context, chosen, city);
    else yield* placeEntries(context, chosen, city, { ...where, flags: { ...flags, yields_to_city: true } });
  }
}

/** Say what the rows of the whole state do: they name no place, so they are no local tax of any. */
function* stateWideEntries(context: LocalContext, wide: Choice, state: string): Generator<Entry> {
  yield* overlapEntries(context, wide, `all of ${state}`);
  const { rates, conflict } = wide;
  if (rates.length === 0 || conflict !== null || rates.some(({ isBad }) => isBad)) return;
  const lines = `${rates.length === 1 ? 'line' : 'lines'} ${rates.map(({ line }) => line).join(' and ')}`;
  const combined = combinedOf(rates);
  const known = stateRateOf(context)?.rate;
  const what = isRateOfState(state, combined, known)
    ? "repeats the state's rate"
    : `has ${combined === null ? 'a rate' : formatPercent(combined)}, which is not the state's rate (${known ? formatPercent(known) : 'unknown'}) and no local tax of a place`;
  yield {
    kind: 'note',
    sentence: `The rate for all of ${state} in ${lines} ${what}. The fallback release, with its local rates, covers the ZIPs and cities that no other row names.`,
  };
}

/** The entries of all rows that can be read. */
function* tableEntries(rates: readonly WooRate[], context: LocalContext): Generator<Entry> {
  const choose = newChoose();
  const { state } = context.pseudo;
  const anywhere = new MatchesByCity(rates.filter(({ zips }) => zips === null).map(anyZip));
  const byName = anywhere.cities();
  assertFits(byName.size, limits.cities, 'cities');
  const byZip = [...matchesByZip(rates, state)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  assertFits(byZip.length * byName.size, limits.citiesInZips, 'ZIP codes with cities that rows name without a ZIP');
  for (const [zip, matches] of byZip) yield* zipEntries(context, zip, new MatchesByCity(matches), anywhere, choose);
  for (const city of byName) yield* placeEntries(context, choose(anywhere.in(city)), city, { kind: 'city', city });
  yield* stateWideEntries(context, choose(anywhere.in(null)), state);
}

/**
 * Read the tax rates that WooCommerce exports (content notes 2): of the rates of one priority that match a place, the
 * most specific one applies; priorities add up, and compound rates apply on the sum. A row that names ZIPs and cities
 * matches an address that has both. What is above the state's rate in the base release are local taxes. A row of the whole
 * state is no tax of a place: it is a part of the rates that other rows add to it, and elsewhere the fallback release
 * applies. The rates of one state are held until the file ends.
 */
const readWooCommerce: Read = async function* (files, { state, base, undatedFrom: from = null, onProgress }) {
  const table = await openHeadedTable(onlyFile(files), wooColumns, onProgress, { inOrder: true });
  const rates: WooRate[] = [];
  const hold = (rate: WooRate): readonly Entry[] => {
    assertFits(rates.push(rate), limits.heldRows, 'rows of the state');
    return [];
  };
  yield* readRows(table, (row) => readWooRate(row, state), hold, { ofBad: (row) => hold(readBadWooRate(row)) });
  yield* tableEntries(rates, {
    pseudo: new PseudoJurisdictions(state),
    base,
    from,
    bad: new Set(),
    remarked: new Set(),
  });
  if (table.isByOrder)
    yield {
      kind: 'note',
      sentence: `The header of ${table.name} is not the English one of WooCommerce. Its ten columns were read in the order of an export.`,
    };
};

export const woocommerce: Importer = {
  format: 'woocommerce',
  describe: 'Tax rates exported from WooCommerce',
  files: [{ option: 'file', describe: 'tax_rates.csv, 10 columns' }],
  onlyState: null,
  confidence: 'medium',
  read: readWooCommerce,
};
