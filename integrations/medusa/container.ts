/** The methods of Medusa's logger that the adapter uses. */
export type Logger = { readonly warn: (text: string) => void; readonly error: (text: string) => void };

/** Medusa's `query` and `logger` from the container. */
export type Container = { readonly resolve: (name: string) => unknown };
type Query = { readonly graph: (options: object) => Promise<{ readonly data: readonly unknown[] }> };

export const queryOf = (container: Container): Query => container.resolve('query') as Query;
export const loggerOf = (container: Container): Logger => container.resolve('logger') as Logger;

const pageSize = 100;

/** Yields the rows of a query, page by page. */
export async function* rowsOf(container: Container, options: object): AsyncGenerator<unknown> {
  for (let skip = 0; ; skip += pageSize) {
    const pagination = { skip, take: pageSize, order: { id: 'ASC' } };
    const { data } = await queryOf(container).graph({ ...options, pagination });
    yield* data;
    if (data.length < pageSize) return;
  }
}
