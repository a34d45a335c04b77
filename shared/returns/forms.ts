import * as z from 'zod/mini';
import { frequencies } from '../accounts/account.ts';
import { type FormName, formNames } from '../catalog/form-names.ts';
import data from '../catalog/worksheet-forms.json' with { type: 'json' };

/**
 * The layouts of sales tax forms (shared/catalog/worksheet-forms.json): their lines, and the source of each line's
 * amount. A line without an amount in the filing is blank, with the reason.
 */

/** The jurisdiction codes of cities that collect their own tax, which is not on the state's return. */
const selfCollecting = new Set(Object.values(data.self_collecting_cities.codes).map((code) => `US-CO-01-${code}`));
export const isSelfCollecting = (jurisdiction: string): boolean => selfCollecting.has(jurisdiction);

/**
 * An amount of a filing. `tax` and `…_tax` are calculated tax without fees; `…_due` adds the over-collected tax.
 * `food_drug_due` is the state's tax on food and health products at its reduced rate, and `general_due` the rest of `tax_due`.
 * `own_…` leaves out sales whose tax a marketplace collects.
 */
const figures = [
  ...(['gross', 'deductions', 'taxable'] as const),
  ...(['own_gross', 'own_deductions', 'own_gross_with_tax', 'own_deductions_with_tax'] as const),
  ...(['tax', 'state_tax', 'local_tax', 'over_collected'] as const),
  ...(['general_due', 'food_drug_due', 'state_due', 'local_due', 'tax_due'] as const),
] as const;
export type FormFigure = (typeof figures)[number];

const texts = z.array(z.string());
const unit = z.enum(['cent', 'dollar']);

/**
 * The totals of a filing that count for a line. For sales, such as `gross`, select one level, so each sale counts once.
 */
const TotalFilter = z.strictObject({
  types: z.optional(z.array(z.enum(['state', 'county', 'city', 'district']))),
  codes: z.optional(texts),
  except: z.optional(texts),
  /** `true`: only cities that collect their own tax. `false`: all jurisdictions except these cities. */
  self_collecting: z.optional(z.boolean()),
  /** Only sales at this rate. It has no effect on tax. */
  rate: z.optional(z.string()),
});
export type TotalFilter = z.infer<typeof TotalFilter>;

const named = { line: z.string(), label: z.string(), comment: z.optional(z.string()) };
const FormLine = z.union([
  // `unit`: the unit of this line, if it differs from the form's unit.
  z.strictObject({ ...named, figure: z.enum(figures), only: z.optional(TotalFilter), unit: z.optional(unit) }),
  // The arithmetic of the form over its own lines; a blank line counts as zero.
  z.strictObject({ ...named, add: texts, subtract: z.optional(texts) }),
  z.strictObject({ ...named, blank: z.string() }),
]);

const FormLayout = z.strictObject({
  form: z.enum(Object.values(formNames) as [FormName, ...FormName[]]),
  title: z.string(),
  edition: z.string(),
  source: z.string(),
  confidence: z.enum(['high', 'medium', 'low']),
  /** The unit of the form's amounts. Halves round away from zero. */
  unit,
  /** The frequency of the form, if the state has different forms for other frequencies. */
  frequency: z.optional(z.enum(frequencies)),
  lines: z.array(FormLine),
  /** The line with all tax on sales, before credits and payments. It is compared with the filing. */
  total: z.string(),
  /** The schedule of local jurisdictions. */
  schedule: z.string(),
  /** Whether the form includes sales of a marketplace in gross sales and deductions, as the lines do. */
  marketplace: z.optional(z.string()),
  /** How the form reports refunds. The lines are net of credits. */
  credits: z.optional(z.string()),
  /** What to check on this form. */
  notes: texts,
});
export type FormLayout = z.infer<typeof FormLayout>;

/** Returns the layout of a form. Throws if the file has no such form. */
export const formLayout = (name: FormName): FormLayout =>
  FormLayout.parse(data.forms.find(({ form }) => form === name));
