import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { grouped } from './amounts.ts';

/** An amount of a currency. */
export const Amount = ({ of, currency = '' }: { of: string; currency?: string }) => (
  <span class="amount">
    {grouped(of)}
    {currency && ` ${currency}`}
  </span>
);

export const Status = ({ of }: { of: string }) => <span class={`status ${of}`}>{of.replaceAll('_', ' ')}</span>;

/** `1 exception`, `2 exceptions`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Names and values. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value ?? '–'}</dd>
      </div>
    ))}
  </dl>
);

type FieldProps = {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly type?: 'date' | undefined;
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
  return type === 'date' ? <input type="date" {...shared} /> : <input {...shared} />;
};

/** A labelled field of a form. */
export const Field = (props: FieldProps) => {
  const id = useId();
  const { name, label, value = '', options } = props;
  return (
    <span class="field">
      <label for={id}>{label}</label>
      {options ? (
        <select id={id} name={name}>
          {options.map(([key, text]) => (
            <option key={key} value={key} selected={key === value}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <Input {...props} id={id} />
      )}
    </span>
  );
};

/** The values of a form by name, without white space around them. */
export const valuesOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));

/** A modal dialog with the focus in it. Escape closes it. */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
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
    // An element that the page has removed reports its end, too.
    <dialog ref={dialog} aria-label={title} onClose={(event) => event.currentTarget.isConnected && onClose()}>
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
