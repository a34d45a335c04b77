import type { Context } from '../../calculations/document.ts';
import type { LoadContent } from '../../content/content.ts';
import { type BaseContext, currentContext, pinnedContext } from '../context.ts';
import { unmatchedInput } from '../credits/unmatched.ts';
import type { TransactionUpdate } from '../request.ts';
import type { StoredTransaction } from '../transaction.ts';
import { isRecalculated } from './figures-after.ts';
import { type Basis, creditRequest, inputAfter } from './recalculate.ts';
import { requestedChanges } from './requested-changes.ts';

/**
 * Load the data that an update is decided with. The content is that of the sale for a credit, the active content for edited
 * inputs, and otherwise the pinned content, so that the figures stay as recorded. Loads nothing where nothing is
 * recalculated.
 */
export const basisOf = async (
  update: TransactionUpdate,
  stored: StoredTransaction,
  parent: StoredTransaction | null,
  around: BaseContext,
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
  throw new Error('An update without a recalculation must not read content.');
};
