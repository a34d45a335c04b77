/** Which product tax codes have a rule in which states, for the coverage page. */
import { stateRateOn } from '../catalog/rates.ts';
import type { Release } from '../catalog/release.ts';
import { chooseRule, shippingRule } from '../tax/rule-choice.ts';
import { requireProduct } from '../vocabulary/product-tax-code.ts';
import { vocabulary } from '../vocabulary/vocabulary.ts';

/** The releases of states that tax general goods on a day. */
export const taxingOn = (releases: readonly Release[], day: string): readonly Release[] =>
  releases.filter((release) => Number(stateRateOn(release, day)?.rate ?? 0) > 0);

/** Whether a rule of at least medium confidence decides about a code in a state, without attributes. */
const isRuled = (release: Release, code: string, day: string): boolean => {
  const product = requireProduct(code);
  const rule = chooseRule(release, release.jurisdictions[0], product, day) ?? shippingRule(release, product, day);
  return rule !== undefined && rule.confidence !== 'low';
};

/** The Markdown table of product tax codes with the states that have no rule for them, as of a day. */
export const productsTable = (releases: readonly Release[], day: string): string => {
  const taxing = taxingOn(releases, day);
  const codes = vocabulary().productTaxCodes.map((code) => {
    const without = taxing.filter((release) => !isRuled(release, code, day)).map(({ state }) => state.slice(3));
    return { code, without: without.toSorted() };
  });
  const cells = codes.length * taxing.length;
  const open = codes.reduce((sum, { without }) => sum + without.length, 0);
  return [
    `${cells - open} of ${cells} cells of ${codes.length} codes and ${taxing.length} jurisdictions have a rule (${((100 * (cells - open)) / cells).toFixed(1)}%).`,
    '',
    '| Code | With a rule | Without |',
    '|---|---|---|',
    ...codes.map(({ code, without }) => `| \`${code}\` | ${taxing.length - without.length} | ${without.join(' ')} |`),
  ].join('\n');
};
