/** The input of each view: its part of the path, and the parameters of the URL. */
export type ViewProps = { readonly path: readonly string[]; readonly query: ReadonlyMap<string, string> };

/** The query of a view as an object, for links. */
export const queryOf = (query: ReadonlyMap<string, string>): Record<string, string> => Object.fromEntries(query);
