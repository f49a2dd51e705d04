import type { OpenAPIV3_1 } from 'openapi-types';
import { compileSchema } from '../../../api/http/bodies/body-schema.ts';
import { VISIBLE_CHARACTER } from '../../../shared/formats/names.ts';

/** The keywords of JSON schema that the requests of the service use. */
export interface Schema {
  $ref?: string;
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

/** A part of a body or a query: where it is, with 0 for any entry of a list, and what it may be. */
export interface Field {
  place: 'body' | 'query';
  keys: readonly string[];
  schema: Schema;
  required: boolean;
}

export const pathOf = (keys: readonly string[]) => `/${keys.join('/')}`;

/** A schema with all that it refers to in it. */
function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  const named = schema.$ref?.split('/').at(-1);
  if (named !== undefined) return resolved(schemas[named] ?? {}, schemas);
  const { items, anyOf, properties } = schema;
  return {
    ...schema,
    ...(items && { items: resolved(items, schemas) }),
    ...(anyOf && { anyOf: anyOf.map((branch) => resolved(branch, schemas)) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, resolved(field, schemas)]),
      ),
    }),
  };
}

/** A part and all parts of it. */
function within(field: Field): Field[] {
  const { place, keys, schema } = field;
  const part = (key: string, of: Schema, required: boolean) =>
    within({ place, keys: [...keys, key], schema: of, required });
  return [
    field,
    ...Object.entries(schema.properties ?? {}).flatMap(([name, of]) =>
      part(name, of, schema.required?.includes(name) ?? false),
    ),
    ...[schema, ...(schema.anyOf ?? [])].flatMap(({ items }) =>
      items === undefined ? [] : part('0', items, false),
    ),
  ];
}

/** What the OpenAPI document says of the query and the body of an operation; both are parts themselves. */
export function fieldsOf(
  { components }: OpenAPIV3_1.Document,
  method: string,
  { parameters, requestBody }: OpenAPIV3_1.OperationObject,
): Field[] {
  const schemas = (components?.schemas ?? {}) as Record<string, Schema>;
  const asked = ((parameters ?? []) as OpenAPIV3_1.ParameterObject[]).filter(({ in: at }) => at === 'query');
  const query: Schema = {
    type: 'object',
    properties: Object.fromEntries(asked.map(({ name, schema }) => [name, schema as Schema])),
    required: asked.filter(({ required }) => required).map(({ name }) => name),
  };
  const content = (requestBody as OpenAPIV3_1.RequestBodyObject | undefined)?.content['application/json'];
  const body = (content?.schema ?? { type: 'object', properties: {} }) as Schema;
  const of = (place: Field['place'], schema: Schema) =>
    within({ place, keys: [], schema: resolved(schema, schemas), required: false });
  return [...(asked.length === 0 ? [] : of('query', query)), ...(method === 'get' ? [] : of('body', body))];
}

/** A letter that is one character and two UTF-16 code units. */
const LETTER = '𝒳';
const text = (length: number) => LETTER.repeat(length);
const DAY = '2099-03-01';
const TIME = '2099-03-01T09:30:00.000Z';

/** Something that a schema allows. */
export function sample(schema: Schema): unknown {
  const { type, anyOf, format, minLength, minimum, minItems, properties = {}, required = [] } = schema;
  const [branch] = anyOf ?? [];
  if (branch !== undefined) return sample(branch);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (type === 'string' && format !== undefined) return format === 'date' ? DAY : TIME;
  if (type === 'string') return text(minLength ?? 1);
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  if (type === 'array') return list(schema, minItems ?? 1);
  if (type !== 'object') return true;
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {})]));
}

/** A list of so many entries: like the first of a list that is there, if there is one. */
function list({ items = {} }: Schema, length: number, given?: unknown): unknown[] {
  const entry = (Array.isArray(given) ? (given as unknown[])[0] : undefined) ?? sample(items);
  return Array.from({ length }, () => entry);
}

const defined = (limit: number | undefined, value: (limit: number) => unknown) =>
  limit === undefined ? [] : [value(limit)];

/** Values of each type, of which a schema allows some. */
const OF_TYPES: readonly unknown[] = ['nonsense', 7, 1.5, true, null, [], {}];

const BLANK = [' ', '\u0085', '\t\n\u00a0\u3000'];
/** Fillers of Hangul, a blank of Braille, joiners, characters of direction, marks and tags: nothing that can be seen. */
const INVISIBLE = [
  '\u3164',
  '\uffa0\u115f',
  '\u2800',
  '\u200b\u200d',
  '\u202e\u2066',
  '\u0301',
  '\u{e0041}\u00ad',
];

/** Whether the service's validator allows a value. A choice and a format have too many forms to say it without it. */
const isAllowed = (schema: Schema, value: unknown) => compileSchema(schema)(value);

/**
 * Values just outside of a schema.
 * @param given a value that is inside
 */
export function valuesOutside(schema: Schema, given?: unknown): unknown[] {
  const candidates = [
    // The fault of an object without its fields is theirs.
    ...OF_TYPES.filter((value) => schema.type !== 'object' || String(value) !== '[object Object]'),
    ...(schema.anyOf ?? []).flatMap((branch) => valuesOutside(branch)),
    ...(schema.enum ?? []).map((value) => `${String(value)} `),
    ...defined(schema.const as undefined, () => false),
    ...(schema.format === undefined ? [] : ['2099-13-01', '2099-03-01T09:30:00', `${TIME} `]),
    ...(schema.pattern === undefined ? [] : [...BLANK, ...INVISIBLE]),
    ...defined(schema.minLength, (least) => text(least - 1)),
    ...defined(schema.maxLength, (most) => text(most + 1)),
    ...defined(schema.minimum, (least) => least - 1),
    ...defined(schema.maximum, (most) => most + 1),
    ...defined(schema.minItems, (least) => list(schema, least - 1)),
    ...defined(schema.maxItems, (most) => list(schema, most + 1, given)),
    ...(schema.uniqueItems ? [list(schema, 2, given)] : []),
  ];
  return candidates.filter((value) => !isAllowed(schema, value));
}

/**
 * Values just inside a schema.
 * @param given one of them
 */
export function valuesInside(schema: Schema, given?: unknown): unknown[] {
  const candidates = [
    given ?? sample(schema),
    ...(schema.anyOf ?? []).flatMap((branch) => valuesInside(branch)),
    ...(schema.enum ?? []),
    ...(schema.type === 'boolean' ? [true, false] : []),
    ...(schema.type === 'null' ? [null] : []),
    ...defined(schema.minLength, text),
    ...defined(schema.maxLength, text),
    ...defined(schema.minimum, Number),
    ...defined(schema.maximum, Number),
    ...defined(schema.minItems, (least) => list(schema, least, given)),
    ...defined(schema.maxItems, (most) => list(schema, most, given)),
  ];
  return [...new Set(candidates)].filter((value) => isAllowed(schema, value));
}

/** The limits of a field as text; empty if it has none. */
export function boundsOf({ schema }: Field): string {
  const limits: [unknown, unknown, string][] = [schema, ...(schema.anyOf ?? [])].flatMap((one) => [
    [one.minLength, one.maxLength, ' characters'],
    [one.minimum, one.maximum, ''],
    [one.minItems, one.maxItems, ' entries'],
  ]);
  const kind = schema.pattern === VISIBLE_CHARACTER.source ? ['visible'] : ['not blank'];
  return limits
    .filter(([least, most]) => least !== undefined || most !== undefined)
    .map(([least = '', most = '', unit]) => `${String(least)}–${String(most)}${unit}`)
    .concat(schema.pattern === undefined ? [] : kind)
    .join(', ');
}

/** Takes the place of a value; undefined removes it. */
export function put(base: unknown, schema: Schema, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const branch = schema.anyOf?.find(({ items }) => items !== undefined) ?? schema;
  const part = branch.properties?.[key] ?? branch.items ?? {};
  if (branch.type === 'array') {
    const [first, ...others] = Array.isArray(base) && base.length > 0 ? (base as unknown[]) : [sample(part)];
    return [put(first, part, rest, value), ...others];
  }
  const given = (base ?? sample(branch)) as Record<string, unknown>;
  return { ...given, [key]: put(given[key], part, rest, value) };
}

/** The value of a field in a request; undefined if it has none. */
export const valueAt = (base: unknown, keys: readonly string[]): unknown =>
  keys.reduce((at, key) => (at as Record<string, unknown> | undefined)?.[key], base);
