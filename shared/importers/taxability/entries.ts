import { dayAfter, dayBefore } from '../../base/calendar.ts';
import { type Dated, shareDays } from '../../catalog/effective.ts';
import type { Effect } from '../../catalog/release.ts';
import type { PlainEffect } from '../../tax/effects/use-split.ts';
import { type Entry, notEstablishedBecause, type RowAnswer } from './answers.ts';
import { getProduct, getRequired, type RowAttributes, requiring } from './rows.ts';

// Merges entries for business and personal use into one with the effect `use_split`, which reads the buyer's use.

const uses = ['_BUSINESS_USE', '_PERSONAL_USE'];

const getUse = ({ attributes }: Entry): string | undefined =>
  getRequired(attributes).find((code) => uses.includes(code));

const isPlain = (effect: Effect): effect is PlainEffect => ['taxable', 'exempt', 'rate'].includes(effect.type);

const isPlainEntry = ({ answer: { state, local } }: Entry): boolean => isPlain(state) && isPlain(local);

/** Returns a key of an entry's attributes, excluding the use attributes. */
const getKey = ({ attributes }: Entry): string =>
  JSON.stringify([getRequired(attributes).filter((code) => !uses.includes(code)), attributes.none]);

const combineUses = (business: Effect, personal: Effect, unknown: Effect): Effect =>
  isPlain(business) && isPlain(personal) && isPlain(unknown) && JSON.stringify(business) !== JSON.stringify(personal)
    ? { type: 'use_split', business, personal, unknown }
    : unknown;

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts.filter((text) => text !== ''))];

const merge = (unknown: Entry, members: readonly Entry[]): Entry => {
  const answerFor = (use: string): RowAnswer => (members.find((entry) => getUse(entry) === use) ?? unknown).answer;
  const [business, personal] = [answerFor('_BUSINESS_USE'), answerFor('_PERSONAL_USE')];
  return {
    ...unknown,
    attributes: requiring(getRequired(unknown.attributes), unknown.attributes.none),
    answer: {
      ...unknown.answer,
      state: combineUses(business.state, personal.state, unknown.answer.state),
      local: combineUses(business.local, personal.local, unknown.answer.local),
      assumption: distinct([unknown, ...members].map(({ answer }) => answer.assumption)).join(' '),
    },
    citation: distinct([unknown, ...members].map(({ citation }) => citation)).join('; '),
  };
};

const isWithinDays = (inner: Dated, outer: Dated): boolean =>
  (outer.from === null || (inner.from !== null && outer.from <= inner.from)) &&
  (outer.to === null || (inner.to !== null && inner.to <= outer.to));

/** Returns the days of an entry minus the days of other entries, which are within it and do not overlap. */
const daysWithout = ({ from, to }: Dated, others: readonly Dated[]): readonly Dated[] => {
  const sorted = others.toSorted((left, right) => ((left.from ?? '') < (right.from ?? '') ? -1 : 1));
  const starts = [from, ...sorted.map((one) => one.to && dayAfter(one.to))];
  const ends = [...sorted.map((one) => one.from && dayBefore(one.from)), to];
  return starts.flatMap((start, index): Dated[] => {
    const end = ends[index] ?? null;
    const [isFirst, isLast] = [index === 0, index === sorted.length];
    // There are no days before an entry without a first day, or after one without a last day.
    if ((!isFirst && start === null) || (!isLast && end === null)) return [];
    return start === null || end === null || start <= end ? [{ from: start ?? null, to: end }] : [];
  });
};

const isByUse = (entry: Entry): boolean => getUse(entry) !== undefined;

/** Returns the attributes of an entry, excluding the use attributes. */
const withoutUse = ({ attributes }: Entry): RowAttributes =>
  requiring(
    getRequired(attributes).filter((code) => !uses.includes(code)),
    attributes.none,
  );

/**
 * Merges the entries by use in a group whose other attributes are the same. If the group has no entry without a use,
 * the code's entry without attributes (`plain`) is the base.
 */
const mergeGroup = (group: readonly Entry[], plain: readonly Entry[]): readonly Entry[] => {
  const byUse = group.filter(isByUse);
  const [first] = byUse;
  if (!first) return group;
  const own = group.filter((entry) => !isByUse(entry));
  const unknown = own.length > 0 ? own : plain.map((entry) => ({ ...entry, attributes: withoutUse(first) }));
  const periods = [...Map.groupBy(byUse, ({ from, to }) => JSON.stringify([from, to])).values()];
  const merged = periods.flatMap((members) => {
    const [{ from, to } = { from: null, to: null }] = members;
    const base = unknown.find((entry) => isWithinDays({ from, to }, entry));
    return base ? [merge({ ...base, from, to }, members)] : [];
  });
  if (merged.length < periods.length || ![...byUse, ...unknown].every(isPlainEntry)) return group;
  const rest = own.flatMap((entry) =>
    daysWithout(
      entry,
      merged.filter((other) => isWithinDays(other, entry)),
    ).map((days) => ({ ...entry, ...days })),
  );
  return [...merged, ...rest];
};

const isSameAnswer = (left: Entry, right: Entry): boolean =>
  JSON.stringify([left.answer, left.from, left.to]) === JSON.stringify([right.answer, right.from, right.to]);

/**
 * Returns the entries of a code. Entries by use are merged, on their days, into the entry without a use that has the
 * same other attributes. Entries that cannot be merged remain unchanged and apply only to products with the attribute.
 * If the code itself is split by use, an entry with a different attribute and the same treatment is left out, because
 * the split covers it.
 */
export const splitByUse = (entries: readonly Entry[]): readonly Entry[] => {
  const groups = [...Map.groupBy(entries, getKey).values()];
  const isPlain = (entry: Entry): boolean => getRequired(withoutUse(entry)).length === 0;
  const plain = entries.filter((entry) => isPlain(entry) && !isByUse(entry));
  const isSplit = entries.some((entry) => isPlain(entry) && isByUse(entry));
  const repeats = (group: readonly Entry[]): boolean =>
    isSplit && !group.some(isPlain) && group.every((entry) => plain.some((base) => isSameAnswer(entry, base)));
  return groups.filter((group) => !repeats(group)).flatMap((group) => mergeGroup(group, plain));
};

const getSet = (codes: readonly string[]): string => [...new Set(codes)].sort().join('+');

const getContent = ({ answer: { state, local }, from, to }: Entry): string => JSON.stringify([state, local, from, to]);

const resolveTie = (left: Entry, right: Entry, known: ReadonlySet<string>): Entry[] => {
  const [leftCodes, rightCodes] = [getRequired(left.attributes), getRequired(right.attributes)];
  const union = [...new Set([...leftCodes, ...rightCodes])];
  // The entry with more attributes decides.
  if (leftCodes.length !== rightCodes.length || union.length === leftCodes.length || known.has(getSet(union)))
    return [];
  if ([...left.attributes.none, ...right.attributes.none].some((code) => union.includes(code))) return [];
  if (getContent(left) === getContent(right) || !shareDays(left, right) || getProduct(left.code, union) === null)
    return [];
  const reason = `Products with ${getSet(leftCodes)} and products with ${getSet(rightCodes)} are treated differently, and no source covers products with both.`;
  return [{ ...left, attributes: requiring(union), answer: notEstablishedBecause(reason), from: null, to: null }];
};

/**
 * Returns entries with a treatment that is not established, for products with the attributes of two conflicting entries
 * of a code. Skips a pair if an entry covers both. `others` are hand-written rules, which do not conflict with each
 * other.
 */
export const tiesAmong = (entries: readonly Entry[], others: readonly Entry[]): readonly Entry[] => {
  const known = new Set([...entries, ...others].map(({ attributes }) => getSet(getRequired(attributes))));
  const ties = new Map<string, Entry>();
  for (const [index, left] of entries.entries())
    for (const right of [...entries.slice(index + 1), ...others])
      for (const tie of resolveTie(left, right, known)) ties.set(getSet(getRequired(tie.attributes)), tie);
  const added = [...ties.values()];
  return added.length === 0 ? [] : [...added, ...tiesAmong([...entries, ...added], others)];
};
