/** The treatment that a taxability row specifies: the effects on state and local taxes, and their assumptions. */

import { assert } from '../../base/assert.ts';
import type { Dated } from '../../catalog/effective.ts';
import { stateRateOn } from '../../catalog/rates.ts';
import type { Effect, Release } from '../../catalog/release.ts';
import { type Confidence, formatFraction, parseUnits } from '../../catalog/release-values.ts';
import { effectDefinition, effectSchema } from '../../tax/effects/effects.ts';
import type { Conditions, RowAttributes, TaxabilityRow } from './rows.ts';

/** The treatment that a row specifies. `localAssumption` applies only to local taxes. */
export type RowAnswer = {
  readonly state: Effect;
  readonly local: Effect;
  readonly confidence: Confidence;
  readonly assumption: string;
  readonly localAssumption: string;
};

/** The treatment of one code by a rule: effects by level, with the attributes, the days and the law. */
export type Entry = Dated & {
  readonly code: string;
  readonly attributes: RowAttributes;
  readonly answer: RowAnswer;
  readonly citation: string;
};

const taxable: Effect = { type: 'taxable' };
const exempt: Effect = { type: 'exempt' };

/** A treatment that is not established at any level: taxed as general goods, with a warning. */
export const notEstablishedBecause = (reason: string): RowAnswer => ({
  state: { type: 'not_established', reason },
  local: { type: 'not_established', reason },
  confidence: 'low',
  assumption: '',
  localAssumption: '',
});

/** Converts a percentage to a fraction: `7.25` is `0.0725`. */
const fractionOfPercent = (percent: string): string => formatFraction(parseUnits(percent) / 100n);

const getGeneralRate = (release: Release): string => {
  const rate = stateRateOn(release, release.id.slice(6, 16));
  assert(rate !== undefined, `${release.id} has no general rate`);
  return rate.rate;
};

const getEffect = ({ treatment, state_rate, other_tax }: TaxabilityRow): Effect | null => {
  if (treatment === 'taxable') return taxable;
  if (treatment === 'exempt') return exempt;
  if (treatment === 'rate') return { type: 'rate', rate: fractionOfPercent(state_rate) };
  return treatment === 'not_sales_tax' ? { type: 'other_tax', name: other_tax } : null;
};

const effects = effectSchema();

/**
 * Parses an effect in the table of conditions, such as `threshold_rate amount=1000 rate=0.0775`. `own` is the rate of the
 * row or of the state, and `own+0.003` is 0.3 points more.
 */
const parseEffect = (type: string, fields: readonly string[], ownRate: string): Effect => {
  const values = fields.map((field) => {
    const [name, value = ''] = field.split('=');
    const own = /^own(?:\+(.+))?$/.exec(value);
    if (!own) return [name, value === 'true' || (value !== 'false' && value)];
    return [name, formatFraction(parseUnits(ownRate) + parseUnits(own[1] ?? '0'))];
  });
  const { success, data } = effects.safeParse({ type, ...Object.fromEntries(values) });
  assert(success, `conditions.csv has an invalid effect: ${[type, ...fields].join(' ')}`);
  return data;
};

/** Converts an answer of the conditions table to its effects on state and local tax; `null` if not established. */
const getEffects = (release: Release, row: TaxabilityRow, answer: string): readonly [Effect, Effect] | null => {
  const [name = '', ...fields] = answer.split(' ');
  if (name === 'open') return null;
  const ownRate = row.state_rate === '' ? getGeneralRate(release) : fractionOfPercent(row.state_rate);
  if (name === 'local_cap') return [getEffect(row) ?? taxable, parseEffect('base_cap', fields, ownRate)];
  const effect = name === 'as_row' ? getEffect(row) : parseEffect(name, fields, ownRate);
  return effect && [effect, getLocal(row, effect)];
};

/** Returns the effect on a local tax that follows the state at the general local rate. */
export const withLocalRate = (state: Effect): Effect => effectDefinition(state).withoutOwnRate(state);

const getLocal = ({ local }: TaxabilityRow, state: Effect): Effect => {
  if (state.type === 'other_tax' && local !== 'full') return state;
  if (local === 'none') return exempt;
  return local === 'full' ? taxable : withLocalRate(state);
};

/** In these states, cities that collect their own tax apply a municipal tax code. */
const statesWithSelfCollectingCities = ['AZ', 'CO'];

/** Taxes that are due in addition to sales tax, by code. */
const additionalTaxes: Readonly<Record<string, string>> = {
  'LODGING.HOTEL_ROOMS': 'Assumed: taxes on lodging that are due in addition are not part of this tax.',
  'RENTALS.VEHICLE_RENTAL': 'Assumed: surcharges on rental vehicles are not part of this tax.',
  'CANNABIS.ADULT_USE_CANNABIS': 'Assumed: excise taxes on cannabis are not part of this tax.',
  'TELECOM.TELECOMMUNICATIONS': 'Assumed: fees and surcharges on telecommunications are not part of this tax.',
  'MOTOR_VEHICLES.AUTO_PARTS': 'Assumed: fees on tires and batteries are not part of this tax.',
  'FOOD.PREPARED_FOOD': 'Assumed: local taxes on meals are not part of this tax.',
  'FOOD.CATERING': 'Assumed: local taxes on meals are not part of this tax.',
};

/**
 * Returns the sentence about taxes that are due in addition. Localities add no tax to a special rate on meals, except
 * in Vermont, where a hand-written rule sets the local tax.
 */
const findAdditionalTax = ({ code, attributes, treatment }: TaxabilityRow): string | undefined => {
  const taxedLike = attributes.split('+').includes('_HEATED') ? 'FOOD.PREPARED_FOOD' : code;
  return taxedLike.startsWith('FOOD.') && treatment !== 'taxable' ? undefined : additionalTaxes[taxedLike];
};

const inWords = ({ treatment, state_rate, other_tax }: TaxabilityRow): string => {
  const words: Readonly<Record<string, string>> = {
    rate: `taxed at ${state_rate} %`,
    not_sales_tax: `subject to a different tax (${other_tax})`,
    partial: 'taxed on a part of its price',
    threshold: 'taxed depending on a price threshold',
  };
  return words[treatment] ?? treatment;
};

/**
 * Returns the treatment that a row specifies. It is not established if the row has low confidence or a condition
 * without an assumption.
 */
export const getAnswer = (release: Release, row: TaxabilityRow, conditions: Conditions): RowAnswer => {
  const { treatment, confidence, condition, note, local, state } = row;
  if (treatment === 'unknown')
    return notEstablishedBecause(`The state's treatment is not known${note && `: ${note}`}.`);
  if (confidence === 'low') return notEstablishedBecause(`A low-confidence source lists it as ${inWords(row)}.`);
  const conditional = condition === '' ? { answer: 'as_row', assumption: '' } : conditions(row);
  const effects = conditional && getEffects(release, row, conditional.answer);
  if (!effects)
    return notEstablishedBecause(conditional?.assumption || 'It depends on a condition that an order does not show.');
  const [ofState, ofLocal] = effects;
  const isOtherTax = ofState.type === 'other_tax';
  const isOwn = local === 'own' && !isOtherTax;
  return {
    state: ofState,
    local: isOwn ? ownLocal : ofLocal,
    // A second review confirmed every sampled row of high confidence that could be checked. All other rows add a
    // warning.
    confidence: confidence === 'high' ? 'high' : 'medium',
    assumption: [conditional.assumption, isOtherTax ? undefined : findAdditionalTax(row)].filter(Boolean).join(' '),
    localAssumption:
      !isOwn && local === 'same' && ofLocal.type !== 'taxable' && statesWithSelfCollectingCities.includes(state)
        ? 'Assumed: a city that collects its own tax treats this like the state.'
        : '',
  };
};

/** Local taxes have separate rules for the product, but Levy has no rule for them. */
const ownLocal: Effect = {
  type: 'not_established',
  reason: 'Local taxes follow separate rules, which are not established.',
};
