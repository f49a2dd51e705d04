import type { App } from '../../api/types.ts';

interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
}

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

/** Every request whose body has a field with such a name, by the OpenAPI document: method and path, in order. */
export async function requestsWithField(app: App, name: RegExp): Promise<string[]> {
  const { paths, components } = (await app.inject('/v1/openapi.json')).json<OpenApi>();
  const fieldsOf = (schema: Schema | undefined) => {
    const named = schema?.$ref?.split('/').at(-1);
    return Object.keys((named === undefined ? schema : components.schemas[named])?.properties ?? {});
  };
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { requestBody }]) => ({
        request: `${method.toUpperCase()} ${path}`,
        fields: fieldsOf(requestBody?.content['application/json']?.schema),
      })),
    )
    .filter(({ fields }) => fields.some((field) => name.test(field)))
    .map(({ request }) => request)
    .sort();
}
