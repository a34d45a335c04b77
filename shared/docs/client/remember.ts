import { all } from './elements.ts';

type Seen = { readonly object?: unknown; readonly id?: unknown };

const examples: Readonly<Record<string, RegExp>> = {
  transaction: /\btxn_[0-9A-Z]{26}\b/g,
  filing: /\bfil_[0-9A-Z]{26}\b/g,
};

/** Put the id that was just answered where the forms have an id of its kind, so that the next request is about it. */
export const rememberId = (text: string): void => {
  let seen: Seen | null;
  try {
    seen = JSON.parse(text) as Seen | null;
  } catch {
    return;
  }
  const { object, id } = seen ?? {};
  const pattern = typeof object === 'string' ? examples[object] : undefined;
  if (!pattern || typeof id !== 'string') return;
  for (const field of all<HTMLInputElement>('[data-in="path"]')) field.value = field.value.replace(pattern, id);
  for (const option of all<HTMLOptionElement>('[data-examples] option'))
    option.value = option.value.replace(pattern, id);
  for (const body of all<HTMLTextAreaElement>('[data-body]'))
    if (!body.closest('[aria-busy="true"]')) body.value = body.value.replace(pattern, id);
};
