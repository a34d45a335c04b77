import { codePart } from '../../catalog/local/place-names.ts';
import { stateRateOn } from '../../catalog/rates.ts';
import type { Release } from '../../catalog/release.ts';
import { formatFraction, formatPercent, parseUnits, rateDecimals } from '../../catalog/release-values.ts';
import { openHeadedTable, readRows } from '../files/columns.ts';
import { type City, type Entry, type Importer, type Read, type Span, unknownPlace, wholeZip } from '../importer.ts';
import { assertFits, limits } from '../limits.ts';
import { type Component, isSplit, newPseudoCodes, type PseudoCodes } from '../pseudo-jurisdictions.ts';
import {
  type Choice,
  type Choose,
  indexByCity,
  isStateWide,
  type MatchesByCity,
  matchesByZip,
  newChoose,
  readBadWooRate,
  readWooRate,
  type WooRate,
  wooColumns,
} from './rates.ts';

type LocalContext = {
  readonly state: string;
  readonly getCode: PseudoCodes;
  readonly base: Release;
  /** The first day of all rates; `null` for `established_from` of the base. */
  readonly from: string | null;
  /** Lines already reported as bad: a row with many ZIPs counts as one bad row. */
  readonly bad: Set<number>;
  /** Lines that already have a remark. */
  readonly remarked: Set<number>;
};

const one = 10n ** BigInt(rateDecimals);

/** The share of a rate in the tax on a price, in units of `10^-rateDecimals`. */
type Share = { readonly rate: WooRate; readonly units: bigint };

const total = (shares: readonly Share[]): bigint => shares.reduce((sum, { units }) => sum + units, 0n);

/**
 * Returns the shares of rates that apply together: rates that are not compound add up, and each compound rate applies
 * to the price with all preceding taxes (`WC_Tax::calc_exclusive_tax`). `null` if a share needs more decimals than a
 * rate can have.
 */
const listShares = (rates: readonly WooRate[]): readonly Share[] | null => {
  const shares: Share[] = rates
    .filter(({ isCompound }) => !isCompound)
    .map((rate) => ({ rate, units: parseUnits(rate.rate) }));
  for (const rate of rates.filter(({ isCompound }) => isCompound)) {
    const product = parseUnits(rate.rate) * (one + total(shares));
    if (product % one !== 0n) return null;
    shares.push({ rate, units: product / one });
  }
  return shares;
};

/** Returns the combined rate of rates that apply together, as a fraction; `null` as in `listShares`. */
const getCombined = (rates: readonly WooRate[]): string | null => {
  const shares = listShares(rates);
  return shares && formatFraction(total(shares));
};

/** Returns the state's rate in the base release on the first day of the file's rates. */
const getStateRate = ({ base, from }: Pick<LocalContext, 'base' | 'from'>) =>
  stateRateOn(base, from ?? base.established_from);

/** Returns whether a combined rate is the state's rate, or the state's rate without the mandatory local taxes. */
const isRateOfState = (state: string, combined: string | null, stateRate: string | undefined): boolean =>
  combined !== null && stateRate !== undefined && (combined === stateRate || isSplit(state, combined, stateRate));

/**
 * Returns the level of an otherwise unknown local tax. If the state has rules only for its counties (North Carolina's 2
 * % on food), it is `county`: every place there has a county, and other local taxes are small.
 */
const unnamedLevel = ({ rules }: Release): Component['level'] =>
  rules.some(({ levels }) => levels?.includes('county') && !levels.includes('district')) ? 'county' : 'district';

const getLevel = (name: string, base: Release): Component['level'] => {
  if (/\bcounty\b/i.test(name)) return 'county';
  return /\bcity\b/i.test(name) ? 'city' : unnamedLevel(base);
};

const labels = { county: 'COUNTY', city: 'CITY', district: 'LOCAL' } as const;

/**
 * Splits shares into local taxes. If one share is the state's rate, the others are local taxes; otherwise the part
 * above the state's rate is one local tax. Shares with the same name are one tax, because its code is made from the
 * name.
 */
const listParts = (shares: readonly Share[], stateUnits: bigint, place: string, base: Release) => {
  const state = shares.find(({ rate, units }) => isStateWide(rate) && units === stateUnits);
  if (!state) return [{ level: unnamedLevel(base), place, units: total(shares) - stateUnits }];
  const locals = shares.filter((share) => share !== state);
  return [...Map.groupBy(locals, ({ rate }) => codePart(rate.name))].map(([, ofName]) => {
    const name = ofName[0]?.rate.name ?? '';
    return { level: getLevel(name, base), place: `${name} ${place}`, units: total(ofName) };
  });
};

/**
 * Yields the local taxes of the rates that apply at a place, or a bad row. Returns their codes; `null` if they cannot be
 * determined.
 */
function* listLocals(
  { state: letters, getCode, base, from, bad }: LocalContext,
  rates: readonly WooRate[],
  place: string,
): Generator<Entry, readonly string[] | null> {
  const refuse = function* (row: WooRate | undefined, reason: string): Generator<Entry, null> {
    const line = row?.line ?? 0;
    bad.add(line);
    yield { kind: 'bad', line, reason };
    return null;
  };
  const state = getStateRate({ base, from });
  const known = state ? formatPercent(state.rate) : 'nothing';
  const shares = listShares(rates);
  if (shares === null)
    return yield* refuse(
      rates.find(({ isCompound }) => isCompound),
      `compounds to a rate of more than ${rateDecimals} decimals: write the resulting rate, and 0 in column Compound`,
    );
  const wide = getCombined(rates.filter(isStateWide));
  if (wide !== '0' && !isRateOfState(letters, wide, state?.rate))
    return yield* refuse(
      rates.find(isStateWide),
      `applies to the whole state with ${wide ? formatPercent(wide) : 'no rate'}, but the state's rate in the release is ${known}: correct the row, because the other rows are added to it`,
    );
  if (!state || total(shares) < parseUnits(state.rate))
    return yield* refuse(
      rates[0],
      `the combined rate of ${place} is ${formatPercent(formatFraction(total(shares)))}, but the state's rate in the release is ${known}: correct the rate`,
    );
  const codes: string[] = [];
  for (const { units, ...part } of listParts(shares, parseUnits(state.rate), place, base)) {
    if (units === 0n) continue;
    const component = { ...part, rate: formatFraction(units), from, to: state.to };
    const made = getCode({ ...component, label: labels[part.level], distinction: 'OTHER' });
    yield* made.entries;
    codes.push(made.code);
  }
  return codes;
}

const overtakingReason =
  'overlaps a less specific row of the same priority, which WooCommerce would apply because it has more ZIPs or cities or is earlier: the more specific row is used';

/** Reports overlapping rows of one priority, each once. */
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

/** Yields the entries of a place. If only statewide rates apply, the fallback release covers the place. */
function* placeEntries(context: LocalContext, choice: Choice, place: string, where: Where): Generator<Entry> {
  const { rates, conflict } = choice;
  if (rates.every(isStateWide)) return;
  yield* overlapEntries(context, choice, place);
  const isKnown = conflict === null && rates.every(({ isBad, line }) => !isBad && !context.bad.has(line));
  const locals = isKnown ? yield* listLocals(context, rates, place) : null;
  const { from } = context;
  if (locals) yield { ...where, from, to: getStateRate(context)?.to ?? null, locals };
  else yield* unknownPlace(context.state, { ...where, from, to: null });
}

const areSame = (some: readonly WooRate[], others: readonly WooRate[]): boolean =>
  some.length === others.length && some.every((rate, index) => rate === others[index]);

/**
 * Yields the entries of a ZIP. Each city in its rows has separate rates there; the rest of the ZIP has the rates
 * without a city. For a city that is listed without a ZIP, both sets of rates apply.
 */
function* zipEntries(
  context: LocalContext,
  zip: string,
  matches: MatchesByCity,
  ofState: MatchesByCity,
  choose: Choose,
): Generator<Entry> {
  const where = wholeZip(zip);
  const chosenIn = (city: string | null) => choose([...matches.in(city), ...ofState.in(city)]);
  const anywhere = chosenIn(null);
  yield* placeEntries(context, anywhere, zip, where);
  const [named, byName] = [matches.cities, ofState.cities];
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

/** Reports the effect of statewide rows: they refer to no place, so they are not local taxes. */
function* stateWideEntries(context: LocalContext, wide: Choice, state: string): Generator<Entry> {
  yield* overlapEntries(context, wide, `all of ${state}`);
  const { rates, conflict } = wide;
  if (rates.length === 0 || conflict !== null || rates.some(({ isBad }) => isBad)) return;
  const lines = `${rates.length === 1 ? 'line' : 'lines'} ${rates.map(({ line }) => line).join(' and ')}`;
  const combined = getCombined(rates);
  const known = getStateRate(context)?.rate;
  const what = isRateOfState(state, combined, known)
    ? "repeats the state's rate"
    : `has ${combined === null ? 'a rate' : formatPercent(combined)}, which is not the state's rate (${known ? formatPercent(known) : 'unknown'}) and no local tax of a place`;
  yield {
    kind: 'note',
    sentence: `The rate for all of ${state} in ${lines} ${what}. The fallback release, with its local rates, covers the ZIPs and cities that are in no other row.`,
  };
}

/** Yields the entries of all readable rows. */
function* tableEntries(rates: readonly WooRate[], context: LocalContext): Generator<Entry> {
  const choose = newChoose();
  const { state } = context;
  const anywhere = indexByCity(rates.filter(({ zips }) => zips === null).map((rate) => ({ rate, width: 0 })));
  const byName = anywhere.cities;
  assertFits(byName.size, limits.cities, 'cities');
  const byZip = [...matchesByZip(rates, state)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  assertFits(byZip.length * byName.size, limits.citiesInZips, 'ZIP codes with cities that rows name without a ZIP');
  for (const [zip, matches] of byZip) yield* zipEntries(context, zip, indexByCity(matches), anywhere, choose);
  for (const city of byName) yield* placeEntries(context, choose(anywhere.in(city)), city, { kind: 'city', city });
  yield* stateWideEntries(context, choose(anywhere.in(null)), state);
}

/**
 * Reads the tax rates that WooCommerce exports. For each priority, the most specific rate that matches a place
 * applies; priorities add up, and compound rates apply to the sum. A row with ZIPs and cities matches an address that
 * has both. The part above the state's rate in the base release is local tax. A statewide row is not a tax of any
 * place: other rows add their rates to it, and the fallback release applies elsewhere. The rates of one state are kept
 * in memory until the file ends.
 */
const readWooCommerce: Read = async function* ([path = ''], { state, base, undatedFrom: from = null, onProgress }) {
  const table = await openHeadedTable(path, wooColumns, { onProgress, inOrder: true });
  const rates: WooRate[] = [];
  const hold = (rate: WooRate): readonly Entry[] => {
    assertFits(rates.push(rate), limits.heldRows, 'rows of the state');
    return [];
  };
  yield* readRows(table, (row) => readWooRate(row, state), hold, { ofBad: (row) => hold(readBadWooRate(row)) });
  yield* tableEntries(rates, {
    state,
    getCode: newPseudoCodes(state),
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
