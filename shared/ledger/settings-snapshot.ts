import * as z from 'zod/mini';
import { Settings } from '../accounts/account.ts';
import { minorUnits } from '../money/minor-units.ts';
import { taxabilityReasons } from '../tax/assessment.ts';

/**
 * The account settings that affect a calculation. A transaction stores them, so that a replay gives the same figures after
 * the account changes its settings.
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

/** The state of a sale when a credit was computed: its recorded tax, and the amounts of its live credits as text. */
const SaleState = z.object({ tax_amount: z.string(), credited: z.string() });
export type SaleState = z.infer<typeof SaleState>;

/** What a transaction was computed from, besides its inputs, and what its open entries depend on. */
export const RecordedBasis = z.object({
  /** The kind of credit request, so that finalizing can compute it again. */
  creditOf: z.nullable(z.enum(['all', 'remaining', 'lines'])),
  /**
   * For a credit of a sale: the state of the sale for the credit's figures, and for its tax where the tax was replaced
   * later. Absent on other transactions.
   */
  creditBasis: z.optional(z.object({ figures: SaleState, tax: z.nullable(SaleState) })),
  /** The pinned account settings of the calculation. */
  settingsSnapshot: SettingsSnapshot,
  /**
   * The reason for no tax that `over_collected` replaced, on the transaction or on a credit's sale. Absent where it
   * replaced none.
   */
  replacedReason: z.optional(z.enum(taxabilityReasons)),
  /** For a credit: why certificates exempt the shipping of its sale, by state. Absent where none does. */
  exemptShipping: z.optional(z.record(z.string(), z.enum(['resale', 'customer', 'snap']))),
  /**
   * For a finalized credit of a sale: the calculated tax that it takes from the sale, for each row of its lines and
   * then of its shipping charges. Absent where it equals the recorded tax.
   */
  calculatedTaxes: z.optional(z.array(minorUnits)),
  /**
   * For a credit with `calculatedTaxes`: less than the calculated tax was recorded on its sale, so none is
   * over-collected.
   */
  isUnderCollected: z.optional(z.literal(true)),
  /**
   * For a finalized credit of a sale: the states (`US-TX`) in which it has an entry only because its sale has one, such
   * as for a line without tax of a sale whose tax was all recorded on another line. Absent without any.
   */
  statesOfSale: z.optional(z.array(z.string())),
});
export type RecordedBasis = Readonly<z.output<typeof RecordedBasis>>;
export type CreditBasis = NonNullable<RecordedBasis['creditBasis']>;
/** The part of a return that exempt shipping belongs to: resale certificates, or other certificates. */
export type ExemptShipping = NonNullable<RecordedBasis['exemptShipping']>[string];

const names = Object.keys(SettingsSnapshot.shape) as (keyof SettingsSnapshot)[];

/** The settings to pin. */
export const snapshotSettings = (settings: SettingsSnapshot): SettingsSnapshot =>
  Object.fromEntries(names.map((name) => [name, settings[name]])) as SettingsSnapshot;
