import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { read } from '../../functions/get-docs.ts';

type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

export const { text: page, headers } = read();
export const parseErrors: string[] = [];
const tree = parse(page, {
  sourceCodeLocationInfo: true,
  onParseError: ({ code, startLine, startCol }) => parseErrors.push(`${code} at ${startLine}:${startCol}`),
});

const childrenOf = (node: Node): readonly Node[] => ('childNodes' in node ? node.childNodes : []);
const isElement = (node: Node): node is Element => 'tagName' in node;

/** All elements under one, in the order of the page. */
export const elementsIn = (node: Node): readonly Element[] =>
  childrenOf(node).flatMap((child) => [...(isElement(child) ? [child] : []), ...elementsIn(child)]);

/** Every element of the page. */
export const elements = elementsIn(tree);

export const attribute = ({ attrs }: Element, name: string): string | null =>
  attrs.find((one) => one.name === name)?.value ?? null;

/** The text of an element as a reader gets it. */
export const textOf = (node: Node): string =>
  'value' in node && node.nodeName === '#text' ? node.value : childrenOf(node).map(textOf).join('');

const byId = new Map(elements.map((element) => [attribute(element, 'id'), element]));

export const withId = (id: string): Element => {
  const found = byId.get(id);
  if (!found) throw new Error(`Nothing on the page has the id ${id}.`);
  return found;
};

/** The blocks of code in a part of the page, in one language. */
export const codeIn = (id: string, language: string): readonly string[] =>
  elementsIn(withId(id))
    .filter((element) => element.tagName === 'code' && attribute(element, 'class') === language)
    .map(textOf);
