import { all, element } from './elements.ts';

// Without a secure context there is no clipboard: the text is selected instead, for the reader to copy.
const select = (code: Node): void => {
  const selection = getSelection();
  selection?.removeAllRanges();
  const range = document.createRange();
  range.selectNodeContents(code);
  selection?.addRange(range);
};

const copy = async (code: HTMLElement): Promise<string> => {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    return 'Copied';
  } catch {
    select(code);
    return 'Selected';
  }
};

/** Give a block of code its button. */
export const addCopy = (block: HTMLElement): void => {
  const code = block.querySelector('code');
  if (!code) return;
  const button = element('button', 'copy', 'Copy');
  button.type = 'button';
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    button.textContent = await copy(code);
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1600);
  });
  block.append(button);
};

export const addCopies = (): void => all('[data-copy]').forEach(addCopy);
