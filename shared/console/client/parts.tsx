import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { daysBetween, dueText, grouped, instantText, periodText } from './format.ts';
import { linkTo, type ViewProps } from './route.ts';
import { actorName, useSession } from './session.ts';

type Of<Value> = { readonly of: Value };

/** An amount in a currency. */
export const Amount = ({ of, currency }: Of<string> & { currency?: string }) => (
  <span class="amount">{[grouped(of), currency].filter(Boolean).join(' ')}</span>
);

/** Formats an API code as words: `customer_exempt` becomes `customer exempt`. */
export const wordsOf = (code: string): string => code.replaceAll('_', ' ');

export const Status = ({ of, tone = of }: Of<string> & { tone?: string }) => (
  <span class={`status ${tone.replaceAll(' ', '_')}`}>{wordsOf(of)}</span>
);

/** A timestamp in the account's time zone. */
export const Instant = ({ of }: Of<string>) => (
  <time dateTime={of}>{instantText(of, useSession().account.time_zone)}</time>
);

/** The name of a credential that acted. The tooltip is its immutable id. */
export const Actor = ({ of }: Of<string>) => <span title={of}>{actorName(useSession().account, of)}</span>;

/** Returns the two-letter code of a state: `US-MI` becomes `MI`. */
export const lettersOf = (state: string): string => state.replace(/^US-/, '');

type Period = { readonly state: string; readonly period_start: string; readonly period_end: string };

/** Formats a state and a period: `MI, Aug 2026`. */
export const periodName = (of: Period) => `${lettersOf(of.state)}, ${periodText(of.period_start, of.period_end)}`;

/** A message from the API. Text in backticks is shown as code. */
export const Message = ({ of }: Of<string>) => (
  <>{of.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

/** The warnings of a response. */
export const Warnings = ({ of }: Of<readonly { readonly message: string }[]>) => (
  <>
    {of.map(({ message }, at) => (
      <p key={at} class="notice">
        <Message of={message} />
      </p>
    ))}
  </>
);

/** A section of a view with its title. */
export const Panel = ({ title, children }: { title: string; children: ComponentChildren }) => {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
};

type Named = readonly [name: string, value: ComponentChildren, tone?: 'bad' | 'warn' | false];

const Definitions = ({ of, kind }: Of<readonly Named[]> & { kind: 'cards' | 'facts' }) => (
  <dl class={kind}>
    {of.map(([name, value, tone]) => (
      <div key={name} class={tone || ''}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** The key figures at the top of a view. */
export const Cards = ({ of }: Of<readonly Named[]>) => <Definitions of={of} kind="cards" />;

/** A list of names and values. Entries without a value are omitted. */
export const Facts = ({ of }: Of<readonly Named[]>) => (
  <Definitions of={of.filter(([, value]) => value || value === 0)} kind="facts" />
);

/** Formats a count with its noun: `1 exception`, `2 exceptions`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

type Options = readonly (readonly [value: string, text: string])[];

/** The name, label and type of a form field. The default type is text. */
type FieldOf = readonly [name: string, label: string, kind?: 'date' | 'month' | Options];

type FieldProps = { readonly of: FieldOf; readonly value?: string | null | undefined; readonly isRequired?: boolean };

/** A labelled field of a form. */
export const Field = ({ of: [name, label, kind], value, isRequired = false }: FieldProps) => {
  const id = useId();
  const text = value ?? '';
  const ref = useRef<HTMLInputElement & HTMLSelectElement>(null);
  // Browsers keep the typed value when the default changes, for example on back navigation.
  useLayoutEffect(() => {
    if (ref.current) ref.current.value = text;
  }, [text]);
  const shared = { id, ref, name };
  const input = { ...shared, defaultValue: text, required: isRequired, autocomplete: 'off', spellcheck: false };
  return (
    <span class="field">
      <label for={id}>{label}</label>
      {typeof kind === 'object' ? (
        <select {...shared}>
          {kind.map(([key, option]) => (
            <option key={key} value={key} selected={key === text}>
              {option}
            </option>
          ))}
        </select>
      ) : kind ? (
        <input type={kind} {...input} />
      ) : (
        <input {...input} />
      )}
    </span>
  );
};

/** Returns the trimmed values of a form by name. */
export const valuesOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));

type Values = Readonly<Record<string, string | null | undefined>>;

type SearchProps = {
  /** Returns the URL of the view for these values. */
  readonly to: (values: Record<string, string>) => string;
  readonly fields: readonly FieldOf[];
  /** The values of the fields. */
  readonly values?: Values | undefined;
  /** The label of the submit button. Without one, each change opens the view immediately. */
  readonly button?: string;
  readonly label?: string;
  readonly isRequired?: boolean;
  readonly children?: ComponentChildren;
};

/** A form that opens the view for its values. */
export const SearchForm = ({ to, fields, values = {}, button, label, isRequired = false, children }: SearchProps) => {
  const go = (form: HTMLFormElement) => {
    if (form.reportValidity()) location.hash = to(valuesOf(form));
  };
  return (
    <form
      class="filters"
      aria-label={label}
      onChange={({ currentTarget }) => !button && go(currentTarget)}
      onSubmit={(event) => {
        event.preventDefault();
        if (button) go(event.currentTarget);
      }}
    >
      {fields.map((field) => (
        <Field key={field[0]} of={field} value={values[field[0]]} isRequired={isRequired} />
      ))}
      {button && <button type="submit">{button}</button>}
      {children}
    </form>
  );
};

type PageLinksProps = Pick<ViewProps, 'query'> & {
  readonly view: string;
  /** The cursor of the next page. */
  readonly next: string | null;
  readonly label?: string;
  readonly children?: ComponentChildren;
};

/** The links to the first and the next page of a list. */
export const PageLinks = ({ view, query, next, label = 'Next page', children }: PageLinksProps) => {
  const page = (starting_after: string) => linkTo([view], { ...Object.fromEntries(query), starting_after });
  return (
    <div class="pages">
      {query.get('starting_after') && <a href={page('')}>First page</a>}
      {next && <a href={page(next)}>{label}</a>}
      {children}
    </div>
  );
};

/** A link to a transaction. */
export const TransactionLink = ({ of: { id, reference_id } }: Of<{ id: string; reference_id: string | null }>) => (
  <a href={linkTo(['transactions', id])}>{reference_id ?? id}</a>
);

/** Downloads text as a file. */
export const download = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};

/** `figure` columns are right-aligned. */
export type Column<Row> = readonly [name: string, cell: (row: Row) => ComponentChildren, kind?: 'figure'];

/** Creates amount columns from their names and fields. */
export const amountColumns = <Name extends string>(fields: readonly (readonly [name: string, field: Name])[]) =>
  fields.map(
    ([name, field]): Column<Readonly<Record<Name, string>>> => [name, (row) => <Amount of={row[field]} />, 'figure'],
  );

const pageSize = 50;

/**
 * Returns the first fifty items and a button that shows more. Shows up to `shortPage` remaining items at once instead
 * of on another page.
 */
export const useShown = <Thing,>(things: readonly Thing[], { name = '', shortPage = 0 }) => {
  const [most, setMost] = useState(pageSize);
  const rest = things.length - most <= shortPage ? 0 : things.length - most;
  const button = rest > 0 && (
    <button type="button" onClick={() => setMost(most + pageSize)}>
      Show {Math.min(rest, pageSize)} more of {rest}
      {name}
    </button>
  );
  return { shown: rest === 0 ? things : things.slice(0, most), button };
};

type TableProps<Row> = {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Shown instead of a table without rows. */
  readonly empty?: string;
};

/**
 * A table with a caption. Long tables show fifty rows and a button for more. On a phone, each row is a block whose
 * cells are labeled with their column names.
 */
export const Table = <Row,>({ caption, columns, rows, empty = '' }: TableProps<Row>) => {
  const { shown, button } = useShown(rows, { shortPage: 10 });
  if (rows.length === 0) return <p class="empty">{empty}</p>;
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
          {shown.map((row, at) => (
            <tr key={at}>
              {columns.map(([name, cell, kind]) => (
                <td key={name} class={kind} data-label={name}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {button}
    </section>
  );
};

export const soonDays = 7;

/** Returns the style for the urgency of a return. */
export const toneOf = (due: string | null, today: string): 'bad' | 'warn' | '' => {
  const days = due === null ? Number.POSITIVE_INFINITY : daysBetween(today, due);
  return days < 0 ? 'bad' : days <= soonDays ? 'warn' : '';
};

/** A due date with the days left until then. */
export const DueDate = ({ of, today }: Of<string | null> & { today: string }) =>
  of === null ? (
    <>not established</>
  ) : (
    <>
      {of} <span class={`chip ${toneOf(of, today)}`}>{dueText(daysBetween(today, of))}</span>
    </>
  );
