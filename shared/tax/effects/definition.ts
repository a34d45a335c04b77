import * as z from 'zod/mini';
import type { ProductTaxCode } from '../../vocabulary/product-tax-code.ts';
import type { TreatmentName } from '../../vocabulary/treatment.ts';
import type { ResolvedEffect, ScaledRate, TaxabilityReason, Treatment, Uncertainty } from '../assessment.ts';

export type Use = 'business' | 'personal' | null;

/** The context in which an effect is resolved. */
export type EffectContext = {
  readonly product: ProductTaxCode;
  readonly use: Use;
  /** The rate on general goods. A lower rate is a reduced one. */
  readonly general: ScaledRate;
  /** The treatment that applies without the rule. */
  readonly withoutRule: () => Treatment;
};

/** The figures of a row, as texts, for the explanation of an effect. */
type ExplainedRow = {
  readonly taxable: string;
  readonly exempt: string;
  readonly isTaxed: boolean;
  readonly rate: string;
  readonly reason: TaxabilityReason;
  /** The price that a threshold is compared with. */
  readonly price: string;
  /** An amount per unit, and for all units where there are several. */
  readonly perUnit: (amount: string) => string;
};

/** A schema of an object that its field `type` distinguishes from others. */
type EffectSchema<Type> = z.ZodMiniType<Type> & z.core.$ZodTypeDiscriminable<'type'>;

/** Everything about one type of effect. */
export type EffectDefinition<Type> = {
  /** The shape in a release. A function, because calculations do not validate releases and must not pay for building it. */
  readonly schema: () => EffectSchema<Type>;
  /** Whether the effect has amounts of money. They apply to documents in the state's currency only. Absent: never. */
  readonly isInMoney?: (effect: Type) => boolean;
  /** Whether the effect determines the tax even where the general rate is not established. */
  readonly isWholeAnswer?: true;
  /** Whether the effect taxes even where the state's general rate is zero. */
  readonly taxesWithoutGeneralRate?: true;
  /** Whether the effect applies even to jurisdictions that exist for a band or a fee alone (`band.ts`, `flat-fee.ts`). */
  readonly appliesToAdditionalJurisdictions?: true;
  /**
   * Whether net plus tax never falls as the net grows, where the general rate is `general` (units of `10^-rateDecimals`).
   * Extracting included tax relies on it. Absent: always.
   */
  readonly isMonotonic?: (effect: Type, general: bigint) => boolean;
  readonly resolve: (effect: Type, context: EffectContext) => ResolvedEffect;
  /**
   * The uncertainty that the effect leaves about a product and its buyer, beyond the confidence in the rule; `null` if
   * none.
   */
  readonly uncertainty?: (effect: Type, context: Pick<EffectContext, 'product' | 'use'>) => Uncertainty | null;
  /** A description of the effect on one unit, as a clause after `is`: `exempt below 110 a unit`. */
  readonly describe: (effect: Type) => string;
  /** The arithmetic of a row, as a sentence. Absent if the rate step is enough. */
  readonly explain?: (effect: Type, row: ExplainedRow) => string;
  /** The word of `GET /coverage`, next to a general rate in units of `10^-rateDecimals`. */
  readonly coverageTerm: (effect: Type, general: bigint) => TreatmentName;
};

/** A type of effect, whose fields are those of its schema. */
export const defineEffect = <Type>(definition: EffectDefinition<Type>): EffectDefinition<Type> => definition;

export const always = (): boolean => true;

/** The fields of effects in a release. Each call builds a schema: only validation needs them. */

const text = (pattern: RegExp, advice: string) => z.string(advice).check(z.regex(pattern, advice));

/** An amount of the state's currency: `110` or `0.27`. */
export const amount = () => text(/^\d{1,12}(\.\d{2})?$/, 'Use an amount as a string, such as "110" or "0.27".');

/** A rate below 100 %, as a fraction: `0.0625`. */
export const rate = () =>
  text(/^0(\.\d{1,8})?$/, 'Use a fraction as a string, such as "0.0625" for 6.25 %: at most 8 decimals.');

export const flag = () => z.boolean('Use true or false.');

/** Product tax codes or families, without attributes. */
export const codes = () => {
  const advice = 'Use an array of product tax codes, such as ["CLOTHING.APPAREL"].';
  return z.array(text(/^[A-Z_]+(\.[A-Z_]+)*$/, advice), advice);
};

/** An object of one type of effect, without any other field. */
export const typed = <const Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });
