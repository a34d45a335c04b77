import * as z from 'zod/mini';
import type { ProductTaxCode } from '../../vocabulary/product-tax-code.ts';
import type { TreatmentName } from '../../vocabulary/treatment.ts';
import type { ResolvedEffect, ScaledRate, TaxabilityReason, Treatment, Uncertainty } from '../assessment.ts';

export type Use = 'business' | 'personal' | null;

/** The context in which an effect is resolved. */
export type EffectContext = {
  readonly product: ProductTaxCode;
  readonly use: Use;
  /** The rate on general goods. Lower rates are reported as reduced. */
  readonly general: ScaledRate;
  /** The treatment that applies without the rule. */
  readonly withoutRule: () => Treatment;
};

/** The amounts of a row as strings, for the explanation of an effect. */
type ExplainedRow = {
  readonly taxable: string;
  readonly exempt: string;
  readonly isTaxed: boolean;
  readonly rate: string;
  readonly reason: TaxabilityReason;
  /** The price that a threshold is compared with. */
  readonly price: string;
  /** Returns the price of all goods in the document to which the rule applies. */
  readonly sumGoods: () => string;
  /** Formats an amount per unit and, for several units, the amount for all units. */
  readonly perUnit: (amount: string) => string;
};

/** A schema of an object with the discriminator `type`. */
type EffectSchema<Type> = z.ZodMiniType<Type> & z.core.$ZodTypeDiscriminable<'type'>;

/** The effect of goods that are taxed at the general rate. */
type Taxable = { readonly type: 'taxable' };

/** The definition of one type of effect. */
export type EffectDefinition<Type> = {
  /** The schema in a release. A function, because calculations do not validate releases and should not build it. */
  readonly schema: () => EffectSchema<Type>;
  /**
   * Returns whether the effect contains amounts of money, which apply only to documents in the state's currency.
   * Absent: never.
   */
  readonly isInMoney?: (effect: Type) => boolean;
  /**
   * Resolves the effect in a different currency, where its amounts are not known. Absent: the row is `not_supported`.
   */
  readonly resolveWithoutAmounts?: (effect: Type) => ResolvedEffect;
  /** Whether the effect determines the tax even if the general rate is not established. */
  readonly needsNoRate?: true;
  /** Whether the effect taxes, or names another tax, even if the state's general rate is zero. */
  readonly taxesWithoutGeneralRate?: true;
  /**
   * Returns the effect at the general rate instead of its own rate, as under a flat tax of remote sellers; the same
   * effect if it has no rate.
   */
  readonly withoutOwnRate: (effect: Type) => Type | Taxable;
  /**
   * Whether the effect applies even to jurisdictions that exist only for a band or a fee (`thresholds.ts`,
   * `flat-fee.ts`).
   */
  readonly appliesToAdditionalJurisdictions?: true;
  /**
   * Returns whether net plus tax never falls as the net grows, at the general rate `general` (units of
   * `10^-rateDecimals`). Extracting included tax relies on it. Absent: always.
   */
  readonly isMonotonic?: (effect: Type, general: bigint) => boolean;
  readonly resolve: (effect: Type, context: EffectContext) => ResolvedEffect;
  /**
   * Returns the uncertainty that the effect adds for a product and its buyer, in addition to the rule's confidence;
   * `null` if none.
   */
  readonly uncertainty?: (effect: Type, context: Pick<EffectContext, 'product' | 'use'>) => Uncertainty | null;
  /** Describes the effect on one unit, as a clause after `is`: `exempt below 110 a unit`. */
  readonly describe: (effect: Type) => string;
  /** Explains the arithmetic of a row in a sentence. Absent if the rate step is enough. */
  readonly explain?: (effect: Type, row: ExplainedRow) => string;
  /** Returns the treatment name for `GET /coverage`, relative to a general rate in units of `10^-rateDecimals`. */
  readonly coverageTerm: (effect: Type, general: bigint) => TreatmentName;
};

/** Defines a type of effect. Its fields are inferred from its schema. */
export const defineEffect = <Type>(definition: EffectDefinition<Type>): EffectDefinition<Type> => definition;

/** `withoutOwnRate` of an effect that has no rate. */
export const unchanged = <Type>(effect: Type): Type => effect;

/** `withoutOwnRate` of an effect that taxes at its own rate. */
export const asTaxable = (): Taxable => ({ type: 'taxable' });

export const always = (): boolean => true;

/** Schemas of effect fields in a release. Functions, because only validation needs them. */

/** Returns the schema of a string that matches a pattern. */
export const text = (pattern: RegExp, advice: string) => z.string(advice).check(z.regex(pattern, advice));

/** Returns the schema of an amount in the state's currency: `110` or `0.27`. */
export const amount = () => text(/^\d{1,12}(\.\d{2})?$/, 'Use an amount as a string, such as "110" or "0.27".');

/** Returns the schema of a rate below 100 %, as a fraction: `0.0625`. */
export const rate = () =>
  text(/^0(\.\d{1,8})?$/, 'Use a fraction as a string, such as "0.0625" for 6.25 %: at most 8 decimals.');

/** Returns the schema of a fraction of the price, with at most 4 decimals: `0.8`. */
export const percent = () =>
  text(
    /^0\.(?=\d{0,3}[1-9])\d{1,4}$/,
    'Use a fraction above 0 and below 1 as a string, such as "0.8" for 80 %: at most 4 decimals.',
  );

export const flag = () => z.boolean('Use true or false.');

/** Product tax codes or families, without attributes. */
export const codes = () => {
  const advice = 'Use an array of product tax codes, such as ["CLOTHING.APPAREL"].';
  return z.array(text(/^[A-Z_]+(\.[A-Z_]+)*$/, advice), advice);
};

/** Returns the schema of a strict object with the discriminator `type`. */
export const typed = <const Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });
