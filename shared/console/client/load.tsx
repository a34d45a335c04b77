import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Levy, orThrow } from '../../client/client.ts';
import { Dialog } from './parts.tsx';
import { type Trouble, troubleOf, useSession } from './session.ts';

export type Loaded<Value> = {
  /** The last value of the present key, even after a later try failed. */
  readonly value: Value | null;
  readonly trouble: Trouble | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

/**
 * Load a value when `key` changes. Aborts a request that is no longer needed. The previous value stays while it loads
 * again.
 */
export const useLoad = <Value,>(key: string, load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> => {
  const [state, setState] = useState<{ key: string; value: Value | null; trouble: Trouble | null }>();
  const [round, setRound] = useState(0);
  const [isLoading, setLoading] = useState(true);
  // `key` stands for what `load` reads, and `round` for another try.
  useEffect(() => {
    const controller = new AbortController();
    const settle = (loaded: Value | null, trouble: Trouble | null) => {
      if (controller.signal.aborted) return;
      setState((last) => ({ key, value: loaded ?? (last?.key === key ? last.value : null), trouble }));
      setLoading(false);
    };
    setLoading(true);
    load(controller.signal).then(
      (value) => settle(value, null),
      (error: unknown) => settle(null, troubleOf(error)),
    );
    return () => controller.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  const isCurrent = state?.key === key;
  return {
    value: isCurrent ? state.value : null,
    trouble: isCurrent ? state.trouble : null,
    isLoading: isLoading || !isCurrent,
    reload,
  };
};

/** Load what a call of the API returns when `key` changes. */
export const useCall = <Value,>(
  key: string,
  call: (levy: Levy, signal: AbortSignal) => Promise<Parameters<typeof orThrow<Value>>[0]>,
): Loaded<Value> => {
  const { levy } = useSession();
  return useLoad(key, async (signal) => orThrow(await call(levy, signal)));
};

/** The seconds that are left of a wait. */
const useCountdown = (seconds: number): number => {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return left;
};

const RetryButton = ({ after, retry }: { after: number; retry: () => void }) => {
  const left = useCountdown(after);
  return (
    <button type="button" disabled={left > 0} onClick={retry}>
      {left > 0 ? `Try again in ${left} s` : 'Try again'}
    </button>
  );
};

/** A message about a failed call, with what to do. The page shows once, at its top, that a session has ended. */
const TroubleNotice = ({ trouble, retry }: { trouble: Trouble; retry?: () => void }) => {
  const { endSession } = useSession();
  const hasEnded = trouble.kind === 'signed_out';
  useEffect(() => {
    if (hasEnded) endSession(trouble);
  }, [hasEnded, trouble, endSession]);
  if (hasEnded) return null;
  return (
    <div class="notice bad" role="alert">
      <strong>{trouble.title}</strong>
      <p>{trouble.advice}</p>
      {retry && <RetryButton after={trouble.waitSeconds ?? 0} retry={retry} />}
    </div>
  );
};

/** The loaded value, or the error. */
export const Load = <Value,>({
  of: { value, trouble, isLoading, reload },
  what,
  children,
}: {
  of: Loaded<Value>;
  /** The name of the data that is loading, such as `filings`. */
  what: string;
  children: (value: Value) => ComponentChildren;
}) => {
  // The link or the button that started this may no longer exist.
  useEffect(() => {
    if (!isLoading && document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, [isLoading]);
  return (
    <div aria-busy={isLoading}>
      <p class={value === null ? 'progress' : 'unseen'} role="status">
        {isLoading ? `Loading ${what} …` : ''}
      </p>
      {trouble && <TroubleNotice key={String(isLoading)} trouble={trouble} retry={reload} />}
      {value !== null && children(value)}
    </div>
  );
};

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
