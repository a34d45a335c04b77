import { cleanUp, type Left } from './clean-up.ts';
import { Journal } from './created.ts';
import { type Session, Unexpected } from './session.ts';
import { draftInvoice, estimate, fullRefund, openDoors, partialRefund } from './workflows.ts';

/** How a run ended: what it failed on, and what it may have left. */
export type Outcome = { readonly failure: string | null; readonly left: readonly Left[] };

/** Walk through the workflows, then void all that was made, also after a failure in the middle. */
export const runSmoke = async (session: Session): Promise<Outcome> => {
  const journal = new Journal(session);
  const run = { session, journal };
  let failure: string | null = null;
  try {
    await openDoors(run);
    const sale = await draftInvoice(run);
    const other = await estimate(run);
    await fullRefund(run, sale);
    await partialRefund(run, other);
  } catch (error) {
    // Also after a bug of ours: nothing may be left because of it.
    failure = error instanceof Unexpected ? error.message : String((error as Error).stack);
    session.say(`       ${failure}`);
  }
  const left = await cleanUp(session, journal);
  const made = journal.all.filter(({ id }) => id !== null).length;
  session.say(`Voided ${made - left.filter(({ id }) => id !== null).length} of ${made} transactions of this run.`);
  return { failure, left };
};
