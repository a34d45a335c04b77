import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { compareAmounts, dueText, getSum, grouped, instantText, type Money, periodText } from './format.ts';
import { getFormValues } from './forms.ts';
import { linkTo } from './route.ts';
import { actorName, useSession } from './session.ts';

type ValueProps<Value> = { readonly value: Value };

/** An amount in a currency. */
export const Amount = ({ value, currency }: ValueProps<string> & { currency?: string }) => (
  <span class="amount">{[grouped(value), currency].filter(Boolean).join(' ')}</span>
);

/** Amounts of several currencies, one below the other. */
export const Amounts = ({ value }: ValueProps<readonly Money[]>) => (
  <>
    {value.map(({ currency, amount }) => (
      <div key={currency}>
        <Amount value={amount} currency={currency} />
      </div>
    ))}
  </>
);

/** Formats an API code as words: `customer_exempt` becomes `customer exempt`. */
export const toWords = (code: string): string => code.replaceAll('_', ' ');

export const Status = ({ value, tone = value }: ValueProps<string> & { tone?: string }) => (
  <span class={`status ${tone.replaceAll(' ', '_')}`}>{toWords(value)}</span>
);

/** A timestamp in the account's time zone. */
export const Instant = ({ value }: ValueProps<string>) => (
  <time dateTime={value}>{instantText(value, useSession().account.time_zone)}</time>
);

/** The name of a credential that acted. The tooltip is its immutable id. */
export const Actor = ({ value }: ValueProps<string>) => (
  <span class="actor" title={value}>
    {actorName(useSession().account, value)}
  </span>
);

/** Returns the two-letter code of a state: `US-MI` becomes `MI`. */
export const getStateLetters = (state: string): string => state.replace(/^US-/, '');

type Period = { readonly state: string; readonly period_start: string; readonly period_end: string };

/** Formats a state and a period: `MI, Aug 2026`. */
export const periodName = (period: Period) =>
  `${getStateLetters(period.state)}, ${periodText(period.period_start, period.period_end)}`;

/** A link to the filing of a period, or to its dry run if it has none. */
export const PeriodLink = ({ value }: ValueProps<Period & { readonly id?: string | null }>) => (
  <a class="period" href={linkTo(value.id ? ['filings', value.id] : ['filings', value.state, value.period_end])}>
    {periodName(value)}
  </a>
);

/** A message from the API. Text in backticks is shown as code. */
export const Message = ({ value }: ValueProps<string>) => (
  <>{value.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

/** The warnings of a response. */
export const Warnings = ({ value }: ValueProps<readonly { readonly message: string }[]>) => (
  <>
    {value.map(({ message }, at) => (
      <p key={at} class="notice">
        <Message value={message} />
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

const Definitions = ({ value, kind }: ValueProps<readonly Named[]> & { kind: 'cards' | 'facts' }) => (
  <dl class={kind}>
    {value.map(([name, value, tone]) => (
      <div key={name} class={tone || ''}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** The key figures at the top of a view. */
export const Cards = ({ value }: ValueProps<readonly (Named | false)[]>) => (
  <Definitions value={value.filter((card) => card !== false)} kind="cards" />
);

/** A button that does not submit its form. */
export const Button = ({ onClick, children }: { onClick: () => void; children: ComponentChildren }) => (
  <button type="button" onClick={onClick}>
    {children}
  </button>
);

/** A list of names and values. Entries without a value are omitted. */
export const Facts = ({ value }: ValueProps<Readonly<Record<string, ComponentChildren>>>) => (
  <Definitions value={Object.entries(value).filter(([, fact]) => fact || fact === 0)} kind="facts" />
);

/** Formats a count with its noun: `1 exception`, `2 exceptions`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

type Options = readonly (readonly [value: string, text: string])[];

/** The name, label and type of a form field. The default type is text. */
type FieldRow = readonly [name: string, label: string, kind?: 'date' | 'month' | Options | undefined];

type FieldProps = {
  readonly field: FieldRow;
  readonly value?: string | null | undefined;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly inputMode?: 'decimal';
};

/** A labelled field of a form. */
export const Field = ({ field: [name, label, kind], value, ...limits }: FieldProps) => {
  const id = useId();
  const text = value ?? (typeof kind === 'object' ? kind[0]?.[0] : '') ?? '';
  const ref = useRef<HTMLInputElement & HTMLSelectElement>(null);
  // Browsers keep the typed value when the default changes, for example on back navigation.
  useLayoutEffect(() => {
    if (ref.current) ref.current.value = text;
  }, [text]);
  const shared = { id, ref, name };
  const input = { ...shared, ...limits, defaultValue: text, autocomplete: 'off', spellcheck: false };
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
      ) : (
        <input {...(kind && { type: kind })} {...input} />
      )}
    </span>
  );
};

type Values = Readonly<Record<string, string | null | undefined>>;

export type FieldsProps = {
  readonly legend: string;
  readonly fields: readonly FieldRow[];
  readonly values: Values;
  /** The number of the group in a list, which ends the names of its fields: `state-0`. */
  readonly at?: number;
};

/** A group of fields with their values. */
export const Fields = ({ legend, fields, values, at }: FieldsProps) => (
  <fieldset>
    <legend>{legend}</legend>
    {fields.map(([name, label, kind]) => (
      <Field key={name} field={[at === undefined ? name : `${name}-${at}`, label, kind]} value={values[name]} />
    ))}
  </fieldset>
);

type SearchProps = {
  /** Returns the URL of the view for these values. */
  readonly to: (values: Record<string, string>) => string;
  readonly fields: readonly FieldRow[];
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
    if (form.reportValidity()) location.hash = to(getFormValues(form));
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
        <Field key={field[0]} field={field} value={values[field[0]]} required={isRequired} />
      ))}
      {button && <button type="submit">{button}</button>}
      {children}
    </form>
  );
};

type CheckProps = {
  readonly name: string;
  /** The value of a radio button. A checkbox has the value `on`. */
  readonly radio?: string;
  readonly isChecked?: boolean;
  readonly children: ComponentChildren;
};

/** A checkbox or a radio button. */
export const Check = ({ name, radio, isChecked = false, children }: CheckProps) => (
  <label class="check">
    <input type={radio ? 'radio' : 'checkbox'} name={name} value={radio ?? 'on'} defaultChecked={isChecked} />{' '}
    {children}
  </label>
);

/** A text with a button that copies it, where the browser allows it: in secure contexts. */
export const Copied = ({ value, children }: ValueProps<string> & { children: ComponentChildren }) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), 1600);
  };
  return (
    <span class="copied">
      {children}
      {navigator.clipboard && (
        <button type="button" aria-label={`Copy ${value}`} aria-live="polite" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      )}
    </span>
  );
};

/** A link to a transaction. */
export const TransactionLink = ({
  value: { id, reference_id },
}: ValueProps<{ id: string; reference_id: string | null }>) => (
  <a href={linkTo(['transactions', id])}>{reference_id ?? id}</a>
);

/** Downloads a file. */
export const download = (name: string, file: Blob): void => {
  const address = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};

type Value = string | number | null | undefined;

/**
 * `figure` columns are right-aligned. `value` is what the column sorts by, if a cell is not text; a column of figures
 * with a `value` has a total.
 */
export type Column<Row> = readonly [
  name: string,
  cell: (row: Row) => ComponentChildren,
  kind?: 'figure' | '',
  value?: (row: Row) => Value,
];

/** Creates amount columns from their names and fields. */
export const amountColumns = <Name extends string>(fields: readonly (readonly [name: string, field: Name])[]) =>
  fields.map(
    ([name, field]): Column<Readonly<Record<Name, string | null>>> => [
      name,
      (row) => row[field] !== null && <Amount value={row[field]} />,
      'figure',
      (row) => row[field],
    ],
  );

/** Compares figures by amount and other values as text. Rows without a value are last. */
const compareBy =
  <Row,>([, , kind, value]: Column<Row>, isDown: boolean) =>
  (left: Row, right: Row): number => {
    const [a, b] = [left, right].map((row) => String(value?.(row) ?? '')) as [string, string];
    if (a === '' || b === '') return Number(a === '') - Number(b === '');
    const order = kind === 'figure' ? compareAmounts(a, b) : a.localeCompare(b, 'en', { numeric: true });
    return isDown ? -order : order;
  };

/** Returns the columns, with a `value` added to each column whose cells are all text or empty. */
const withValues = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly Column<Row>[] =>
  columns.map((column) => {
    const [name, cell, kind = '', value] = column;
    const isText = (row: Row) => ['string', 'number'].includes(typeof (cell(row) ?? ''));
    return value || !rows.every(isText) ? column : [name, cell, kind, (row) => cell(row) as Value];
  });

const pageSize = 50;

/**
 * Returns the first fifty items and a button that shows more. Shows up to `shortPage` remaining items at once instead
 * of on another page.
 */
export const useShown = <Thing,>(things: readonly Thing[], { name = '', shortPage = 0 }) => {
  const [most, setMost] = useState(pageSize);
  const rest = things.length - most <= shortPage ? 0 : things.length - most;
  const button = rest > 0 && (
    <Button onClick={() => setMost(most + pageSize)}>
      Show {Math.min(rest, pageSize)} more of {rest}
      {name}
    </Button>
  );
  return { shown: rest === 0 ? things : things.slice(0, most), button };
};

export type TableProps<Row> = {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Shown instead of a table without rows. Without it, nothing is shown. */
  readonly empty?: string;
  /** Whether the names of columns are buttons that sort the rows. */
  readonly isSortable?: boolean;
  /** The totals: a row for each group of `by`, such as the currency, without the rows of `null`. */
  readonly sums?: { readonly by: (row: Row) => string | null; readonly label?: string };
};

type SumsProps<Row> = Required<Pick<TableProps<Row>, 'columns' | 'rows' | 'sums'>>;

const Sums = <Row,>({ columns, rows, sums: { by, label = 'rows' } }: SumsProps<Row>) => {
  const groups = Map.groupBy(rows, by);
  groups.delete(null);
  return (
    <tfoot>
      {[...groups].map(([group, members]) => (
        <tr key={group}>
          {columns.map(([name, , kind, value], at) => {
            const isSummed = kind === 'figure' && value;
            return (
              <td key={name} class={kind} data-label={name}>
                {at === 0 && `Total of ${members.length} ${label}, ${group}`}
                {isSummed && <Amount value={getSum(members.map((row) => String(value(row) ?? 0)))} />}
              </td>
            );
          })}
        </tr>
      ))}
    </tfoot>
  );
};

/**
 * A table with a caption. Long tables show fifty rows and a button for more. On a phone, each row is a block whose
 * cells are labeled with their column names.
 */
export const Table = <Row,>({ caption, columns: given, rows, empty, isSortable, sums }: TableProps<Row>) => {
  const [order, setOrder] = useState<{ name: string; isDown: boolean } | null>(null);
  const columns = isSortable ? withValues(given, rows) : given;
  const chosen = columns.find(([name]) => name === order?.name);
  const sorted = chosen && order ? rows.toSorted(compareBy(chosen, order.isDown)) : rows;
  const { shown, button } = useShown(sorted, { shortPage: 10 });
  if (rows.length === 0) return empty ? <p class="empty">{empty}</p> : null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls by keyboard.
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class={isSortable ? 'sortable' : columns.length === 2 ? 'pairs' : ''}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(([name, , kind, value]) => {
              const isDown = order?.name === name && order.isDown;
              const sort = order?.name === name ? (isDown ? 'descending' : 'ascending') : undefined;
              return (
                <th key={name} scope="col" class={kind} aria-sort={sort}>
                  {isSortable && value ? (
                    <button type="button" class="sort" onClick={() => setOrder({ name, isDown: sort === 'ascending' })}>
                      {name}
                    </button>
                  ) : (
                    name
                  )}
                </th>
              );
            })}
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
        {sums && <Sums columns={columns} rows={rows} sums={sums} />}
      </table>
      {button}
    </section>
  );
};

export const soonDays = 7;

/** Returns the style for the urgency of a return, by the days left. */
export const getTone = (days: number | null): 'bad' | 'warn' | '' =>
  days === null ? '' : days < 0 ? 'bad' : days <= soonDays ? 'warn' : '';

/** A due date with the days left until then, if the return is not filed. */
export const DueDate = ({
  value: { due_date, days_until_due: days },
}: ValueProps<Pick<Schemas['Filing'], 'due_date' | 'days_until_due'>>) =>
  due_date === null ? (
    <>not established</>
  ) : (
    <>
      {due_date} {days !== null && <span class={`chip ${getTone(days)}`}>{dueText(days)}</span>}
    </>
  );
