import { useRef, useState } from 'preact/hooks';
import { TroubleNotice } from './load.tsx';
import { type Trouble, troubleOf } from './trouble.ts';

export type Action = {
  readonly isRunning: boolean;
  readonly trouble: Trouble | null;
  readonly run: () => void;
};

const newKey = (): string => `console-${crypto.randomUUID()}`;

/**
 * A write that happens once: a second click waits for the first, and every try has the same idempotency key until it
 * succeeds, so that a lost reply is found again.
 */
export const useAction = <Value,>(
  write: (key: string) => Promise<Value>,
  onDone: (value: Value) => void,
  /** What is written, as text: another text gets another key. */
  content = '',
): Action => {
  const [isRunning, setRunning] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const sent = useRef({ content, key: newKey() });
  if (sent.current.content !== content) sent.current = { content, key: newKey() };
  const isStarted = useRef(false);
  const run = async () => {
    if (isStarted.current) return;
    isStarted.current = true;
    setRunning(true);
    setTrouble(null);
    try {
      onDone(await write(sent.current.key));
      sent.current = { content, key: newKey() };
    } catch (error) {
      const found = troubleOf(error);
      setTrouble(found);
      // A refusal is final for its key. Another body needs another one.
      if (found && found.kind !== 'offline' && found.kind !== 'busy' && found.kind !== 'broken')
        sent.current = { content, key: newKey() };
    } finally {
      isStarted.current = false;
      setRunning(false);
    }
  };
  return { isRunning, trouble, run: () => void run() };
};

/** The button of a write, and why it failed. */
export const ActionButton = ({ action, label, isPlain }: { action: Action; label: string; isPlain?: boolean }) => (
  <>
    {action.trouble && <TroubleNotice trouble={action.trouble} />}
    <button type="button" class={isPlain ? '' : 'primary'} disabled={action.isRunning} onClick={action.run}>
      {action.isRunning ? 'Working …' : label}
    </button>
  </>
);
