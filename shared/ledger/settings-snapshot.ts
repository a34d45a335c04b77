import * as z from 'zod/mini';
import { Settings } from '../accounts/account.ts';
import { reviewCodes } from '../calculations/warning-codes.ts';
import { minorUnits } from '../money/minor-units.ts';
import { taxabilityReasons } from '../tax/assessment.ts';

/**
 * The account settings that affect a calculation. Each transaction stores them, so a replay is unaffected by later
 * changes to the account's settings.
 */
export const SettingsSnapshot = z.pick(Settings, {
  rounding: true,
  registrations: true,
  ship_from: true,
  ambiguous_address: true,
  incomplete_coverage: true,
  pass_on_general_excise: true,
  remote_seller_elections: true,
  retail_delivery_fee: true,
});
export type SettingsSnapshot = z.infer<typeof SettingsSnapshot>;

/**
 * Why a part of the gross is exempt because of the buyer: the certificate's reason (`customer` for any other reason),
 * or SNAP benefits.
 */
export const buyerExemptions = ['resale', 'government', 'nonprofit', 'direct_pay', 'customer', 'snap'] as const;

/** The certificates with a reason, and the amount that they exempt of a shipping charge in a jurisdiction. */
const ExemptPart = z.object({
  reason: z.enum(buyerExemptions),
  certificate_numbers: z.array(z.string()),
  amount: minorUnits,
});
export type ExemptPart = z.infer<typeof ExemptPart>;

/** The state of a sale when a credit was computed: its recorded tax, and the encoded amounts of its live credits. */
const SaleState = z.object({ tax_amount: z.string(), credited: z.string() });
export type SaleState = z.infer<typeof SaleState>;

/** The data that a transaction was computed from, in addition to its inputs, and that its open entries depend on. */
export const RecordedBasis = z.object({
  /** The kind of credit request. Finalizing a draft needs it to recompute the credit. */
  creditOf: z.nullable(z.enum(['all', 'remaining', 'lines'])),
  /**
   * For a credit of a sale: the sale's state used for the credit's amounts, and the state used for its tax if the tax
   * was replaced later. Absent on other transactions.
   */
  creditBasis: z.optional(z.object({ figures: SaleState, tax: z.nullable(SaleState) })),
  /** The pinned account settings of the calculation. */
  settingsSnapshot: SettingsSnapshot,
  /**
   * The reason for no tax that `over_collected` replaced, on the transaction or on a credit's sale. Absent if none was
   * replaced.
   */
  replacedReason: z.optional(z.enum(taxabilityReasons)),
  /** The parts of charges with separate addresses that certificates exempt (`exemptDelivery`). Absent if there are none. */
  exemptDeliveries: z.optional(z.array(z.string())),
  /**
   * The exempt parts of shipping charges (`shippingIn`). A sale has the parts of charges with separate addresses, keyed
   * by charge and state, in proportion to the net amounts of the lines. A credit has its share of the sale's parts, keyed
   * by charge and jurisdiction. Absent if no certificate exempts shipping.
   */
  exemptShipping: z.optional(z.record(z.string(), z.array(ExemptPart))),
  /**
   * For a credit: the states (`US-TX`) in which its sale shipped goods from a place within the state. Shipping of these
   * goods is also within the state. Absent if there are none.
   */
  shippedInside: z.optional(z.array(z.string())),
  /**
   * For a credit: the reduced rates of its sale for goods other than food and health products. Absent if there are
   * none.
   */
  otherReducedRates: z.optional(z.array(z.string())),
  /**
   * The calculated tax for each row of the lines and then of the shipping charges. For a finalized credit of a sale:
   * the calculated tax that it takes from the sale. Absent if it equals the recorded tax.
   */
  calculatedTaxes: z.optional(z.array(minorUnits)),
  /** For a credit with `calculatedTaxes`: its sale recorded less than the calculated tax, so no tax is over-collected. */
  isUnderCollected: z.optional(z.literal(true)),
  /**
   * For a finalized credit of a sale: the states (`US-TX`) in which it has an entry only because its sale has one. An
   * example is a line without tax whose sale recorded all of its tax on a different line. Absent if there are none.
   */
  statesOfSale: z.optional(z.array(z.string())),
  /**
   * For a finalized transaction: the codes of its warnings that can change its tax, by state (`US-TX`). A credit
   * includes the codes of its sale. Absent if there are none. Warnings about later updates are not included.
   */
  review: z.optional(z.record(z.string(), z.array(z.enum(reviewCodes)))),
});
export type RecordedBasis = Readonly<z.output<typeof RecordedBasis>>;
export type CreditBasis = NonNullable<RecordedBasis['creditBasis']>;

const names = Object.keys(SettingsSnapshot.shape) as (keyof SettingsSnapshot)[];

/** Returns the settings to pin. */
export const snapshotSettings = (settings: SettingsSnapshot): SettingsSnapshot =>
  Object.fromEntries(names.map((name) => [name, settings[name]])) as SettingsSnapshot;
