import { inForce } from '../../content/effective.ts';
import type { Release } from '../../content/release.ts';
import type { TaxDocument, TaxedDocument, TaxLine, TaxRow } from '../../tax/document.ts';
import type { Writer } from '../figures.ts';
import { lineIds } from '../line-ids.ts';
import type { LocatedLine } from '../locate-lines.ts';
import type { CalculationInput } from '../request.ts';
import type { ExplanationStep } from '../response.ts';
import { lineBaseSteps, sharesOf, shippingBaseSteps } from './base.ts';
import { placeSteps } from './place.ts';
import { exactTax, rowSteps } from './row.ts';
import type { Goods } from './rule.ts';
import { cite, decimalText, step, sumOf } from './step.ts';

/** A calculation, from the request to the figures. */
export type Explained = {
  readonly input: CalculationInput;
  readonly document: TaxDocument;
  readonly located: readonly LocatedLine[];
  readonly taxed: TaxedDocument;
  readonly write: Writer;
};

type Charge = { readonly rows: readonly TaxRow[]; readonly tax: bigint };

/** How the exact taxes became cents: alone, or together with the rest of the invoice. */
const roundingStep = (charge: Charge, goods: Goods, { document, write }: Explained, pointer: string) => {
  const { rounding, exponent, taxIncluded, day } = document;
  const { release } = goods;
  const setting = inForce(release?.settings.rounding ?? [], day, '')[0];
  const isBracketed = setting?.policy.method === 'bracket';
  const exacts = charge.rows.map((row) => exactTax(row, exponent));
  const sum = `The exact taxes add up to ${decimalText(sumOf(exacts))}`;
  const tax = write(charge.tax);
  const text = taxIncluded
    ? `${sum}; the tax is what the gross leaves beside the net, ${tax}.`
    : isBracketed
      ? `${sum}. ${release?.name ?? 'The state'} rounds by its statutory tables, on the total of the invoice; the share of this is ${tax}.`
      : rounding === 'invoice'
        ? `${sum}. The account rounds by invoice: everything of the state is added up and rounded half up once; the share of this is ${tax}.`
        : `${sum}; rounded half up once, that is ${tax}.`;
  const split = charge.rows.length > 1 ? ' It is split over the jurisdictions by largest remainder.' : '';
  return step('rounding', pointer, `${text}${split}`, null, cite(release, setting?.source));
};

const goodsOf = (line: TaxLine, index: number, shipping: bigint, { input, document, taxed }: Explained): Goods => ({
  product: line.product,
  quantity: line.quantity,
  exemption: input.line_items?.[index]?.customer?.exemption ?? input.customer?.exemption ?? null,
  day: document.day,
  release: line.place.release,
  treatments: taxed.lines[index]?.treatments ?? [],
  shipping,
});

const lineSteps = (line: TaxLine, index: number, share: bigint, explained: Explained): ExplanationStep[] => {
  const { document, located, taxed, write } = explained;
  const pointer = `/line_items/${index}`;
  const goods = goodsOf(line, index, share, explained);
  const figures = taxed.lines[index] as TaxedDocument['lines'][number];
  return [
    ...placeSteps(located[index] as LocatedLine, document.day, pointer),
    ...lineBaseSteps(line, figures, document, pointer, write),
    ...figures.rows.flatMap((row) => rowSteps(row, goods, document.exponent, pointer, write)),
    roundingStep(figures, goods, explained, pointer),
  ];
};

const oneUnit = { units: 1n, scale: 0 };

// Shipping can go to several states: the rows of each are explained with its release, and rounded together.
const shippingSteps = (explained: Explained): ExplanationStep[] => {
  const { input, document, taxed, write } = explained;
  if (!document.shipping || !taxed.shipping) return [];
  const { shipping } = taxed;
  const { product } = document.shipping;
  const releaseOf = ({ jurisdiction }: TaxRow): Release | null =>
    document.lines.find(({ place }) => place.jurisdictions.some(({ code }) => code === jurisdiction.code))?.place
      .release ?? null;
  const goods = (release: Release | null): Goods => ({
    product,
    quantity: oneUnit,
    exemption: input.customer?.exemption ?? null,
    day: document.day,
    release,
    treatments: shipping.treatments,
    shipping: 0n,
  });
  const states = [...Map.groupBy(shipping.rows, releaseOf)];
  return [
    ...shippingBaseSteps(document, taxed, lineIds(input.line_items ?? []), write),
    ...states.flatMap(([release, rows]) => [
      ...rows.flatMap((row) => rowSteps(row, goods(release), document.exponent, '/shipping', write)),
      roundingStep({ rows, tax: rows.reduce((sum, { tax }) => sum + tax, 0n) }, goods(release), explained, '/shipping'),
    ]),
  ];
};

// An answer ends at 6 MB, and a thousand lines in six jurisdictions would have 15,000 steps of 220 bytes.
const stepsMax = 10_000;

const leftOut = (index: number, count: number): ExplanationStep =>
  step(
    'base',
    `/line_items/${index}`,
    `The steps of ${count - index} lines, this one and those after it, are left out: there would be too many. Calculate these lines in a document of their own.`,
  );

/**
 * How each line and the shipping came to their tax, step by step, in sentences with exact figures: the address (once, where
 * lines share it) and its jurisdictions, the base, each jurisdiction's rule with its arithmetic and its rate, the rounding.
 * Each step has the rule and the citation that it rests on. After some 10,000 steps the lines that are left are only named.
 */
export const explain = (explained: Explained): ExplanationStep[] => {
  const { lines } = explained.document;
  const shares = sharesOf(explained.taxed);
  const told = new Set<string>();
  const steps: ExplanationStep[] = [];
  for (const [index, line] of lines.entries()) {
    if (steps.length >= stepsMax) {
      steps.push(leftOut(index, lines.length));
      break;
    }
    for (const one of lineSteps(line, index, shares[index] ?? 0n, explained)) {
      // Of a thousand lines with the document's address, each would say the same of it.
      const address = one.step === 'address' ? `${one.pointer} ${one.text}` : null;
      if (address === null || !told.has(address)) steps.push(one);
      if (address !== null) told.add(address);
    }
  }
  return [...steps, ...shippingSteps(explained)];
};
