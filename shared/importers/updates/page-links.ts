import { Tokenizer } from 'htmlparser2';

const ignore = (): void => {};

/**
 * The addresses of all links of an HTML page, absolute and https; links that are no such address are left out.
 *
 * A tokenizer without a tree: the time is linear in the size of the page, however deep its tags are nested.
 */
export const linksOf = (html: string, base: string): readonly URL[] => {
  const links: URL[] = [];
  let [tag, attribute, value]: [string, string, string | null] = ['', '', null];
  const end = () => {
    if (value === null) return;
    const link = URL.parse(value, base);
    // Every publisher serves https, and some of their pages link to http.
    if (link?.protocol === 'http:') link.protocol = 'https:';
    if (link?.protocol === 'https:') links.push(link);
    value = null;
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, stop) => {
        tag = stop - start === 1 ? html.slice(start, stop).toLowerCase() : '';
        value = null;
      },
      onattribname: (start, stop) => {
        attribute = tag === 'a' && stop - start === 4 ? html.slice(start, stop).toLowerCase() : '';
      },
      onattribdata: (start, stop) => {
        if (attribute === 'href') value = (value ?? '') + html.slice(start, stop);
      },
      onattribentity: (point) => {
        if (attribute === 'href') value = (value ?? '') + String.fromCodePoint(point);
      },
      onattribend: () => {
        attribute = '';
      },
      onopentagend: end,
      onselfclosingtag: end,
      onclosetag: ignore,
      ontext: ignore,
      ontextentity: ignore,
      oncomment: ignore,
      oncdata: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return links;
};
