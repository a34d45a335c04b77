import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { grouped } from './amounts.ts';
import { daysBetween, dueText, instantText, periodText } from './days.ts';
import { linkTo } from './route.ts';
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

/** A form that leads to the view of its values, or to the one that `to` returns. */
export const SearchForm = ({
  to,
  label,
  children,
}: {
  to: (values: Record<string, string>) => string;
  label?: string;
  children: ComponentChildren;
}) => (
  <form
    class="filters"
    aria-label={label}
    onSubmit={(event) => {
      event.preventDefault();
      location.hash = to(valuesOf(event.currentTarget));
    }}
  >
    {children}
  </form>
);

/** A link to a transaction. */
export const TransactionLink = ({ of: { id, reference_id } }: { of: { id: string; reference_id: string | null } }) => (
  <a href={linkTo(['transactions', id])}>{reference_id ?? id}</a>
);

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

/** Figures are aligned at the right. */
export type Column<Row> = readonly [name: string, cell: (row: Row) => ComponentChildren, kind?: 'figure'];

const pageSize = 50;
/** A last page this short is shown with the page before it. */
const shortPage = 10;

/**
 * A table with a caption. Long tables show fifty rows, and more on request. On a phone each row is a block, whose cells
 * have the names of their columns.
 */
export const Table = <Row,>({
  caption,
  columns,
  rows,
  keyOf,
  empty,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** The text in place of a table without rows. */
  empty: string;
}) => {
  const [shown, setShown] = useState(pageSize);
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const rest = rows.length - shown <= shortPage ? 0 : rows.length - shown;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls by keyboard.
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class={columns.length === 2 ? 'pairs' : ''}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(([name, , kind]) => (
              <th key={name} scope="col" class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, rest === 0 ? undefined : shown).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(([name, cell, kind]) => (
                <td key={name} class={kind} data-label={name}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(rest, pageSize)} more of {rest}
        </button>
      )}
    </section>
  );
};

export const soonDays = 7;

/** How urgent a return is, as a style. */
export const toneOf = (due: string | null, today: string): string => {
  const days = due === null ? null : daysBetween(today, due);
  if (days === null) return '';
  return days < 0 ? 'bad' : days <= soonDays ? 'warn' : '';
};

/** A due date with the days left until then. */
export const DueDate = ({ of, today }: { of: string | null; today: string }) =>
  of === null ? (
    <>not established</>
  ) : (
    <>
      {of} <span class={`chip ${toneOf(of, today)}`}>{dueText(daysBetween(today, of))}</span>
    </>
  );
