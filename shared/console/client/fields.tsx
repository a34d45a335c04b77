import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { toWords } from './format.ts';
import { getFormValues } from './forms.ts';

/** The options of a select: its values, or values with a text. A code without a text is shown as words. */
type Options = readonly (string | readonly [value: string, text: string])[];

/** The name, label and type of a form field. The default type is text. */
type FieldRow = readonly [name: string, label: string, kind?: 'date' | 'month' | Options | undefined];

/** The fields of a postal address, by their names in the API. */
export const addressFields = [
  ['line1', 'Street'],
  ['city', 'City'],
  ['county', 'County'],
  ['state', 'State'],
  ['postal_code', 'ZIP code'],
] as const;

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
  const options =
    typeof kind === 'object' ? kind.map((one) => (typeof one === 'string' ? [one, toWords(one)] : one)) : [];
  const text = value ?? options[0]?.[0] ?? '';
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
          {options.map(([key, option]) => (
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
  /** The index of the group in a list. It is the suffix of the field names: `state-0`. */
  readonly at?: number;
};

/** A group of form fields with their values. */
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
