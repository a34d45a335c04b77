import { isObjectOrArray } from '../../base/json.ts';
import { type AnswerFields, calculationAnswerFields } from '../../calculations/answer-fields.ts';
import type { Transaction } from '../transaction.ts';
import type { ReplayDifference } from './response.ts';

/** Fields of an answer that are no figures: identification of the engine, and texts. */
const { object: _o, engine_version: _e, warnings: _w, explanation: _x, ...computed } = calculationAnswerFields;

/** All computed fields of a transaction. */
export type ReplayTotals = Pick<
  Transaction,
  Exclude<keyof typeof computed, 'line_items' | 'shipping'> | 'line_items' | 'shipping' | 'calculated_tax_amount'
>;

const figureFields: AnswerFields = { ...computed, calculated_tax_amount: true };

const toText = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));

/** Escape a key for a JSON Pointer (RFC 6901). */
const segment = (key: string) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const namesIn = (recorded: unknown, replayed: unknown): string[] => [
  ...new Set([recorded, replayed].flatMap((value) => (isObjectOrArray(value) ? Object.keys(value) : []))),
];

const compare = (
  recorded: unknown,
  replayed: unknown,
  fields: AnswerFields | true,
  pointer: string,
): ReplayDifference[] => {
  if (!isObjectOrArray(recorded) && !isObjectOrArray(replayed)) {
    const texts = { recorded: toText(recorded), replayed: toText(replayed) };
    return texts.recorded === texts.replayed ? [] : [{ pointer, ...texts }];
  }
  const isList = Array.isArray(recorded) || Array.isArray(replayed);
  return namesIn(recorded, replayed).flatMap((name) => {
    const below = fields === true || isList ? fields : Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (below === undefined) return [];
    const inner = (value: unknown) => (isObjectOrArray(value) && Object.hasOwn(value, name) ? value[name] : null);
    return compare(inner(recorded), inner(replayed), below, `${pointer}${segment(name)}`);
  });
};

/** Every computed value that differs from the recorded one, leaf by leaf, in the order of the transaction. */
export const listDifferences = (recorded: ReplayTotals, replayed: ReplayTotals): ReplayDifference[] =>
  compare(recorded, replayed, figureFields, '');
