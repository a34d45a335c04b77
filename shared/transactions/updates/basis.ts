import type { Context } from '../../calculations/document.ts';
import type { LoadContent } from '../../content/content.ts';
import { type Around, currentContext, pinnedContext } from '../context.ts';
import { unmatchedInput } from '../credits/unmatched.ts';
import type { TransactionUpdate } from '../request.ts';
import type { StoredTransaction } from '../transaction.ts';
import { isRecalculated } from './figures-after.ts';
import { type Basis, creditRequest, inputAfter } from './recalculate.ts';
import { requestedChanges } from './requested-changes.ts';

/**
 * What an update is decided on, with the content that its recalculation rests on: the sale's where it changes a credit of
 * one, the active one where it edits the inputs, else what is pinned, so that the figures come out as they were recorded.
 * An update that recalculates nothing loads nothing.
 */
export const basisOf = async (
  update: TransactionUpdate,
  stored: StoredTransaction,
  parent: StoredTransaction | null,
  around: Around,
  loadContent: LoadContent,
): Promise<Basis> => {
  const requested = requestedChanges(update, stored.transaction);
  if (!isRecalculated(update, stored, requested, parent))
    return { parent, context: { ...around, releaseFor: notLoaded } };
  const input = inputAfter(update, stored, requested);
  if (parent) {
    const request = creditRequest(update, input, stored, requested);
    return {
      parent,
      context: await pinnedContext(unmatchedInput(parent.transaction, request), parent, around, loadContent),
    };
  }
  const context =
    requested.inputs.length > 0
      ? await currentContext(input, around, loadContent)
      : await pinnedContext(input, stored, around, loadContent);
  return { parent, context };
};

const notLoaded: Context['releaseFor'] = () => {
  throw new Error('An update that recalculates nothing asks for no content.');
};
