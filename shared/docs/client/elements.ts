/** Make an element with a text or children. Nothing on the page is ever made of a string of HTML. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...children: readonly (string | Node)[]
): HTMLElementTagNameMap[Name] => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
};

/** All elements of a kind under another, as a list. */
export const all = <Kind extends HTMLElement = HTMLElement>(selector: string, under: ParentNode = document): Kind[] => [
  ...under.querySelectorAll<Kind>(selector),
];

/** The one that the page is known to have. */
export const one = <Kind extends HTMLElement = HTMLElement>(selector: string, under: ParentNode = document): Kind => {
  const found = under.querySelector<Kind>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
};
