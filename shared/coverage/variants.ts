import type { Release, Rule } from '../content/release.ts';
import { type ProductTaxCode, parseProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { decisionsOn, holdsOn, names } from './decisions.ts';
import { textOf } from './decisions-in-words.ts';
import { productOf } from './product-of.ts';

/** The attributes of goods of a kind that any rule asks for. */
const attributesOf = (release: Release, product: ProductTaxCode, day: string): string[] => {
  const asked = release.rules
    .filter((rule) => names(rule, product) && holdsOn(release, day)(rule))
    .flatMap(({ attributes: { any } }) => any);
  return [...new Set(asked)].filter((code) => canCarry(product, code));
};

const canCarry = ({ canonical }: ProductTaxCode, code: string): boolean =>
  parseProductTaxCode(`${canonical}.${code}`).ok;

/** What goods of a kind get with one more attribute. */
export type Variant = { readonly attribute: string; readonly text: string; readonly rules: readonly Rule[] };

/** What each attribute that a rule asks for makes of goods: what the bare code gets, some of its kind may not. */
export const variantsOf = (release: Release, product: ProductTaxCode, day: string): Variant[] =>
  attributesOf(release, product, day).map((attribute) => {
    const decisions = decisionsOn(release, productOf(`${product.canonical}.${attribute}`), day);
    return { attribute, text: textOf(decisions), rules: decisions.flatMap(({ rule }) => rule ?? []) };
  });
