import { useState } from 'preact/hooks';
import { orThrow } from '../../client/client.ts';
import { ConfirmDialog, useAction } from './action.tsx';
import { type FilingData, figuresText } from './filing-figures.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';

/** The data of a period before it is closed. */
export type ToClose = {
  readonly state: string;
  readonly periodEnd: string;
  /** Such as `MI, Aug 2026`. */
  readonly name: string;
  /** The figures of the dry run; `null` for a period that is too large for one. */
  readonly figures: string | null;
};

// The result of a filing's dry run, in the memory of the page.
const announced = new Map<string, string>();

/** The result of the dry run, if the closed filing has other amounts: sales can be recorded between the two. */
export const announcedOtherwise = (filing: FilingData): string | null => {
  const text = announced.get(filing.id ?? '');
  return text === undefined || filing.status === 'closing' || text === figuresText(filing) ? null : text;
};

const CloseDialog = ({ of: { state, periodEnd, name, figures }, onClose }: { of: ToClose; onClose: () => void }) => {
  const { levy } = useSession();
  const body = { state, period_end: periodEnd };
  const action = useAction(
    async (idempotencyKey) => orThrow(await levy.post('/filings', { body, idempotencyKey, maxTries: 4 })),
    ({ id }) => {
      if (id && figures !== null) announced.set(id, figures);
      location.hash = linkTo(['filings', id ?? '']);
    },
  );
  return (
    <ConfirmDialog
      title="Close the period"
      action={action}
      label={`Close ${name}`}
      cancelLabel="Keep it open"
      onClose={onClose}
    >
      <p>
        This closes {name}
        {figures === null ? '. Its figures are known when it is closed.' : `, with ${figures} as of the dry run.`} What
        is recorded afterwards counts in the next period. You can cancel the filing until it is marked as filed.
      </p>
    </ConfirmDialog>
  );
};

/** The button that closes a period, after a dialog. */
export const ClosePeriod = ({ of }: { of: ToClose }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => setOpen(true)}>
        Close the period …
      </button>
      {isOpen && <CloseDialog of={of} onClose={() => setOpen(false)} />}
    </>
  );
};
