import { addressesOf } from '../calculations/addresses-of.ts';
import { calculate, type Outcome } from '../calculations/calculate.ts';
import type { Context } from '../calculations/document.ts';
import type { CalculationInput } from '../calculations/request.ts';
import type { LoadContent } from '../content/content.ts';
import type { TaxAddress } from '../content/location/address.ts';
import { statesOfZip } from '../content/location/zip-states.ts';
import { mapResult, type Result } from '../result.ts';
import { creditOf } from './credits/credit.ts';
import { type CreditRequest, unmatchedInput } from './credits/credit-request.ts';
import type { PinnedSettings } from './pinned.ts';
import type { StoredTransaction } from './transaction.ts';

type Addressed = Pick<CalculationInput, 'customer' | 'ship_from' | 'line_items'>;

/** The parts of a context that do not depend on content: the account's settings, and the service's time in milliseconds. */
export type BaseContext = Omit<Context, 'releaseFor'>;

/** The context of a new calculation: the active content of the input's addresses. */
export const currentContext = async (
  input: Addressed,
  base: BaseContext,
  loadContent: LoadContent,
): Promise<Context> => ({
  ...base,
  releaseFor: await loadContent(addressesOf(input, base.settings)),
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

/** The calculated figures of a document; `kind` is that of a credit of a sale. */
export type Calculated = { readonly outcome: Outcome; readonly kind: StoredTransaction['creditOf'] };

/** Calculate a document from the active content, or a credit from the current state of its sale and the sale's content. */
export const calculateWithContent = async (
  request: CreditRequest,
  sale: StoredTransaction | null,
  base: BaseContext,
  loadContent: LoadContent,
  unknownFields: readonly string[],
): Promise<Result<Calculated>> => {
  if (sale) {
    const context = await pinnedContext(unmatchedInput(sale.transaction, request), sale, base, loadContent);
    return creditOf(sale, request, context, unknownFields);
  }
  const context = await currentContext(request, base, loadContent);
  return mapResult(calculate(request, context, unknownFields), (outcome) => ({ outcome, kind: null }));
};
