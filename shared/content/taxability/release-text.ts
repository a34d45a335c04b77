/** The text of a release's file: one value of a list on each line, so that changes are easy to compare. */
import type { Release } from '../release.ts';

/** JSON on one line, with a space after each colon and comma. */
const inline = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`);
  return `{${entries.join(', ')}}`;
};

const block = (lines: readonly string[], [open, close]: string, indent: string): string =>
  lines.length === 0
    ? `${open}${close}`
    : `${open}\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}${close}`;

const list = (values: readonly unknown[], indent: string): string => block(values.map(inline), '[]', indent);

const fields = (value: object, textOf: (item: unknown) => string, indent: string): string =>
  block(
    Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${textOf(item)}`),
    '{}',
    indent,
  );

/** The text of the file of a release. */
export const releaseText = (release: Release): string => {
  const textOf = (key: string, value: unknown): string => {
    if (Array.isArray(value)) return list(value, '  ');
    if (key === 'sources') return fields(value as object, inline, '  ');
    return key === 'settings'
      ? fields(value as object, (item) => list(item as unknown[], '    '), '  ')
      : inline(value);
  };
  const lines = Object.entries(release).map(([key, value]) => `${JSON.stringify(key)}: ${textOf(key, value)}`);
  return `${block(lines, '{}', '')}\n`;
};
