import { useState } from 'preact/hooks';
import { orThrow } from '../../client/client.ts';
import { ConfirmDialog, useAction } from './action.tsx';
import { type FilingData, figuresText } from './filing-figures.tsx';
import { counted, periodName } from './parts.tsx';
import { useSession } from './session.ts';

type Props = { readonly of: FilingData; readonly onDone: () => void; readonly onClose: () => void };

const MarkFiled = ({ of, onDone, onClose }: Props) => {
  const { levy } = useSession();
  const [number, setNumber] = useState('');
  const [isAcknowledged, setAcknowledged] = useState(false);
  const count = of.exceptions?.count ?? 0;
  const body = {
    status: 'filed',
    confirmation_number: number.trim(),
    ...(count > 0 && { acknowledge_exceptions: count }),
  } as const;
  const action = useAction(
    async (idempotencyKey) =>
      orThrow(await levy.post('/filings/{id}', { path: { id: of.id ?? '' }, body, idempotencyKey, maxTries: 4 })),
    onDone,
    JSON.stringify(body),
  );
  const missing =
    number.trim() === ''
      ? 'Enter the confirmation number.'
      : count > 0 && !isAcknowledged
        ? 'Confirm that you checked the exceptions.'
        : '';
  return (
    <ConfirmDialog
      title="Mark as filed"
      action={action}
      label="Mark as filed"
      cancelLabel="Not yet"
      onClose={onClose}
      missing={missing}
    >
      <p>
        This marks {periodName(of)} as filed, with {figuresText(of)}. Its transactions become filed and can no longer be
        voided. Do this after the state accepted the return. It cannot be undone.
      </p>
      <label class="field">
        <span>Confirmation number of the state</span>
        <input value={number} onInput={(event) => setNumber(event.currentTarget.value)} maxLength={100} required />
      </label>
      {count > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={isAcknowledged}
            onChange={(event) => setAcknowledged(event.currentTarget.checked)}
          />{' '}
          I checked the {counted(count, 'exception')}.
        </label>
      )}
    </ConfirmDialog>
  );
};

const Cancel = ({ of, onDone, onClose }: Props) => {
  const { levy } = useSession();
  const body = { status: 'canceled' } as const;
  const action = useAction(
    async (idempotencyKey) =>
      orThrow(await levy.post('/filings/{id}', { path: { id: of.id ?? '' }, body, idempotencyKey, maxTries: 4 })),
    onDone,
  );
  return (
    <ConfirmDialog
      title="Cancel the filing"
      action={action}
      label="Cancel the filing"
      cancelLabel="Keep the filing"
      onClose={onClose}
    >
      <p>
        This cancels the filing of {periodName(of)} and opens its transactions again: {figuresText(of)}. The schedule
        does not close the period automatically afterwards.
      </p>
    </ConfirmDialog>
  );
};

/** The actions on a closed filing. Each one states its effect before it runs. */
export const FilingActions = ({ of, onChange }: { of: FilingData; onChange: () => void }) => {
  const { canWrite } = useSession();
  const [open, setOpen] = useState<'file' | 'cancel' | null>(null);
  const close = () => setOpen(null);
  const done = () => {
    close();
    onChange();
  };
  if (of.status !== 'closed') return null;
  if (!canWrite) return <p class="hint">Your credential may read only. Filing needs the scope write.</p>;
  return (
    <p class="actions">
      <button type="button" class="primary" onClick={() => setOpen('file')}>
        Mark as filed …
      </button>
      <button type="button" onClick={() => setOpen('cancel')}>
        Cancel the filing …
      </button>
      {open === 'file' && <MarkFiled of={of} onDone={done} onClose={close} />}
      {open === 'cancel' && <Cancel of={of} onDone={done} onClose={close} />}
    </p>
  );
};
