import { Event, parseHTML } from 'linkedom';
import { read } from '../../functions/get-docs.ts';

/** The part of the DOM that the tests of the page use. */
export type Element = {
  readonly tagName: string;
  readonly id: string;
  textContent: string;
  readonly dataset: Readonly<Record<string, string>>;
  value: string;
  hidden: boolean;
  getAttribute(name: string): string | null;
  getAttributeNames(): readonly string[];
  querySelectorAll(selector: string): Iterable<Element>;
  dispatchEvent(event: object): boolean;
  click(): void;
};

export const { text: page, headers } = read();

/** Parse the page into a new document. */
export const newDocument = (): Element => parseHTML(page).document as unknown as Element;
const document = newDocument();

export const all = (selector: string, under: Element = document): readonly Element[] => [
  ...under.querySelectorAll(selector),
];

/** The only element that matches. */
export const only = (selector: string, under: Element = document): Element => {
  const [found, ...others] = all(selector, under);
  if (!found || others.length > 0) throw new Error(`The page has ${others.length + (found ? 1 : 0)} × ${selector}.`);
  return found;
};

const byId = Map.groupBy(all('[id]'), ({ id }) => id);

/** The only element with this id. A map, because the page has thousands of ids. */
export const withId = (id: string): Element => {
  const [found, ...others] = byId.get(id) ?? [];
  if (!found || others.length > 0) throw new Error(`The page has ${others.length + (found ? 1 : 0)} × ${id}.`);
  return found;
};

/** The blocks of code in a section of the page, in one language. */
export const codeIn = (id: string, language: string): readonly string[] =>
  all(`[id="${id}"] code.${language}`).map(({ textContent }) => textContent);

/** Fire an event of the DOM, such as `submit`. */
export const fire = (element: Element, type: string): boolean =>
  element.dispatchEvent(new Event(type, { cancelable: true }));
