import { serviceAddress } from './address.ts';
import { all } from './elements.ts';

export type Sent = { readonly url: string; readonly init: RequestInit };

type Field = HTMLInputElement | HTMLSelectElement;

/** What a form asks for, or in words why it cannot be sent. */
export const requestOf = (form: HTMLFormElement, key: string): Sent | string => {
  const fields = all<Field>('[data-in]', form).filter(({ value }) => value !== '');
  const of = (place: string) => fields.filter(({ dataset }) => dataset['in'] === place);
  const { method = 'GET', path = '/' } = form.dataset;
  const filled = of('path').reduce((one, { name, value }) => one.replace(`{${name}}`, encodeURIComponent(value)), path);
  if (filled.includes('{')) return 'Fill in the path first.';
  const query = new URLSearchParams(of('query').map(({ name, value }) => [name, value])).toString();
  const headers = new Headers();
  try {
    for (const { name, value } of of('header')) headers.set(name, value);
    if (!('public' in form.dataset)) {
      if (key === '') return 'Put your API key into the field at the top of the page. `npm start` prints one.';
      headers.set('X-API-Key', key);
    }
  } catch {
    return 'A header, or the key, holds a character that no header can carry.';
  }
  const body = form.querySelector<HTMLTextAreaElement>('[data-body]')?.value;
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  return {
    url: `${serviceAddress()}${filled}${query && `?${query}`}`,
    init: {
      method,
      headers,
      ...(body !== undefined && { body }),
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    },
  };
};
