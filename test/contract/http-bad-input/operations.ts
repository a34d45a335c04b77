import { endpoints } from '../../../functions/endpoints.ts';
import type { Endpoint } from '../../../shared/api/endpoint.ts';
import document from '../../../shared/api/openapi.json' with { type: 'json' };
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

/** An endpoint as the document describes it. */
export type DocumentedOperation = Pick<Endpoint, 'name' | 'method' | 'path' | 'scope'> & {
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Schema; readonly examples: readonly unknown[] } | null;
};

const paths = document.paths as unknown as Record<string, Record<string, Described> | undefined>;

const documented = ({ name, method, path, scope }: Endpoint): DocumentedOperation => {
  const described = paths[path]?.[method.toLowerCase()];
  if (!described) throw new Error(`The document lacks ${method} ${path}.`);
  const json = described.requestBody?.content['application/json'];
  return {
    name,
    method,
    path,
    scope,
    parameters: (described.parameters ?? []).map((parameter) =>
      '$ref' in parameter ? resolve(parameter.$ref) : parameter,
    ),
    body: json ? { schema: json.schema, examples: Object.values(json.examples ?? {}).map(({ value }) => value) } : null,
  };
};

/** Every endpoint: a new one is included without a change here. */
export const operations: readonly DocumentedOperation[] = Object.values<Endpoint>(endpoints).map(documented);
