import { useState } from 'preact/hooks';
import { orThrow } from '../../client/client.ts';
import { ActionButton, useAction } from './action.tsx';
import { type FilingData, figuresText } from './filing-figures.tsx';
import { Dialog } from './parts.tsx';
import { useSession } from './session.ts';

type Props = { readonly of: FilingData; readonly onDone: () => void };

const MarkFiled = ({ of, onDone }: Props) => {
  const { levy } = useSession();
  const [number, setNumber] = useState('');
  const [isAcknowledged, setAcknowledged] = useState(false);
  const count = of.exceptions?.count ?? 0;
  const isReady = number.trim() !== '' && (count === 0 || isAcknowledged);
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
  return (
    <Dialog title="Mark as filed" onClose={onDone}>
      <p>
        This marks {of.state} to {of.period_end} as filed, with {figuresText(of)}. Its transactions become filed and
        cannot be void any more. Do this after the state accepted the return. It cannot be undone.
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
          I checked the {count} exceptions.
        </label>
      )}
      {isReady && <ActionButton action={action} label="Mark as filed" />}
      <button type="button" onClick={onDone}>
        Not yet
      </button>
    </Dialog>
  );
};

const Cancel = ({ of, onDone }: Props) => {
  const { levy } = useSession();
  const action = useAction(
    async (idempotencyKey) =>
      orThrow(
        await levy.post('/filings/{id}', {
          path: { id: of.id ?? '' },
          body: { status: 'canceled' },
          idempotencyKey,
          maxTries: 4,
        }),
      ),
    onDone,
  );
  return (
    <Dialog title="Cancel the filing" onClose={onDone}>
      <p>
        This cancels the filing of {of.state} to {of.period_end} and opens its transactions again: {figuresText(of)}.
        The schedule does not close the period by itself afterwards.
      </p>
      <ActionButton action={action} label="Cancel the filing" />
      <button type="button" onClick={onDone}>
        Keep the filing
      </button>
    </Dialog>
  );
};

/** What can be done with a closed filing. Each action says what happens before it happens. */
export const FilingActions = ({ of, onChange }: { of: FilingData; onChange: () => void }) => {
  const { canWrite } = useSession();
  const [open, setOpen] = useState<'file' | 'cancel' | null>(null);
  const done = () => {
    setOpen(null);
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
      {open === 'file' && <MarkFiled of={of} onDone={done} />}
      {open === 'cancel' && <Cancel of={of} onDone={done} />}
    </p>
  );
};
