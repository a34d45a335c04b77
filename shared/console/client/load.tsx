import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useSession } from './session.ts';
import { type Trouble, troubleOf } from './trouble.ts';

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
export const TroubleNotice = ({ trouble, retry }: { trouble: Trouble; retry?: () => void }) => {
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
