/** The difference of two recorded exchanges, as text. */

const linesMax = 12;
const valueMax = 300;

const short = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const differingPaths = (before: unknown, after: unknown, path: string): string[] => {
  if (Object.is(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [`${path || '/'}: ${short(before)} -> ${short(after)}`];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => differingPaths(before[name], after[name], `${path}/${name}`));
};

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line.slice(2));
  } catch {
    return undefined;
  }
};

const differingLine = (before: string | undefined, after: string | undefined): string[] => {
  if (before === after) return [];
  const [old, now] = [before, after].map((line) => (line?.startsWith('| ') ? jsonOf(line) : undefined));
  if (!isObject(old) || !isObject(now))
    return [`- ${before ?? ''}`, `+ ${after ?? ''}`].map((line) => line.slice(0, 600));
  const paths = differingPaths(old, now, '');
  return paths.length > 0
    ? paths
    : ['The same JSON in other bytes:', `- ${before}`, `+ ${after}`].map((line) => line.slice(0, 600));
};

/** The lines to print for an exchange, by its block before and after. */
export const describeDifference = (before: string, after: string): string => {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const lines = Array.from({ length: Math.max(old.length, now.length) }, (_, at) =>
    differingLine(old[at], now[at]),
  ).flat();
  const more = lines.length > linesMax ? [`  … and ${lines.length - linesMax} more lines`] : [];
  const [heading, request] = now.length > 1 ? now : old;
  return [`${heading}  ${request}`, ...lines.slice(0, linesMax).map((line) => `  ${line}`), ...more].join('\n');
};
