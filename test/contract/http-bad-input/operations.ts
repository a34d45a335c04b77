import document from '../../../shared/http/openapi.json' with { type: 'json' };
import { type Route, routes } from '../../../shared/http/routes.ts';
import { resolve } from '../validate-response.ts';
import type { Schema } from './schema-values.ts';

type Parameter = { readonly name: string; readonly in: 'query' | 'header' | 'path'; readonly schema: Schema };
type Described = {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: Record<
      string,
      { readonly schema: Schema; readonly examples?: Record<string, { value: unknown }> }
    >;
  };
};

/** An operation as the document has it. */
export type DocumentedOperation = Route & {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Schema; readonly examples: readonly unknown[] } | null;
};

const paths = document.paths as unknown as Record<string, Record<string, Described> | undefined>;

const documented = (name: string, route: Route): DocumentedOperation => {
  const described = paths[route.path]?.[route.method.toLowerCase()];
  if (!described) throw new Error(`The document lacks ${route.method} ${route.path}.`);
  const json = described.requestBody?.content['application/json'];
  return {
    ...route,
    name,
    parameters: (described.parameters ?? []).map((one) => ('$ref' in one ? resolve(one.$ref) : one)),
    body: json ? { schema: json.schema, examples: Object.values(json.examples ?? {}).map(({ value }) => value) } : null,
  };
};

/** Every operation of the route table: a new one is among them by itself. */
export const operations: readonly DocumentedOperation[] = Object.entries<Route>(routes).map(([name, route]) =>
  documented(name, route),
);
