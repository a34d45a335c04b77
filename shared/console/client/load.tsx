import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Levy, orThrow } from '../../client/client.ts';
import { type Trouble, troubleOf, useSession } from './session.ts';

/** The data that a call of the API returns. Throws its refusal. */
export const dataOf = async <Value,>(call: Promise<Parameters<typeof orThrow<Value>>[0]>): Promise<Value> =>
  orThrow(await call);

export type Loaded<Value> = {
  /** The last value of the present key, even after a later try failed. */
  readonly value: Value | null;
  readonly trouble: Trouble | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

type Read<Value> = (levy: Levy, signal: AbortSignal) => Promise<Value>;

/**
 * Load a value when `key` changes. Aborts a request that is no longer needed. The previous value stays while it loads
 * again.
 */
export const useLoad = <Value,>(key: string, read: Read<Value>): Loaded<Value> => {
  const { levy } = useSession();
  const [state, setState] = useState<{ key: string; value: Value | null; trouble: Trouble | null }>();
  const [round, setRound] = useState(0);
  const [isLoading, setLoading] = useState(true);
  // `key` stands for what `read` reads, and `round` for another try.
  useEffect(() => {
    const controller = new AbortController();
    const settle = (loaded: Value | null, trouble: Trouble | null) => {
      if (controller.signal.aborted) return;
      setState((last) => ({ key, value: loaded ?? (last?.key === key ? last.value : null), trouble }));
      setLoading(false);
    };
    setLoading(true);
    read(levy, controller.signal).then(
      (value) => settle(value, null),
      (error: unknown) => settle(null, troubleOf(error)),
    );
    return () => controller.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  const current = state?.key === key ? state : { value: null, trouble: null };
  return { ...current, isLoading: isLoading || state?.key !== key, reload };
};

const RetryButton = ({ after, retry }: { after: number; retry: () => void }) => {
  const [left, setLeft] = useState(after);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <button type="button" disabled={left > 0} onClick={retry}>
      {left > 0 ? `Try again in ${left} s` : 'Try again'}
    </button>
  );
};

/** A message about a failed call, with what to do. The page shows once, at its top, that a session has ended. */
const TroubleNotice = ({ trouble, retry }: { trouble: Trouble | null; retry?: () => void }) => {
  const { endSession } = useSession();
  const hasEnded = trouble?.kind === 'signed_out';
  useEffect(() => {
    if (hasEnded) endSession(trouble);
  }, [hasEnded, trouble, endSession]);
  if (hasEnded || !trouble) return null;
  return (
    <div class="notice bad" role="alert">
      <strong>{trouble.title}</strong>
      <p>{trouble.advice}</p>
      {retry && <RetryButton after={trouble.waitSeconds ?? 0} retry={retry} />}
    </div>
  );
};

type LoadProps<Value> = {
  /** The name of the data that is loading, such as `filings`. */
  readonly what: string;
  readonly children: (value: Value, reload: () => void) => ComponentChildren;
};

/** The loaded value, or the error. */
export const Load = <Value,>({ of, what, children }: LoadProps<Value> & { of: Loaded<Value> }) => {
  const { value, trouble, isLoading, reload } = of;
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
      <TroubleNotice key={String(isLoading)} trouble={trouble} retry={reload} />
      {value !== null && children(value, reload)}
    </div>
  );
};

/** Load a value, again when `of` changes, and show it. */
export const Fetch = <Value,>({ of = '', read, ...shown }: LoadProps<Value> & { of?: string; read: Read<Value> }) => (
  <Load of={useLoad(of, read)} {...shown} />
);

type PagesProps<Page> = {
  readonly what: string;
  /** The first page, if it is known; otherwise the cursor `null` reads it. */
  readonly first?: Page;
  readonly read: (cursor: string | null, levy: Levy, signal: AbortSignal) => Promise<Page>;
  readonly nextOf: (page: Page) => string | null;
  readonly children: (page: Page) => ComponentChildren;
};

/** A part of a resource that has several pages. */
export const Pages = <Page,>({ what, first, read, nextOf, children }: PagesProps<Page>) => {
  const [cursor, setCursor] = useState<string | null>(null);
  const isKnown = cursor === null && first !== undefined;
  const loaded = useLoad(String(cursor), async (levy, signal) => (isKnown ? first : read(cursor, levy, signal)));
  return (
    <Load of={isKnown ? { ...loaded, value: first, isLoading: false } : loaded} what={what}>
      {(page) => (
        <>
          {children(page)}
          {cursor !== null && (
            <button type="button" onClick={() => setCursor(null)}>
              First page of {what}
            </button>
          )}
          {nextOf(page) && (
            <button type="button" onClick={() => setCursor(nextOf(page))}>
              Next page of {what}
            </button>
          )}
        </>
      )}
    </Load>
  );
};

export type Action = {
  readonly isRunning: boolean;
  readonly trouble: Trouble | null;
  readonly run: () => Promise<void>;
};

type Work<Value> = (levy: Levy, idempotencyKey: string, signal: AbortSignal) => Promise<Value>;

/**
 * A write that happens once: a second click waits for the first, and every try of the same `content` has the same
 * idempotency key until its outcome is known, so that a lost reply is found again. `onDone` is not called after the
 * component is gone.
 */
export const useAction = <Value,>(work: Work<Value>, onDone: (value: Value) => void, content = ''): Action => {
  const { levy } = useSession();
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<{ content: string; trouble: Trouble | null } | null>(null);
  const isStarted = useRef(false);
  const keys = useRef(new Map<string, string>()).current;
  const unmounted = useRef(new AbortController()).current;
  useEffect(() => () => unmounted.abort(), [unmounted]);
  const { signal } = unmounted;
  const run = async () => {
    if (isStarted.current) return;
    isStarted.current = true;
    setRunning(true);
    setFailure(null);
    const key = keys.get(content) ?? `console-${crypto.randomUUID()}`;
    keys.set(content, key);
    try {
      const value = await work(levy, key, signal);
      keys.delete(content);
      if (!signal.aborted) onDone(value);
    } catch (error) {
      const trouble = troubleOf(error);
      setFailure({ content, trouble });
      // Levy stores no refusals. The next try may have another content.
      if (trouble && !['offline', 'busy', 'broken'].includes(trouble.kind)) keys.delete(content);
    } finally {
      isStarted.current = false;
      setRunning(false);
    }
  };
  return { isRunning, trouble: failure?.content === content ? failure.trouble : null, run };
};

/** The button of a write or a download, and why it failed. */
export const ActionButton = ({
  action,
  label,
  kind = '',
}: {
  action: Action;
  label: string;
  kind?: 'primary' | '';
}) => (
  <>
    <TroubleNotice trouble={action.trouble} />
    <button type="button" class={kind} disabled={action.isRunning} onClick={action.run}>
      {action.isRunning ? 'Working …' : label}
    </button>
  </>
);

type ConfirmProps<Value> = {
  readonly title: string;
  /** The label of the button that writes. */
  readonly label?: string;
  readonly cancelLabel: string;
  readonly write: Work<Value>;
  readonly onDone: (value: Value) => void;
  /** The write as text: another text gets another idempotency key. */
  readonly content?: string;
  /** The inputs that are missing before the write; empty without any. */
  readonly missing?: string;
  readonly children: ComponentChildren;
};

/** A modal dialog with the focus in it, which describes a write and performs it. Escape closes it, unless the write runs. */
const ConfirmDialog = <Value,>(props: ConfirmProps<Value> & { onClose: () => void }) => {
  const { title, label = title, cancelLabel, write, onDone, content, missing = '', children, onClose } = props;
  const action = useAction(write, onDone, content);
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Gives the focus back, which removing the element does not.
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-label={title}
      onCancel={(event) => action.isRunning && event.preventDefault()}
      // A removed dialog also fires `close`.
      onClose={(event) => event.currentTarget.isConnected && onClose()}
    >
      <h2>{title}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!missing) void action.run();
        }}
      >
        {children}
        <TroubleNotice trouble={action.trouble} />
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
    </dialog>
  );
};

/** The button of a write that a dialog describes and confirms. */
export const ConfirmButton = <Value,>({
  onDone,
  kind = '',
  ...props
}: ConfirmProps<Value> & { kind?: 'primary' | '' }) => {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const done = (value: Value) => {
    close();
    onDone(value);
  };
  return (
    <>
      <button type="button" class={kind} onClick={() => setOpen(true)}>
        {props.title} …
      </button>
      {isOpen && <ConfirmDialog {...props} onDone={done} onClose={close} />}
    </>
  );
};
