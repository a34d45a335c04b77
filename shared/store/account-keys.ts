// Every part that a client or an operator names comes last in its key, so that a `#` in it cannot reach another item.

/** Where an account is. */
export const accountKey = (account: string) => ({ pk: `ACCOUNT#${account}`, sk: 'ACCOUNT' });

/** Where an account's API key is found by its name; the item holds the digest. */
export const keyNameKey = (account: string, id: string) => ({ pk: `ACCOUNT#${account}`, sk: `KEY#${id}` });

/** Where an API key is: a request brings nothing but the secret, so this is the one key without its account. */
export const apiKeyKey = (digest: string) => ({ pk: `KEY#${digest}`, sk: 'KEY' });

/** Where the requests of an account's window are counted; `windowStart` is in milliseconds since 1970. */
export const rateWindowKey = (account: string, windowStart: number) => ({
  pk: `RATE#${account}`,
  sk: `WINDOW#${windowStart}`,
});
