import { stateOfJurisdiction } from '../../../jurisdiction.ts';
import { isRestUntaxed } from '../../local/load.ts';
import type { Release } from '../../release.ts';
import { type City, type Entry, type Span, unknownPlace } from '../entry.ts';
import { openHeadedTable } from '../files/headed-rows.ts';
import { onlyFile, readRows } from '../files/read-rows.ts';
import type { Importer, Read } from '../importer.ts';
import { assertFits, limits } from '../limits.ts';
import { PseudoJurisdictions } from '../pseudo-jurisdictions.ts';
import { indexFrom, zipsOfState } from '../zips.ts';
import { isStateWide, type LocalContext, localsOf } from './locals.ts';
import { bySpecificity, ratesIn, readBadWooRate, readWooRate, type WooRate, wooColumns } from './rate-row.ts';

/** The rates that match each ZIP of the state, in their order. */
const byZip = (rates: readonly WooRate[], state: string): ReadonlyMap<string, readonly WooRate[]> => {
  const everywhere = rates.filter(({ zips }) => zips === null);
  const listed = new Map<string, WooRate[]>();
  const zips = zipsOfState(state);
  let named = 0;
  const touched = (low: string, high: string): readonly string[] => {
    const first = indexFrom(zips, low);
    const found = zips.slice(first, high < low ? first : indexFrom(zips, `${high}~`));
    named += found.length + 1;
    assertFits(named, limits.heldZips, 'ZIP codes in all rows together');
    return found;
  };
  for (const rate of rates)
    for (const [low, high] of rate.zips ?? [])
      for (const zip of touched(low, high)) {
        const found = listed.get(zip);
        if (found) found.push(rate);
        else listed.set(zip, [rate]);
      }
  return new Map(zips.map((zip) => [zip, [...(listed.get(zip) ?? []), ...everywhere].toSorted(bySpecificity)]));
};

const citiesOf = (rates: readonly WooRate[]): ReadonlySet<string> =>
  new Set(rates.flatMap(({ cities }) => cities ?? []));

const isEntry = (value: ReturnType<typeof localsOf>): value is Entry => 'kind' in value;

type Where = Pick<Span, 'kind' | 'low' | 'high' | 'flags'> | Pick<City, 'kind' | 'city' | 'flags'>;

/** Whether the rates are the state's rate alone in a state that may have local taxes. */
const isStateAlone = (rates: readonly WooRate[], base: Release): boolean =>
  rates.every(isStateWide) && !(isRestUntaxed(base) && base.locations.length === 0);

function* placeEntries(
  context: LocalContext,
  rates: readonly WooRate[],
  place: string,
  where: Where,
): Generator<Entry> {
  const [first] = rates;
  if (!first) return;
  const isKnown = !context.bad.has(first.line) && !rates.some(({ isBad }) => isBad);
  const locals = isKnown ? localsOf(context, rates, place) : null;
  if (locals === null || isEntry(locals)) {
    if (locals) yield locals;
    yield* unknownPlace(stateOfJurisdiction(context.base.state), { ...where, from: context.from, to: null });
    return;
  }
  yield* locals.entries;
  const lacksLocals = where.kind === 'span' && locals.codes.length === 0 && isStateAlone(rates, context.base);
  const flags = lacksLocals ? { flags: { ...where.flags, lacks_locals: true as const } } : {};
  yield { ...where, from: context.from, to: locals.to, locals: locals.codes, ...flags };
}

const areSame = (some: readonly WooRate[], others: readonly WooRate[]): boolean =>
  some.length === others.length && some.every((rate, index) => rate === others[index]);

/**
 * A ZIP has the rates without a city, and each city that its rows name has rates of its own there. A city that is named
 * without a ZIP takes precedence over a ZIP without rows; with rows of the ZIP, both sets of rates apply.
 */
function* zipEntries(
  context: LocalContext,
  zip: string,
  rates: readonly WooRate[],
  byName: ReadonlySet<string>,
): Generator<Entry> {
  const where = { kind: 'span', low: `${zip}0000`, high: `${zip}9999` } as const;
  const own = rates.filter(({ zips }) => zips !== null);
  const anywhere = ratesIn(rates, null);
  if (own.length === 0) {
    yield* placeEntries(
      context,
      anywhere,
      zip,
      byName.size > 0 ? { ...where, flags: { yields_to_city: true } } : where,
    );
    return;
  }
  yield* placeEntries(context, anywhere, zip, where);
  const named = citiesOf(own);
  for (const city of named.union(byName)) {
    const chosen = ratesIn(rates, city);
    const flags = { within_city: city };
    if (named.has(city)) {
      yield* placeEntries(context, chosen, city, { ...where, flags });
      if (!byName.has(city)) yield* placeEntries(context, chosen, city, { kind: 'city', city, flags });
    }
    if (!named.has(city) && !areSame(chosen, anywhere))
      yield* placeEntries(context, chosen, city, { ...where, flags: { ...flags, yields_to_city: true } });
  }
}

/**
 * Read the tax rates that WooCommerce exports (content notes 2): of the rates of one priority that match a place, the
 * most specific one applies; priorities add up. A row that names ZIPs and cities matches an address that has both. What a
 * state-wide row of the state's own rate leaves, or what is above the state's rate in the base release, are local taxes.
 * The rates of one state are held until the file ends.
 */
const readWooCommerce: Read = async function* (files, { state, base, undatedFrom: from = null, onProgress }) {
  const table = await openHeadedTable(onlyFile(files), wooColumns, onProgress);
  const rates: WooRate[] = [];
  const hold = (rate: WooRate | null): readonly Entry[] => {
    if (rate) assertFits(rates.push(rate), limits.heldRows, 'rows of the state');
    return [];
  };
  yield* readRows(table, (row) => readWooRate(row, state), hold, { ofBad: (row) => hold(readBadWooRate(row)) });
  const context: LocalContext = { pseudo: new PseudoJurisdictions(state), base, from, bad: new Set() };
  const anywhere = rates.filter(({ zips }) => zips === null).toSorted(bySpecificity);
  const byName = citiesOf(anywhere);
  for (const [zip, matching] of byZip(rates, state)) yield* zipEntries(context, zip, matching, byName);
  for (const city of byName) yield* placeEntries(context, ratesIn(anywhere, city), city, { kind: 'city', city });
};

export const woocommerce: Importer = {
  format: 'woocommerce',
  describe: 'Tax rates exported from WooCommerce',
  files: [{ option: 'file', describe: 'tax_rates.csv, 10 columns' }],
  onlyState: null,
  confidence: 'medium',
  match: 'zip',
  read: readWooCommerce,
};
