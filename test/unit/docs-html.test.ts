import fc from 'fast-check';
import { parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { codeBlock, prettyJson } from '../../shared/docs/code-block.ts';
import { html } from '../../shared/docs/html.ts';
import { markdownOf } from '../../shared/docs/markdown.ts';
import document from '../../shared/http/openapi.json' with { type: 'json' };
import { attribute, elementsIn, textOf } from '../support/docs-page.ts';

const parsed = (text: string) => elementsIn(parseFragment(text));
// A parser makes one line end of the two kinds, and has no place for NUL.
const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll(/[\r\0]/g, '').toWellFormed());
const dangerous = fc.array(fc.constantFrom('<', '>', '&', '"', "'", '</p>', '<script>', '&amp;', '-->', 'a'), {
  maxLength: 8,
});
const any = fc.oneof(
  text,
  dangerous.map((parts) => parts.join('')),
);

describe('a template of HTML', () => {
  it('puts any text into an element and an attribute as that text, and as nothing else', () => {
    fc.assert(
      fc.property(any, (value) => {
        const found = parsed(html`<p title="${value}">${value}</p>`.text);
        expect(found.map(({ tagName }) => tagName)).toEqual(['p']);
        for (const element of found) expect([textOf(element), attribute(element, 'title')]).toEqual([value, value]);
      }),
    );
  });

  it('leaves out what is not there, and writes lists one after the other', () => {
    expect(html`<p>${null}${false}${undefined}${['a', html`<b>${1}</b>`, ['<']]}</p>`.text).toBe(
      '<p>a<b>1</b>&lt;</p>',
    );
  });
});

describe('a block of code', () => {
  const values = fc.jsonValue({ depthSize: 'small' });

  it('says of any value what JSON says, coloured or not', () => {
    fc.assert(
      fc.property(values, (value) => {
        const shown = prettyJson(value);
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)));
        const [code] = parsed(codeBlock(shown, 'json').text).filter(({ tagName }) => tagName === 'code');
        expect(code && textOf(code)).toBe(shown.replaceAll('\0', ''));
      }),
    );
  });

  it('says of a command what the command says', () => {
    const command = 'curl -d \'{"a": "<b>"}\' x   # a & b\n# c\nd#e';
    const [code] = parsed(codeBlock(command, 'sh').text).filter(({ tagName }) => tagName === 'code');
    expect(code && textOf(code)).toBe(command);
  });
});

describe('the Markdown of a description', () => {
  const { block, line } = markdownOf(document as any);

  it('is never HTML by itself', () => {
    const found = parsed(block('<img src=x onerror=alert(1)>\n\nA <b>bold</b> `<i>` claim').text);
    expect(found.map(({ tagName }) => tagName)).toEqual(['p', 'code']);
  });

  it('links what it names: an operation, also with a query or over a line end, and an error code', () => {
    const links = (markdown: string) =>
      parsed(line(markdown).text).flatMap((element) => attribute(element, 'href') ?? []);
    expect(links('see `POST /filings` and `GET /product-attributes?ptc=…`')).toEqual([
      '#createFiling',
      '#listProductAttributes',
    ]);
    expect(links('`POST\n/transactions/{id}/replay` or `not_found`')).toEqual([
      '#replayTransaction',
      '#error-not_found',
    ]);
    expect(links('`POST /nothing` and `tax_amount`')).toEqual([]);
  });
});
