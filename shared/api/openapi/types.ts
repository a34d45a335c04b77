/** The parts of the OpenAPI document that the client types and the documentation page are generated from. */
import type { Code } from '../../base/error-codes.ts';

export type Named<Value> = Readonly<Record<string, Value>>;
type NumberLimit = 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'maxProperties' | 'minimum' | 'maximum';

export type Schema = Readonly<
  Partial<
    Record<'$ref' | 'description' | 'format' | 'pattern', string> &
      Record<NumberLimit, number> &
      Record<'const' | 'default', unknown> &
      Record<'enum' | 'x-extensible-enum' | 'examples', readonly unknown[]> & {
        anyOf: readonly Schema[];
        allOf: readonly Schema[];
        items: Schema;
        propertyNames: Schema;
        type: string | readonly string[];
        properties: Named<Schema>;
        required: readonly string[];
        additionalProperties: boolean | Schema;
        'x-error-codes': Named<{ readonly status: number; readonly meaning: string; readonly remedy: string }>;
      }
  >
>;

export type Header = {
  readonly $ref?: string;
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
};

export type Parameter = Header & {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly example?: unknown;
};

export type Content = Named<{
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Named<{ readonly summary: string; readonly value: unknown }>;
}>;

export type Response = {
  readonly $ref?: string;
  readonly description: string;
  /** The error codes of the response. */
  readonly 'x-codes'?: readonly Code[];
  readonly headers?: Named<Header>;
  readonly content?: Content;
};

export type Operation = {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Named<Response>;
};

export type Document = {
  readonly info: Named<string> & { readonly license: { readonly name: string } };
  readonly paths: Named<Named<Operation>>;
  readonly components: { readonly schemas: Named<Schema>; readonly responses: Named<Response> };
};
