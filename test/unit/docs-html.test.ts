import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { codeBlock, html, prettyJson } from '../../shared/docs/html.ts';
import { blocks, inline } from '../../shared/docs/markdown.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;
const textOf = (node: Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
const elementsIn = (nodes: readonly Node[]): readonly Element[] =>
  nodes.flatMap((node) => ('tagName' in node ? [node, ...elementsIn(node.childNodes)] : []));
const parsed = (text: string) => elementsIn(parseFragment(text).childNodes);

// A parser makes one line end of the two kinds, and drops NUL.
const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll(/[\r\0]/g, '').toWellFormed());
const dangerous = fc.array(fc.constantFrom('<', '>', '&', '"', "'", '</p>', '<script>', '&amp;', '-->', 'a'), {
  maxLength: 8,
});

it('A template of HTML escapes any text in an element and an attribute', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        dangerous.map((parts) => parts.join('')),
      ),
      (value) => {
        const [found, ...others] = parsed(html`<p title="${value}">${[value, null, false, undefined]}</p>`.text);
        expect(others).toEqual([]);
        expect(found && [found.tagName, textOf(found), found.attrs]).toEqual(['p', value, [{ name: 'title', value }]]);
      },
    ),
  );
});

describe('A block of code', () => {
  const codeIn = (code: string, language: string) =>
    parsed(codeBlock(code, language).text)
      .filter(({ tagName }) => tagName === 'code')
      .map(textOf);

  it('shows any JSON value unchanged by indentation and colors', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small' }), (value) => {
        const shown = prettyJson(value);
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(codeIn(shown, 'json')).toEqual([shown.replaceAll('\0', '')]);
      }),
    );
  });

  it('shows any command unchanged', () => {
    fc.assert(
      fc.property(text, (command) => {
        expect(codeIn(`x${command}`, 'sh')).toEqual([`x${command}`]);
      }),
    );
  });
});

describe('Markdown of a description', () => {
  it('escapes HTML', () => {
    const found = parsed(blocks('<img src=x onerror=alert(1)>\n\nA <b>bold</b> `<i>` claim').text);
    expect(found.map(({ tagName }) => tagName)).toEqual(['p', 'code']);
  });

  it('links operations, even with a query or a line break, and error codes', () => {
    const links = (markdown: string) =>
      parsed(inline(markdown).text).flatMap(({ attrs }) => attrs.map(({ value }) => value));
    expect(links('`POST /filings`, `GET /product-attributes?ptc=…`, `POST\n/transactions/{id}/replay`')).toEqual([
      '#createFiling',
      '#listProductAttributes',
      '#replayTransaction',
    ]);
    expect(links('`not_found`, `POST /nothing` and `tax_amount`')).toEqual(['#error-not_found']);
  });
});
