/** A view of the page: the part of the URL after `#`, such as `#/transactions?status=draft`. It has no other state. */
export type Route = { readonly path: readonly string[]; readonly query: ReadonlyMap<string, string> };

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Read a route from `location.hash`. Unreadable escapes stay as they are. */
export const routeOf = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/').filter(Boolean).map(decoded), query: new Map(new URLSearchParams(query)) };
};

/** The link to a view. Empty values are left out. */
export const linkTo = (path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value);
  const text = parameters.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text && `?${text}`}`;
};

/** The input of each view: its part of the path, and the parameters of the URL. */
export type ViewProps = Route;

/** The parameters of a query with these names that have a value. */
export const parametersOf = (query: ReadonlyMap<string, string>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries([...query].filter(([name, value]) => value && names.includes(name)));
