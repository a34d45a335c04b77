import { addCopy } from './copy.ts';
import { element } from './elements.ts';

const block = (text: string): HTMLElement => {
  const pre = element('pre', '', element('code', 'text', text));
  pre.tabIndex = 0;
  const made = element('div', 'code', pre);
  addCopy(made);
  return made;
};

const pretty = (text: string, type: string): string => {
  if (!type.startsWith('application/json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const headersOf = (response: Response): HTMLElement => {
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const details = element(
    'details',
    'inside',
    element('summary', '', `${lines.length} headers`),
    block(lines.join('\n')),
  );
  return details;
};

/** The parts of an answer: the status, how long it took, the headers and the body. */
export const resultOf = (response: Response, text: string, ms: number): HTMLElement[] => {
  const status = element('span', response.ok || response.status === 304 ? 'status ok' : 'status', `${response.status}`);
  const line = element('p', '', status, ` ${response.statusText} in ${Math.round(ms)} ms`);
  const type = response.headers.get('Content-Type') ?? '';
  const body = text === '' ? element('p', 'hint', 'No body.') : block(pretty(text, type));
  return [line, headersOf(response), body];
};

/** Why nothing was answered. */
export const failureOf = (text: string): HTMLElement[] => [element('p', 'problem', text)];
