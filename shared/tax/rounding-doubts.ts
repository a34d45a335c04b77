import type { Evidence, Release } from '../content/release.ts';
import { minorUnit } from './assessment.ts';
import type { Doubt, TaxDocument, TaxedDocument, TaxRow } from './document.ts';
import { doubtsAboutRounding, isDoubtful } from './doubts.ts';
import { roundingSettingOn } from './rounding-setting.ts';

/** A doubt about how a state rounds, and the first line it applies to; `null` is the shipping. */
export type RoundingDoubt = { readonly doubt: Doubt; readonly line: number | null };

type State = { readonly release: Release; readonly evidence: Evidence; readonly isBracketed: boolean };

/** The states of a document whose rounding is not confirmed, by their codes. */
const doubtfulStates = ({ lines, day, currency }: TaxDocument): Map<string, State> => {
  const states = new Map<string, State>();
  for (const { code, release } of new Set(lines.map(({ place }) => place))) {
    // In another currency the state's tables are not used, which is a doubt of its own.
    const setting = release?.currency === currency ? roundingSettingOn(release, day) : undefined;
    if (release && setting && isDoubtful(setting))
      states.set(code, { release, evidence: setting, isBracketed: setting.policy.method === 'bracket' });
  }
  return states;
};

const exactOf = (rows: readonly TaxRow[]): bigint => rows.reduce((sum, { exact }) => sum + exact, 0n);
const isRounded = (exact: bigint): boolean => exact % minorUnit !== 0n;

/** A part of an invoice that is rounded as one, and its first line. */
type Total = { readonly state: string; readonly line: number | null; exact: bigint };

/** The sums of the rows of each state's invoice, by table. */
class Invoices {
  private readonly byName = new Map<string, Map<string, Total>>();

  add(state: string, { isBracketed }: State, { jurisdiction, rate, exact }: TaxRow, line: number | null): void {
    // Rows without a table are rounded together. If each is whole cents, so is their sum.
    const [name, part] = isBracketed ? [jurisdiction.code, rate] : [state, ''];
    const parts = this.byName.get(name) ?? new Map<string, Total>();
    const total = parts.get(part) ?? { state, line, exact: 0n };
    if (total.exact === 0n) this.byName.set(name, parts.set(part, total));
    total.exact += exact;
  }

  rounded(): readonly Total[] {
    return [...this.byName.values()].flatMap((parts) => [...parts.values()].filter(({ exact }) => isRounded(exact)));
  }
}

/**
 * The doubts about states whose rounding is not confirmed, each once, and only where rounding changed the tax: exact taxes
 * whose sums are whole cents are the same with any rounding.
 */
export const roundingDoubts = (document: TaxDocument, { lines, shipping }: TaxedDocument): readonly RoundingDoubt[] => {
  const states = doubtfulStates(document);
  const invoices = new Invoices();
  const doubts: RoundingDoubt[] = [];
  const report = (code: string, line: number | null): void => {
    const state = states.get(code);
    states.delete(code);
    if (state) for (const doubt of doubtsAboutRounding(state.evidence, state.release)) doubts.push({ doubt, line });
  };
  const isOnInvoice = (state: State): boolean => document.rounding === 'invoice' || state.isBracketed;
  for (const [line, { rows }] of states.size > 0 ? lines.entries() : []) {
    const code = document.lines[line]?.place.code ?? '';
    const state = states.get(code);
    if (!state) continue;
    if (isOnInvoice(state)) for (const row of rows) invoices.add(code, state, row, line);
    else if (isRounded(exactOf(rows))) report(code, line);
  }
  if (shipping && states.size > 0) {
    const codes = new Map(
      document.lines.flatMap(({ place }) => place.jurisdictions.map(({ code }) => [code, place.code] as const)),
    );
    const isOdd = isRounded(exactOf(shipping.rows));
    for (const row of shipping.rows) {
      const code = codes.get(row.jurisdiction.code) ?? '';
      const state = states.get(code);
      if (state && isOnInvoice(state)) invoices.add(code, state, row, null);
      else if (isOdd && row.exact !== 0n) report(code, null);
    }
  }
  for (const { state, line } of invoices.rounded()) report(state, line);
  return doubts;
};
