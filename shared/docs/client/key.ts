import { one } from './elements.ts';

/**
 * The reader's key: it is in its field and nowhere else, so that it is gone with the page.
 *
 * The field is a masked text, as a browser offers to keep what a password field holds.
 */
export const addKey = (): (() => string) => {
  const box = one('[data-key]');
  const field = one<HTMLInputElement>('#api-key');
  const button = one<HTMLButtonElement>('button', box);
  const mask = (isMasked: boolean): void => {
    field.classList.toggle('masked', isMasked);
    button.textContent = isMasked ? 'Show' : 'Hide';
    button.setAttribute('aria-pressed', String(!isMasked));
  };
  const clear = (): void => {
    field.value = '';
  };
  button.addEventListener('click', () => mask(!field.classList.contains('masked')));
  // A page that is left may be kept as it stands, for the way back.
  addEventListener('pagehide', clear);
  clear();
  mask(true);
  box.hidden = false;
  return () => field.value.trim();
};
