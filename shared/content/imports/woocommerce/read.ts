import type { Entry } from '../entry.ts';
import { openHeadedTable } from '../files/headed-rows.ts';
import { onlyFile, readRows } from '../files/read-rows.ts';
import type { Read } from '../importers.ts';
import { PseudoJurisdictions } from '../pseudo-jurisdictions.ts';
import { zipsOfState } from '../zips.ts';
import { type LocalContext, localsOf } from './locals.ts';
import { bySpecificity, ratesIn } from './match.ts';
import { readWooRate, type WooRate, wooColumns } from './rate-row.ts';

/** The rates that match each ZIP of the state, in their order. */
const byZip = (rates: readonly WooRate[], state: string): ReadonlyMap<string, readonly WooRate[]> => {
  const everywhere = rates.filter(({ zips }) => zips === null);
  const listed = new Map<string, WooRate[]>();
  const zips = zipsOfState(state);
  const touched = (low: string, high: string) => zips.filter((zip) => low <= zip && zip <= high);
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

function* placeEntries(
  context: LocalContext,
  rates: readonly WooRate[],
  place: string,
  where: Readonly<{ kind: 'span'; low: string; high: string } | { kind: 'city'; city: string }>,
): Generator<Entry> {
  if (rates.length === 0 || context.bad.has((rates[0] as WooRate).line)) return;
  const locals = localsOf(context, rates, place);
  if (isEntry(locals)) {
    yield locals;
    return;
  }
  yield* locals.entries;
  yield { ...where, from: null, to: locals.to, locals: locals.codes };
}

/** A ZIP has the rates that no city bounds, and those of each city that its rows name: with several it is ambiguous. */
function* zipEntries(context: LocalContext, zip: string, rates: readonly WooRate[]): Generator<Entry> {
  const where = { kind: 'span', low: `${zip}0000`, high: `${zip}9999` } as const;
  const own = rates.filter(({ zips }) => zips !== null);
  for (const city of citiesOf(own)) yield* placeEntries(context, ratesIn(rates, city), city, where);
  yield* placeEntries(context, ratesIn(rates, null), zip, where);
}

/**
 * Read the tax rates that WooCommerce exports (content notes 2): of the rates of one priority that match a place, the
 * most specific one applies; priorities add up. What a state-wide row of the state's own rate leaves, or what is above
 * the state's rate in the base release, are local taxes. The rates of one state are held until the file ends.
 */
export const readWooCommerce: Read = async function* (files, { state, base, onProgress }) {
  const table = await openHeadedTable(onlyFile(files), wooColumns, onProgress);
  const rates: WooRate[] = [];
  yield* readRows(
    table,
    (row) => readWooRate(row, state),
    (rate) => {
      rates.push(rate);
      return [];
    },
  );
  const context: LocalContext = { pseudo: new PseudoJurisdictions(state), base, bad: new Set() };
  for (const [zip, matching] of byZip(rates, state)) yield* zipEntries(context, zip, matching);
  const anywhere = rates.filter(({ zips }) => zips === null).toSorted(bySpecificity);
  for (const city of citiesOf(anywhere))
    yield* placeEntries(context, ratesIn(anywhere, city), city, { kind: 'city', city });
};
