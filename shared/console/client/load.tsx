import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Levy, orThrow } from '../../client/client.ts';
import type { Data, Operation, PathOf } from '../../client/types.ts';
import { getFormValues, type Values } from './forms.ts';
import { Button } from './parts.tsx';
import { getTrouble, type Trouble, useSession } from './session.ts';

/** Returns the data of an API call. Throws if the call is refused. */
export const readData = async <Value,>(call: Promise<Parameters<typeof orThrow<Value>>[0]>): Promise<Value> =>
  orThrow(await call);

export type Loaded<Value> = {
  /** The last value of the current key, even if a later attempt failed. */
  readonly value: Value | null;
  readonly trouble: Trouble | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

type Read<Value> = (levy: Levy, signal: AbortSignal) => Promise<Value>;

/**
 * Loads a value when `key` changes. Aborts a request that is no longer needed. Keeps the previous value while it
 * reloads.
 */
export const useLoad = <Value,>(key: string, read: Read<Value>): Loaded<Value> => {
  const { levy } = useSession();
  const [state, setState] = useState<{ key: string; value: Value | null; trouble: Trouble | null }>();
  const [round, setRound] = useState(0);
  const [isLoading, setLoading] = useState(true);
  // `key` identifies what `read` loads; `round` changes with each retry.
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
      (error: unknown) => settle(null, getTrouble(error)),
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

/** A message about a failed call, with what to do. An ended session is shown only once, at the top of the page. */
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
      {trouble.kind === 'changed' && <Button onClick={() => location.reload()}>Load the page again</Button>}
      {retry && trouble.kind !== 'changed' && <RetryButton after={trouble.waitSeconds ?? 0} retry={retry} />}
    </div>
  );
};

type LoadProps<Value> = {
  /** The name of the loading data, such as `filings`. */
  readonly what: string;
  readonly children: (value: Value, reload: () => void) => ComponentChildren;
};

/** The loaded value, or the error. */
export const Load = <Value,>({ loaded, what, children }: LoadProps<Value> & { loaded: Loaded<Value> }) => {
  const { value, trouble, isLoading, reload } = loaded;
  // The link or button that triggered this may no longer exist.
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

/** Loads a value, reloads it when `query` changes, and renders it. */
export const Fetch = <Value,>({
  query = '',
  read,
  ...shown
}: LoadProps<Value> & { query?: string; read: Read<Value> }) => <Load loaded={useLoad(query, read)} {...shown} />;

type QueryOf<O> = O extends { parameters: { query?: infer Query } } ? Query : never;

type GetProps<Path extends PathOf<'get'>> = LoadProps<Data<Operation<Path, 'get'>>> & {
  readonly path: Path;
  readonly query?: QueryOf<Operation<Path, 'get'>>;
} & (Path extends `${string}{id}${string}` ? { readonly id: string } : { readonly id?: undefined });

/** Reads a path of the API, again when its parameters change, and renders the response. `id` is the id in the path. */
export const Get = <Path extends PathOf<'get'>>({ path, query, id, ...shown }: GetProps<Path>) => {
  const read = async (levy: Levy, signal: AbortSignal): Promise<Data<Operation<Path, 'get'>>> => {
    const get = levy.get as unknown as (path: string, input: object) => Promise<Parameters<typeof orThrow<never>>[0]>;
    return orThrow(await get(path, { query: query ?? {}, signal, ...(id !== undefined && { path: { id } }) }));
  };
  return <Load loaded={useLoad(JSON.stringify([path, query, id]), read)} {...shown} />;
};

type PagesProps<Page> = {
  readonly what: string;
  /** The first page, if already loaded; otherwise it is read with the cursor `null`. */
  readonly first?: Page;
  readonly read: (cursor: string | null, levy: Levy, signal: AbortSignal) => Promise<Page>;
  readonly getNext: (page: Page) => string | null;
  readonly children: (page: Page) => ComponentChildren;
};

/** A paged part of a resource. */
export const Pages = <Page,>({ what, first, read, getNext, children }: PagesProps<Page>) => {
  const [cursor, setCursor] = useState<string | null>(null);
  const show = (page: Page) => (
    <>
      {children(page)}
      {cursor !== null && <Button onClick={() => setCursor(null)}>First page of {what}</Button>}
      {getNext(page) && <Button onClick={() => setCursor(getNext(page))}>Next page of {what}</Button>}
    </>
  );
  if (cursor === null && first !== undefined) return show(first);
  return (
    <Fetch what={what} query={String(cursor)} read={(levy, signal) => read(cursor, levy, signal)}>
      {show}
    </Fetch>
  );
};

export type Action = {
  readonly isRunning: boolean;
  readonly trouble: Trouble | null;
  readonly run: () => Promise<void>;
};

type Work<Value> = (levy: Levy, idempotencyKey: string, signal: AbortSignal) => Promise<Value>;

/**
 * A write that is applied once: a second click waits for the first, and all attempts with the same `content` use the
 * same idempotency key until the outcome is known, so a lost reply can be recovered. `onDone` is not called after the
 * component is unmounted.
 */
export const useAction = <Value,>(
  work: Work<Value>,
  onDone: (value: Value) => void = () => {},
  content = '',
): Action => {
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
      const trouble = getTrouble(error);
      setFailure({ content, trouble });
      // Levy stores no refusals, and the next attempt may have different content.
      if (trouble && !['offline', 'busy', 'broken'].includes(trouble.kind)) keys.delete(content);
    } finally {
      isStarted.current = false;
      setRunning(false);
    }
  };
  return { isRunning, trouble: failure?.content === content ? failure.trouble : null, run };
};

/** A button for a write or a download, with the error if it failed. */
export const ActionButton = ({ action, label, kind }: { action: Action; label: string; kind?: 'primary' }) => (
  <>
    <TroubleNotice trouble={action.trouble} />
    <button type="button" class={kind} disabled={action.isRunning} onClick={action.run}>
      {action.isRunning ? 'Working …' : label}
    </button>
  </>
);

type ConfirmProps<Body, Value> = {
  readonly title: string;
  /** The label of the button that writes. */
  readonly label?: string;
  readonly cancelLabel: string;
  readonly kind?: 'primary';
  /** What the values of the fields write. A different body gets a new idempotency key. */
  readonly body: (values: Values) => Body;
  /** Describes the input that is still missing. */
  readonly missing?: (values: Values) => string | false;
  readonly write: (body: Body, ...call: Parameters<Work<Value>>) => Promise<Value>;
  readonly onDone: (value: Value) => void;
  /** The description and the fields, which can depend on the values. */
  readonly children: ComponentChildren | ((values: Values) => ComponentChildren);
};

/**
 * A modal dialog that takes the focus, describes a write and performs it. Escape closes it unless the write is running.
 */
const ConfirmDialog = <Body, Value>(props: ConfirmProps<Body, Value> & { onClose: () => void }) => {
  const { title, label = title, cancelLabel, write, onDone, children, onClose } = props;
  const [values, setValues] = useState<Values>({});
  const body = props.body(values);
  const missing = props.missing?.(values) || '';
  const action = useAction((...call) => write(body, ...call), onDone, JSON.stringify(body));
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    if (form.current) setValues(getFormValues(form.current));
    // Restores the focus, which removing the element would not do.
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
        ref={form}
        onInput={(event) => setValues(getFormValues(event.currentTarget))}
        onSubmit={(event) => {
          event.preventDefault();
          if (!missing) void action.run();
        }}
      >
        {typeof children === 'function' ? (children as (values: Values) => ComponentChildren)(values) : children}
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

/** A button for a write that a dialog describes and confirms. */
export const ConfirmButton = <Body, Value>(props: ConfirmProps<Body, Value>) => {
  const [isOpen, setOpen] = useState(false);
  const done = (value: Value) => {
    setOpen(false);
    props.onDone(value);
  };
  return (
    <>
      <button type="button" class={props.kind} onClick={() => setOpen(true)}>
        {props.title} …
      </button>
      {isOpen && <ConfirmDialog {...props} onDone={done} onClose={() => setOpen(false)} />}
    </>
  );
};

type ReviewFormProps<Body, Value> = {
  /** Reads the values of the form. Returns what is saved, or the problem of the values. */
  readonly read: (values: Record<string, string>) => Body | string;
  readonly write: (body: Body, ...call: Parameters<Work<Value>>) => Promise<Value>;
  readonly onDone: (value: Value) => void;
  readonly labels: readonly [review: string, save: string];
  /** Describes a change; `null` if there is nothing to save. */
  readonly preview: (body: Body) => ComponentChildren | null;
  /** Loads the edited object again after a change by somebody else. */
  readonly reload?: (() => void) | undefined;
  readonly children: ComponentChildren;
};

/** A form that shows the effect of a change before it is saved. */
export const ReviewForm = <Body extends object, Value>(props: ReviewFormProps<Body, Value>) => {
  const { read, write, onDone, labels, preview, reload, children } = props;
  const [body, setBody] = useState<Body | string | null>(null);
  const action = useAction((...call) => write(body as Body, ...call), onDone, JSON.stringify(body));
  const isRead = body !== null && typeof body === 'object';
  return (
    <form
      class="edit"
      onInput={() => setBody(null)}
      onSubmit={(event) => {
        event.preventDefault();
        setBody(read(getFormValues(event.currentTarget)));
      }}
    >
      {children}
      {typeof body === 'string' && (
        <p class="notice bad" role="alert">
          {body}
        </p>
      )}
      {isRead ? (
        <div class="review">
          {preview(body)}
          {Object.keys(body).length > 0 && <ActionButton action={action} label={labels[1]} kind="primary" />}
          {reload && action.trouble?.kind === 'changed' && <Button onClick={reload}>Load it again</Button>}
        </div>
      ) : (
        <button type="submit">{labels[0]}</button>
      )}
    </form>
  );
};
