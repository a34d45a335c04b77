import { all } from './elements.ts';

/** Where the service is: beside this page, also behind a stage (`/v1/docs`). Without a slash at its end. */
export const serviceAddress = (): string => new URL('.', location.href).href.replace(/\/$/, '');

/** Put the address that the page came from into the commands. */
export const nameAddress = (): void => {
  for (const code of all('.guide code.sh')) {
    const text = code.firstChild;
    if (text instanceof Text) text.data = text.data.replace(/^LEVY=\S+/m, `LEVY=${serviceAddress()}`);
  }
};
