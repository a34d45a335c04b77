import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useSession } from './session.ts';
import { type Trouble, troubleOf } from './trouble.ts';

export type Loaded<Value> = {
  readonly value: Value | null;
  readonly trouble: Trouble | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

/** Load a value when `key` changes. A call that is not needed any more is stopped. The previous value stays while it loads again. */
export const useLoad = <Value,>(key: string, load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> => {
  const [state, setState] = useState<{ key: string; value: Value | null; trouble: Trouble | null }>();
  const [round, setRound] = useState(0);
  const [isLoading, setLoading] = useState(true);
  // `key` stands for what `load` reads, and `round` for another try.
  useEffect(() => {
    const controller = new AbortController();
    const settle = (value: Value | null, trouble: Trouble | null) => {
      if (controller.signal.aborted) return;
      setState({ key, value, trouble });
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

/** A message about a failed call, with what to do. */
export const TroubleNotice = ({ trouble, retry }: { trouble: Trouble; retry?: () => void }) => {
  const { signOut } = useSession();
  return (
    <div class="notice bad" role="alert">
      <strong>{trouble.title}</strong>
      <p>{trouble.advice}</p>
      {trouble.kind === 'signed_out' ? (
        <button type="button" onClick={signOut}>
          Sign in again
        </button>
      ) : (
        retry && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )
      )}
    </div>
  );
};

/** What was loaded, or why it is not there. */
export const Load = <Value,>({
  of: { value, trouble, isLoading, reload },
  what,
  children,
}: {
  of: Loaded<Value>;
  /** What is loading, such as `filings`. */
  what: string;
  children: (value: Value) => ComponentChildren;
}) => (
  <div aria-busy={isLoading}>
    <p class="progress" role="status">
      {isLoading ? `Loading ${what} …` : ''}
    </p>
    {trouble && <TroubleNotice trouble={trouble} retry={reload} />}
    {value !== null && children(value)}
  </div>
);
