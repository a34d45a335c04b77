import { useState } from 'preact/hooks';
import { orThrow } from '../../client/client.ts';
import { ActionButton, useAction } from './action.tsx';
import { type FilingData, FilingFigures, figuresText } from './filing-figures.tsx';
import { Load, useLoad } from './load.tsx';
import { Dialog } from './parts.tsx';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';

const CloseDialog = ({ of, onClose }: { of: FilingData; onClose: () => void }) => {
  const { levy } = useSession();
  const { state, period_start, period_end } = of;
  const action = useAction(
    async (idempotencyKey) =>
      orThrow(await levy.post('/filings', { body: { state, period_end }, idempotencyKey, maxTries: 4 })),
    (filing) => {
      location.hash = linkTo(['filings', filing.id ?? '']);
    },
  );
  return (
    <Dialog title="Close the period" onClose={onClose}>
      <p>
        This closes {state} from {period_start} to {period_end} with {figuresText(of)}, as of the dry run. What is
        recorded afterwards counts in the next period. You can cancel the filing until it is marked as filed.
      </p>
      <ActionButton action={action} label={`Close ${state} ${period_end}`} />
      <button type="button" onClick={onClose}>
        Keep it open
      </button>
    </Dialog>
  );
};

const DryRun = ({ of, reload }: { of: FilingData; reload: () => void }) => {
  const { canWrite } = useSession();
  const [isClosing, setClosing] = useState(false);
  const { state, period_start: from, period_end: to } = of;
  return (
    <>
      <p class="hint">A dry run: the figures as they are now. Nothing is stored.</p>
      <FilingFigures of={of} />
      <p>
        <a href={linkTo(['transactions'], { state, from, to })}>Transactions of {state} in this period</a>
      </p>
      {canWrite ? (
        <p class="actions">
          <button type="button" class="primary" onClick={() => setClosing(true)}>
            Close the period …
          </button>
          <button type="button" onClick={reload}>
            Run again
          </button>
        </p>
      ) : (
        <p class="hint">Your credential may read only. Closing needs the scope write.</p>
      )}
      {isClosing && <CloseDialog of={of} onClose={() => setClosing(false)} />}
    </>
  );
};

/** A period: its dry run, and the button that closes it; or a link to its filing, which the API returns instead. */
export const FilingPeriod = ({ state, periodEnd }: { state: string; periodEnd: string }) => {
  const { levy } = useSession();
  const body = { state, period_end: periodEnd, dry_run: true };
  const dryRun = useLoad(`${state} ${periodEnd}`, async (signal) =>
    orThrow(await levy.post('/filings', { body, signal })),
  );
  return (
    <>
      <h1>
        {state}, period to {periodEnd}
      </h1>
      <Load of={dryRun} what="the dry run">
        {(found) =>
          found.id === null ? (
            <DryRun of={found} reload={dryRun.reload} />
          ) : (
            <p class="notice">
              This period has a filing, which is {found.status}.{' '}
              <a href={linkTo(['filings', found.id])}>Open the filing</a>
            </p>
          )
        }
      </Load>
    </>
  );
};
