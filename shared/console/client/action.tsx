import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { TroubleNotice } from './load.tsx';
import { Dialog } from './parts.tsx';
import { type Trouble, troubleOf } from './trouble.ts';

export type Action = {
  readonly isRunning: boolean;
  readonly trouble: Trouble | null;
  readonly run: () => void;
};

const newKey = (): string => `console-${crypto.randomUUID()}`;

const isFinal = ({ kind }: Trouble): boolean => !['offline', 'busy', 'broken'].includes(kind);

/** The idempotency key of each content that may have been written, until its outcome is known. */
const useKeys = () => {
  const keys = useRef(new Map<string, string>()).current;
  const keyOf = (content: string): string => {
    const key = keys.get(content) ?? newKey();
    keys.set(content, key);
    return key;
  };
  return { keyOf, forget: (content: string) => keys.delete(content) };
};

/**
 * A write that happens once: a second click waits for the first, and every try has the same idempotency key until it
 * succeeds, so that a lost reply is found again. `onDone` is not called after the component is gone.
 */
export const useAction = <Value,>(
  write: (key: string, signal: AbortSignal) => Promise<Value>,
  onDone: (value: Value) => void,
  /** The write as text: another text gets another key. */
  content = '',
): Action => {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<{ content: string; trouble: Trouble | null } | null>(null);
  const { keyOf, forget } = useKeys();
  const isStarted = useRef(false);
  const unmounted = useRef(new AbortController());
  useEffect(() => () => unmounted.current.abort(), []);
  const run = async () => {
    if (isStarted.current) return;
    isStarted.current = true;
    setRunning(true);
    setFailure(null);
    try {
      const value = await write(keyOf(content), unmounted.current.signal);
      forget(content);
      if (!unmounted.current.signal.aborted) onDone(value);
    } catch (error) {
      const trouble = troubleOf(error);
      setFailure({ content, trouble });
      // Levy stores no refusals. The next try may have another content.
      if (trouble && isFinal(trouble)) forget(content);
    } finally {
      isStarted.current = false;
      setRunning(false);
    }
  };
  const trouble = failure?.content === content ? failure.trouble : null;
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

/** A dialog that describes a write, and performs it. It stays open while the write runs. */
export const ConfirmDialog = ({
  title,
  action,
  label,
  cancelLabel,
  onClose,
  missing = '',
  children,
}: {
  title: string;
  action: Action;
  label: string;
  cancelLabel: string;
  onClose: () => void;
  /** The inputs that are missing before the write; empty without any. */
  missing?: string;
  children: ComponentChildren;
}) => (
  <Dialog title={title} onClose={onClose} isBusy={action.isRunning}>
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!missing) action.run();
      }}
    >
      {children}
      {action.trouble && <TroubleNotice trouble={action.trouble} />}
      {missing && <p class="hint">{missing}</p>}
      <p class="actions">
        <button type="submit" class="primary" disabled={action.isRunning || missing !== ''}>
          {action.isRunning ? 'Working …' : label}
        </button>
        <button type="button" disabled={action.isRunning} onClick={onClose}>
          {cancelLabel}
        </button>
      </p>
    </form>
  </Dialog>
);
