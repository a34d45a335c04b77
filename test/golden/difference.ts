/** What differs between two recorded exchanges, for a reader. */

const linesMax = 12;
const lineMax = 400;

const short = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value)).slice(0, 200);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const differingPaths = (before: unknown, after: unknown, path: string): string[] => {
  if (Object.is(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [`${path || '/'}: ${short(before)} -> ${short(after)}`];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => differingPaths(before[name], after[name], `${path}/${name}`));
};

const isBody = (line: string): boolean => line.startsWith('| ');

const jsonOf = (lines: readonly string[]): unknown => {
  try {
    return JSON.parse(lines.map((line) => line.slice(2)).join('\n'));
  } catch {
    return null;
  }
};

const differingLines = (before: readonly string[], after: readonly string[]): string[] =>
  Array.from({ length: Math.max(before.length, after.length) }, (_, at) => [before[at], after[at]] as const)
    .filter(([old, now]) => old !== now)
    .flatMap(([old, now]) => [`- ${old ?? ''}`, `+ ${now ?? ''}`]);

/** The lines to print for an exchange, by its block before and after. */
export const describeDifference = (before: string, after: string): string => {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const [oldBody, newBody] = [old.filter(isBody), now.filter(isBody)];
  const [oldJson, newJson] = [jsonOf(oldBody), jsonOf(newBody)];
  const paths = isObject(oldJson) && isObject(newJson) ? differingPaths(oldJson, newJson, '') : [];
  const heads = differingLines(
    old.filter((line) => !isBody(line)),
    now.filter((line) => !isBody(line)),
  );
  const lines = [...heads, ...(paths.length > 0 ? paths : differingLines(oldBody, newBody))];
  const more = lines.length > linesMax ? [`  … and ${lines.length - linesMax} more lines`] : [];
  const [heading, request] = now.length > 1 ? now : old;
  return [
    `${heading}  ${request}`,
    ...lines.slice(0, linesMax).map((line) => `  ${line.slice(0, lineMax)}`),
    ...more,
  ].join('\n');
};
