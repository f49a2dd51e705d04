import { readdirSync } from 'node:fs';

const FOLDER = new URL('../../shared/schemas/', import.meta.url);
/** The modules of wire types: each object that they export is a component with the name of the export. */
const MODULES = await Promise.all(
  readdirSync(FOLDER)
    .sort()
    .map((file) => import(new URL(file, FOLDER).href) as Promise<object>),
);

/** Components with another name than their export. */
const NAMES: Readonly<Record<string, string>> = { ClientGrant: 'Grant', RequestedScope: 'Scope' };

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const isComponent = (value: unknown): value is Json =>
  isObject(value) && (value['type'] === 'object' || 'allOf' in value) && !('patternProperties' in value);

/** The schemas with a name: by identity, and by their text, because `Type.Optional` copies its schema. */
const bySchema = new Map<unknown, string>();
const byText = new Map<string, string>();
for (const [name, schema] of MODULES.flatMap((module) => Object.entries(module))) {
  if (!isComponent(schema)) continue;
  const component = NAMES[name] ?? name;
  bySchema.set(schema, component);
  const text = JSON.stringify(schema);
  if (!byText.has(text)) byText.set(text, component);
}

function nameOf(schema: unknown): string | undefined {
  if (!isComponent(schema)) return undefined;
  return bySchema.get(schema) ?? byText.get(JSON.stringify(schema));
}

const REFERENCE = '#/components/schemas/';
const reference = (name: string): Json => ({ $ref: REFERENCE + name });

/** The component of the items of a page; undefined if the schema is not a page of a list. */
function pagedName({ type, properties }: Json): string | undefined {
  if (type !== 'object' || !isObject(properties)) return undefined;
  if (Object.keys(properties).join() !== 'items,nextCursor') return undefined;
  return nameOf((properties['items'] as Json)['items']);
}

/** The components of one document: those that its routes refer to. */
export class Components {
  readonly schemas: Record<string, Json> = {};

  /** A copy of a schema, or of a part of one, with a reference in place of each schema that has a name. */
  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.refer(part));
    if (!isObject(schema)) return schema;
    const paged = pagedName(schema);
    const name = nameOf(schema) ?? (paged === undefined ? undefined : `${paged}Page`);
    if (name === undefined) return this.#referWithin(schema);
    if (this.schemas[name] === undefined) {
      // First, so that a schema that refers to itself ends here.
      this.schemas[name] = {};
      this.schemas[name] = this.#referWithin(schema);
    }
    return reference(name);
  }

  #referWithin(schema: Json): Json {
    const shown = withoutDefault(schema);
    return Object.fromEntries(Object.entries(shown).map(([key, part]) => [key, this.refer(part)]));
  }
}

/**
 * A schema that tells its default only in its description. Some generators, such as openapi-typescript, require a field with a
 * default in requests too.
 */
function withoutDefault(schema: Json): Json {
  // Otherwise it is not a schema, but can be the properties of one.
  if (typeof schema['type'] !== 'string' || !('default' in schema)) return schema;
  const { default: value, description, ...rest } = schema;
  const text = `default ${JSON.stringify(value)}`;
  return { ...rest, description: typeof description === 'string' ? `${description}; ${text}` : text };
}

/** Query parameters as a program sends them: a whole number is a number, although it arrives as text. */
export function queryParameters(querystring: unknown): unknown {
  if (!isObject(querystring) || !isObject(querystring['properties'])) return querystring;
  const properties = Object.entries(querystring['properties']).map(([name, given]) => {
    const { contentSchema, description } = given as Json;
    return [name, isObject(contentSchema) ? { ...contentSchema, description } : given];
  });
  return { ...querystring, properties: Object.fromEntries(properties) as Json };
}

/** A reference to a component. */
export const componentReference = reference;
