import { addressesOf } from '../calculations/addresses-of.ts';
import type { Context } from '../calculations/document.ts';
import type { CalculationInput } from '../calculations/request.ts';
import type { LoadContent } from '../content/content.ts';
import type { TaxAddress } from '../content/location/address.ts';
import { statesOfZip } from '../content/location/zip-states.ts';
import type { PinnedSettings } from './pinned.ts';

type Addressed = Pick<CalculationInput, 'customer' | 'ship_from' | 'line_items'>;

/** The parts of a context that do not depend on content: the account's settings, and the service's time in milliseconds. */
export type BaseContext = Omit<Context, 'releaseFor'>;

/** The context of a new calculation: the active content of the input's addresses. */
export const currentContext = async (
  input: Addressed,
  around: BaseContext,
  loadContent: LoadContent,
): Promise<Context> => ({
  ...around,
  releaseFor: await loadContent(addressesOf(input, around.settings)),
});

type Pinning = {
  readonly transaction: { readonly content_releases: Readonly<Record<string, string>> };
  readonly pinned: PinnedSettings;
};

/**
 * The context of a recalculation that must give the recorded figures: the pinned releases and settings. A state without a
 * pinned release uses the active one, unless the ZIP is in several states and another of them was chosen. Throws where a
 * pinned release no longer exists.
 */
export const pinnedContext = async (
  input: Addressed,
  { transaction: { content_releases }, pinned }: Pinning,
  { settings, now }: BaseContext,
  loadContent: LoadContent,
): Promise<Context> => {
  const then = { ...settings, ...pinned };
  const isPinned = (state: string | null) => Object.hasOwn(content_releases, `US-${state}`);
  const isChosen = ({ isStateGuessed, state, zip5 }: TaxAddress) =>
    !isStateGuessed || isPinned(state) || !statesOfZip(zip5 ?? '').some(isPinned);
  const found = await loadContent(addressesOf(input, then), content_releases);
  return { settings: then, now, releaseFor: (address) => (isChosen(address) ? found(address) : undefined) };
};
