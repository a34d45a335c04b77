import { useState } from 'preact/hooks';
import { orThrow, type Schemas } from '../../client/client.ts';
import { ActionButton, useAction } from './action.tsx';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

type Replayed = Schemas['Replay'];

const Outcome = ({ of }: { of: Replayed }) => (
  <>
    <p role="status" class={of.match === false ? 'notice bad' : 'notice'}>
      {of.match === true && 'The same figures with the recorded content.'}
      {of.match === false && `${of.difference_count} figures differ.`}
      {of.match === null && `Not comparable: ${of.detail ?? of.reason}`}
    </p>
    {of.match === false && (
      <Table
        caption="Differences"
        columns={[
          { name: 'Field', cell: (row) => <code>{row.pointer}</code> },
          { name: 'Recorded', isFigure: true, cell: (row) => row.recorded },
          { name: 'Replayed', isFigure: true, cell: (row) => row.replayed },
        ]}
        rows={of.differences}
        keyOf={({ pointer }) => pointer}
        empty=""
      />
    )}
  </>
);

/** Calculate a recorded document again with the content that it was recorded with. Stores nothing. */
export const Replay = ({ id, version }: { id: string; version: number }) => {
  const { levy } = useSession();
  const [outcome, setOutcome] = useState<Replayed | null>(null);
  const action = useAction(
    async () => orThrow(await levy.post('/transactions/{id}/replay', { path: { id } })),
    setOutcome,
  );
  return (
    <section class="panel" aria-labelledby="replay">
      <h2 id="replay">Replay of version {version}</h2>
      <ActionButton action={action} label="Replay" isPlain />
      {outcome && <Outcome of={outcome} />}
    </section>
  );
};
