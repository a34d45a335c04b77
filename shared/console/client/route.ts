/** A view of the page, defined only by the URL fragment, such as `#/transactions?status=draft`. */
export type Route = { readonly path: readonly string[]; readonly query: ReadonlyMap<string, string> };

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Parses a route from `location.hash`. Invalid escapes are left unchanged. */
export const parseRoute = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/').filter(Boolean).map(decoded), query: new Map(new URLSearchParams(query)) };
};

/** Returns the link to a view. Omits empty values. */
export const linkTo = (path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value);
  const text = parameters.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text && `?${text}`}`;
};

/** The props of each view: its part of the path, and the URL parameters. */
export type ViewProps = Route;

/** Returns the query parameters with these names that have a value. */
export const pickParameters = (query: ReadonlyMap<string, string>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries([...query].filter(([name, value]) => value && names.includes(name)));
