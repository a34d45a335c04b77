import { all, one } from './elements.ts';
import { rememberId } from './remember.ts';
import { requestOf } from './request.ts';
import { failureOf, resultOf } from './result.ts';

const send = async (form: HTMLFormElement, key: string): Promise<HTMLElement[]> => {
  const request = requestOf(form, key);
  if (typeof request === 'string') return failureOf(request);
  const start = performance.now();
  try {
    const response = await fetch(request.url, request.init);
    const text = await response.text();
    if (response.ok) rememberId(text);
    return resultOf(response, text, performance.now() - start);
  } catch {
    return failureOf('No answer came. Is the service still running?');
  }
};

const addForm = (details: HTMLElement, keyOf: () => string): void => {
  const form = one<HTMLFormElement>('form', details);
  const button = one<HTMLButtonElement>('.send button', form);
  const result = one('.result', form);
  const { method, path = '' } = form.dataset;
  if (method === 'POST' && /^\/(transactions|filings)/.test(path) && !path.endsWith('/replay'))
    one('[data-hint]', form).textContent = "Writes to your key's account.";
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    form.setAttribute('aria-busy', 'true');
    result.replaceChildren(...(await send(form, keyOf())));
    form.removeAttribute('aria-busy');
    button.disabled = false;
  });
  const examples = form.querySelector<HTMLSelectElement>('[data-examples]');
  examples?.addEventListener('change', () => {
    one<HTMLTextAreaElement>('[data-body]', form).value = examples.value;
  });
  details.hidden = false;
};

/** Make the forms send what they hold, with the key of the moment. */
export const addForms = (keyOf: () => string): void => {
  for (const details of all('[data-try]')) addForm(details, keyOf);
};
