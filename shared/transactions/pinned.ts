import * as z from 'zod/mini';
import { Settings } from '../accounts/account.ts';

/**
 * The account settings that a calculation reads: a transaction keeps those that its figures rest on, so that they come
 * out the same whatever the account decides later (interface decisions 3).
 */
export const PinnedSettings = z.pick(Settings, {
  rounding: true,
  registrations: true,
  ship_from: true,
  ambiguous_address: true,
  incomplete_coverage: true,
  pass_on_general_excise: true,
});
export type PinnedSettings = z.infer<typeof PinnedSettings>;

/** What of the settings, or of what was pinned before, is pinned. */
export const pinnedOf = (settings: PinnedSettings): PinnedSettings => ({
  rounding: settings.rounding,
  registrations: settings.registrations,
  ship_from: settings.ship_from,
  ambiguous_address: settings.ambiguous_address,
  incomplete_coverage: settings.incomplete_coverage,
  pass_on_general_excise: settings.pass_on_general_excise,
});
