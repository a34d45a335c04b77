import { Event, parseHTML } from 'linkedom';
import { read } from '../../functions/get-docs.ts';

/** The subset of the DOM that the page's tests use. */
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

/** Parses the page into a new document. */
export const newDocument = (): Element => parseHTML(page).document as unknown as Element;
const document = newDocument();

export const all = (selector: string, under: Element = document): readonly Element[] => [
  ...under.querySelectorAll(selector),
];

/** Returns the only element that matches. */
export const only = (selector: string, under: Element = document): Element => {
  const [found, ...others] = all(selector, under);
  if (!found || others.length > 0) throw new Error(`The page has ${others.length + (found ? 1 : 0)} × ${selector}.`);
  return found;
};

const byId = Map.groupBy(all('[id]'), ({ id }) => id);

/** Returns the only element with this id. Uses a map, because the page has thousands of ids. */
export const withId = (id: string): Element => {
  const [found, ...others] = byId.get(id) ?? [];
  if (!found || others.length > 0) throw new Error(`The page has ${others.length + (found ? 1 : 0)} × ${id}.`);
  return found;
};

/** Returns the code blocks of a section of the page in one language. */
export const codeIn = (id: string, language: string): readonly string[] =>
  all(`code.${language}`, withId(id)).map(({ textContent }) => textContent);

/** Dispatches a DOM event, such as `submit`. */
export const fire = (element: Element, type: string): boolean =>
  element.dispatchEvent(new Event(type, { cancelable: true }));
