import type { WarningCode } from './warning-codes.ts';
import texts from './warning-texts.json' with { type: 'json' };

/** The meaning of each warning, and what to do. Separate from the codes, because most functions need only the codes. */
export const warnings: Readonly<Record<WarningCode, { readonly meaning: string; readonly remedy: string }>> = texts;

/** Returns what a warning means and what to do, in one text. */
export const warningText = (code: WarningCode): string => `${warnings[code].meaning} ${warnings[code].remedy}`;
