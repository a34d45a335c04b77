import { addressesOf } from '../calculations/addresses-of.ts';
import type { Context } from '../calculations/document.ts';
import type { CalculationInput } from '../calculations/request.ts';
import type { LoadContent } from '../content/content.ts';
import type { TaxAddress } from '../content/location/address.ts';
import { statesOfZip } from '../content/location/zip-states.ts';
import type { PinnedSettings } from './pinned.ts';

type Addressed = Pick<CalculationInput, 'customer' | 'ship_from' | 'line_items'>;

/** What every context has whatever it rests on: the account's settings, and the service's time in milliseconds. */
export type Around = Omit<Context, 'releaseFor'>;

/** The context of a calculation as things are now: the active content of the input's addresses. */
export const currentContext = async (input: Addressed, around: Around, loadContent: LoadContent): Promise<Context> => ({
  ...around,
  releaseFor: await loadContent(addressesOf(input, around.settings)),
});

type Pinning = {
  readonly transaction: { readonly content_releases: Readonly<Record<string, string>> };
  readonly pinned: PinnedSettings;
};

/**
 * The context of a recalculation that must come out as the recorded one did: its releases, and its settings. A state that
 * it had nothing of has the active release, unless its ZIP is in several states and another of them was chosen. Throws where a release that it pinned is no longer there.
 */
export const pinnedContext = async (
  input: Addressed,
  { transaction: { content_releases }, pinned }: Pinning,
  { settings, now }: Around,
  loadContent: LoadContent,
): Promise<Context> => {
  const then = { ...settings, ...pinned };
  const isPinned = (state: string | null) => Object.hasOwn(content_releases, `US-${state}`);
  const isChosen = ({ isStateGuessed, state, zip5 }: TaxAddress) =>
    !isStateGuessed || isPinned(state) || !statesOfZip(zip5 ?? '').some(isPinned);
  const found = await loadContent(addressesOf(input, then), content_releases);
  return { settings: then, now, releaseFor: (address) => (isChosen(address) ? found(address) : undefined) };
};
