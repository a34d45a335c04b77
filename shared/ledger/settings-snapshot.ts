import * as z from 'zod/mini';
import { Settings } from '../accounts/account.ts';

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

const names = Object.keys(SettingsSnapshot.shape) as (keyof SettingsSnapshot)[];

/** The settings to pin. */
export const snapshotSettings = (settings: SettingsSnapshot): SettingsSnapshot =>
  Object.fromEntries(names.map((name) => [name, settings[name]])) as SettingsSnapshot;
