/** All elements that match a selector. */
export const queryAll = <Kind extends HTMLElement = HTMLElement>(
  selector: string,
  under: ParentNode = document,
): Kind[] => [...under.querySelectorAll<Kind>(selector)];

/** The element that matches a selector. Throws if the page has none. */
export const queryOne = <Kind extends HTMLElement = HTMLElement>(
  selector: string,
  under: ParentNode = document,
): Kind => {
  const found = under.querySelector<Kind>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
};

/** Make an element. The page never parses a string as HTML. */
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

/** The address of the service, with its stage if any (`/v1/docs`), without a slash at the end. */
export const serviceAddress = (): string => new URL('.', location.href).href.replace(/\/$/, '');

/** Add a button that copies a block of code. Browsers have a clipboard only in secure contexts. */
export const addCopy = (block: HTMLElement): void => {
  if (!navigator.clipboard) return;
  const button = element('button', 'copy', 'Copy');
  button.type = 'button';
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(queryOne('code', block).textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => button.replaceChildren('Copy'), 1600);
  });
  block.append(button);
};
