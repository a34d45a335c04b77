import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Levy } from '../../client/client.ts';
import { getFormValues, type Values } from './forms.ts';
import { TroubleNotice } from './load.tsx';
import { getTrouble, type Trouble, useSession } from './session.ts';

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
  /** The request body for the values of the fields. A different body gets a new idempotency key. */
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
  readonly children: ComponentChildren;
};

/** A form that shows the effect of a change before it is saved. */
export const ReviewForm = <Body extends object, Value>(props: ReviewFormProps<Body, Value>) => {
  const { read, write, onDone, labels, preview, children } = props;
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
        </div>
      ) : (
        <button type="submit">{labels[0]}</button>
      )}
    </form>
  );
};
