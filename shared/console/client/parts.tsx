import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { grouped } from './amounts.ts';
import { instantText, periodText } from './days.ts';
import { useSession } from './session.ts';

/** An amount of a currency. */
export const Amount = ({ of, currency = '' }: { of: string; currency?: string }) => (
  <span class="amount">
    {grouped(of)}
    {currency && ` ${currency}`}
  </span>
);

/** A code of the API as words: `customer_exempt` is `customer exempt`. */
export const wordsOf = (code: string): string => code.replaceAll('_', ' ');

export const Status = ({ of, tone = of }: { of: string; tone?: string }) => (
  <span class={`status ${tone.replaceAll(' ', '_')}`}>{wordsOf(of)}</span>
);

/** An instant in the account's time zone. */
export const Instant = ({ of }: { of: string }) => (
  <time dateTime={of}>{instantText(of, useSession().account.time_zone)}</time>
);

/** The two letters of a state: `US-MI` is `MI`. */
export const lettersOf = (state: string): string => state.replace(/^US-/, '');

/** A state and a period: `MI, Aug 2026`. */
export const periodName = (of: {
  readonly state: string;
  readonly period_start: string;
  readonly period_end: string;
}) => `${lettersOf(of.state)}, ${periodText(of.period_start, of.period_end)}`;

/** A message of the API. Text between backticks is code. */
export const Message = ({ of }: { of: string }) => (
  <>{of.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

/** Warnings of an answer. */
export const Warnings = ({
  of,
}: {
  of: readonly { readonly code: string; readonly message: string; readonly pointer?: string | null }[];
}) => (
  <>
    {of.map(({ code, message, pointer }) => (
      <p key={code + pointer + message} class="notice">
        <Message of={message} />
      </p>
    ))}
  </>
);

export type Card = { readonly label: string; readonly value: ComponentChildren; readonly tone?: 'bad' | 'warn' };

/** The figures that a view begins with. */
export const Cards = ({ of }: { of: readonly Card[] }) => (
  <dl class="cards">
    {of.map(({ label, value, tone = '' }) => (
      <div key={label} class={tone}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** `1 exception`, `2 exceptions`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Names and values. Those without a value are left out. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {of
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

type FieldProps = {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly type?: 'date' | 'month' | undefined;
  readonly options?: readonly (readonly [value: string, text: string])[];
  readonly isRequired?: boolean;
};

const Input = ({ id, name, value = '', type, isRequired = false }: FieldProps & { id: string }) => {
  const ref = useRef<HTMLInputElement>(null);
  // A browser keeps what was typed when the default changes, such as by going back.
  useLayoutEffect(() => {
    if (ref.current) ref.current.value = value;
  }, [value]);
  const shared = { id, ref, name, defaultValue: value, required: isRequired, autocomplete: 'off', spellcheck: false };
  return type ? <input type={type} {...shared} /> : <input {...shared} />;
};

const Select = ({ id, name, value = '', options = [] }: FieldProps & { id: string }) => {
  const ref = useRef<HTMLSelectElement>(null);
  useLayoutEffect(() => {
    if (ref.current) ref.current.value = value;
  }, [value]);
  return (
    <select id={id} ref={ref} name={name}>
      {options.map(([key, text]) => (
        <option key={key} value={key} selected={key === value}>
          {text}
        </option>
      ))}
    </select>
  );
};

/** A labelled field of a form. */
export const Field = (props: FieldProps) => {
  const id = useId();
  return (
    <span class="field">
      <label for={id}>{props.label}</label>
      {props.options ? <Select {...props} id={id} /> : <Input {...props} id={id} />}
    </span>
  );
};

/** The values of a form by name, without white space around them. */
export const valuesOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));

/** A modal dialog with the focus in it. Escape closes it, unless it is busy. */
export const Dialog = ({
  title,
  onClose,
  isBusy = false,
  children,
}: {
  title: string;
  onClose: () => void;
  isBusy?: boolean;
  children: ComponentChildren;
}) => {
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
      onCancel={(event) => isBusy && event.preventDefault()}
      // A removed dialog also fires `close`.
      onClose={(event) => event.currentTarget.isConnected && onClose()}
    >
      <h2>{title}</h2>
      {children}
    </dialog>
  );
};

/** Offer a text as a file. */
export const download = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};
