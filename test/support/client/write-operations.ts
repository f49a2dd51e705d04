import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIV3_1 } from 'openapi-types';
import { COMPONENT_NAMES } from '../../../api/http/openapi/document.ts';
import { ROOT } from '../root.ts';

/*
 * Writes `operations.ts`: what the typed client of the tests knows of each route, made from the OpenAPI document. Its types
 * are those of the wire schemas, which the components of the document are named after.
 */

export const OPERATIONS_FILE = 'web/src/api/operations.ts';

const SCHEMAS = 'shared/schemas';
/** The schemas of components that have another name. */
const SCHEMA_OF = new Map(Object.entries(COMPONENT_NAMES).map(([schema, component]) => [component, schema]));
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

type Schema = OpenAPIV3_1.ReferenceObject | OpenAPIV3_1.SchemaObject | undefined;

/** The module that exports each wire schema, by the name of the schema. */
async function modulesOfSchemas(): Promise<Map<string, string>> {
  const modules = new Map<string, string>();
  for (const file of readdirSync(join(ROOT, SCHEMAS)).sort()) {
    const exported = (await import(join(ROOT, SCHEMAS, file))) as object;
    for (const name of Object.keys(exported)) if (!modules.has(name)) modules.set(name, file);
  }
  return modules;
}

/** @throws Error if a route has no `operationId`, or a body or an answer of JSON without a name */
export async function operationsText(document: OpenAPIV3_1.Document): Promise<string> {
  const modules = await modulesOfSchemas();
  const imports = new Map<string, Set<string>>();

  const typeOf = (schema: Schema): string => {
    if (schema === undefined || !('$ref' in schema)) return 'unknown';
    const component = schema.$ref.split('/').at(-1)!;
    const name = SCHEMA_OF.get(component) ?? component;
    const paged = modules.has(name) ? null : name.replace(/Page$/, '');
    const exported = paged === null ? name : (SCHEMA_OF.get(paged) ?? paged);
    const file = modules.get(exported);
    if (file === undefined) throw new Error(`no wire schema has the name of the component ${component}`);
    imports.set(file, (imports.get(file) ?? new Set()).add(exported));
    return paged === null ? `Static<typeof ${exported}>` : `PageOf<typeof ${exported}>`;
  };

  const operation = (path: string, method: string, route: OpenAPIV3_1.OperationObject): string => {
    const { operationId, parameters = [], requestBody, responses = {} } = route;
    if (operationId === undefined) throw new Error(`${method} ${path} has no operationId`);
    const named = (parameters as OpenAPIV3_1.ParameterObject[]).filter(({ in: place }) => place !== 'header');
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string`);
    const query = named.filter((one) => one.in === 'query').map(({ name }) => `'${name}'`);
    const content = (some: unknown) => (some as OpenAPIV3_1.RequestBodyObject | undefined)?.content;
    const body = content(requestBody)?.['application/json'];
    const given = [
      ...inPath,
      ...(body === undefined ? [] : [`body: ${typeOf(body.schema)}`]),
      ...(query.length === 0 ? [] : [`query?: Query<${query.join(' | ')}>`]),
    ];
    const successes = Object.entries(responses).filter(([code]) => code.startsWith('2'));
    // A program knows by what it sends which form it gets: mostly the first, and 201 rather than 200.
    const [result = 'null', ...others] = new Set(
      successes
        .toReversed()
        .flatMap(([, success]) => Object.values(content(success) ?? {}))
        .flatMap(({ schema }) =>
          schema !== undefined && 'anyOf' in schema ? (schema.anyOf ?? []) : [schema],
        )
        .map(typeOf),
    );
    const answer = [result, ...others.map((other) => `Partial<${other}>`)].join(' & ');
    const called = `(${given.join(', ')}) => ${answer}`;
    return `  ${operationId}: route<${called}>('${method.toUpperCase()}', '${path}'),`;
  };

  const operations = Object.entries(document.paths ?? {}).flatMap(([path, routes]) =>
    METHODS.flatMap((method) => {
      const route = routes?.[method];
      return route === undefined ? [] : [operation(path, method, route)];
    }),
  );
  const importLines = [...imports]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(
      ([file, names]) =>
        `import type { ${[...names].sort().join(', ')} } from '../../../${SCHEMAS}/${file}';`,
    );
  return `// biome-ignore-all format: written by \`npm run generate\`, from the OpenAPI document.
import type { Static } from 'typebox';
${importLines.join('\n')}
import { type PageOf, type Query, route } from './route.ts';

/** The method and the path of each operation, by its \`operationId\`, with what it takes and answers. */
export const ROUTES = {
${operations.join('\n')}
};
`;
}
