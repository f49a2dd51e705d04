import fc from 'fast-check';
import { EMBEDDING_DIM } from '../../../shared/embeddings.ts';
import { TEST_MODEL_NAME } from '../../support/needs/database.ts';
import type { LoadRequest } from './client.ts';

/** The part of a JSON schema that requests are made from. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
}

/** One operation of the OpenAPI document. */
export interface Operation {
  method: string;
  path: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
}

/** Values that no schema allows, or that break what does not expect them. */
const ODD = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 1e308, Number.MAX_SAFE_INTEGER, [], {}, [[[[[[]]]]]]),
  fc.constantFrom('', ' ', '\u0000', '\ud800', '\u202e', '%00', '💥'.repeat(400), 'x'.repeat(9000)),
  fc.constantFrom<unknown>('../../etc/passwd', "'; drop table memory.source; --", {
    toString: 1,
    constructor: 2,
  }),
);
const STRINGS = ['heron', 'a pump', 'team/load/a.txt', 'owner@localhost', 'text/plain', 'notes.md', '日本語'];
/** Values of fields that otherwise refuse nearly every request, by name. */
const USUAL: Readonly<Record<string, unknown>> = {
  embeddingModel: TEST_MODEL_NAME,
  embeddingDim: EMBEDDING_DIM,
};
const MAX_DEPTH = 8;

/** What stands once in 40 times in the place of the usual. */
const seldom = (usual: fc.Arbitrary<unknown>, other: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 39, arbitrary: usual }, { weight: 1, arbitrary: other });
const absent = fc.constant(undefined);
const ended = (text: string) =>
  fc
    .date({ max: new Date(2e12), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, text.length));

/**
 * Makes requests from the schemas of operations: mostly valid ones, with an odd value here and there.
 * @param schemas those that others refer to, by name
 * @param ids from responses, so that some requests name what exists
 */
export function openRequests(schemas: Readonly<Record<string, Schema>>, ids: readonly string[]) {
  const id = fc.nat().map((n) => ids[n % ids.length] ?? '');
  const formats: Record<string, fc.Arbitrary<string>> = {
    uuid: id,
    email: fc.nat(50).map((n) => `person-${n}@example.com`),
    'date-time': ended('2026-01-01T00:00:00.000Z'),
    date: ended('2026-01-01'),
  };

  const object = ({ properties = {}, required = [] }: Schema, depth: number) =>
    fc.record({
      ...Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => {
          const value = name in USUAL ? fc.constant(USUAL[name]) : valueOf(schema, depth + 1);
          // A required one is left out now and then.
          return [
            name,
            required.includes(name) ? seldom(value, absent) : fc.option(value, { freq: 1, nil: undefined }),
          ];
        }),
      ),
      unknownField: seldom(absent, ODD),
    });

  const array = ({ items = {}, minItems = 0 }: Schema, depth: number) => {
    const some = fc.array(valueOf(items, depth + 1), { minLength: minItems, maxLength: minItems + 2 });
    if (items.type !== 'number') return some;
    const numbers = fc.array(fc.double({ min: -0.5, max: 0.5, noNaN: true }), {
      minLength: EMBEDDING_DIM,
      maxLength: EMBEDDING_DIM,
    });
    return seldom(numbers, some);
  };

  /** A value of a schema by its type. */
  const typed = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    const { type, minimum: min = 0, maximum = 100 } = schema;
    if (Array.isArray(type)) return fc.oneof(...type.map((one) => typed({ ...schema, type: one }, depth)));
    const max = Math.min(maximum, min + 1000);
    if (type === 'object' || schema.properties !== undefined) return object(schema, depth);
    if (type === 'array') return array(schema, depth);
    if (type === 'integer') return fc.integer({ min: Math.ceil(min), max: Math.floor(max) });
    if (type === 'number') return fc.double({ min, max, noNaN: true });
    if (type === 'boolean') return fc.boolean();
    if (type === 'string') return formats[schema.format ?? ''] ?? fc.oneof(id, fc.constantFrom(...STRINGS));
    return type === 'null' ? fc.constant(null) : ODD;
  };

  const valueOf = (schema: Schema, depth = 0): fc.Arbitrary<unknown> => {
    if (depth > MAX_DEPTH) return ODD;
    if (schema.$ref !== undefined)
      return valueOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, depth + 1);
    const choices = schema.anyOf ?? schema.oneOf;
    const allowed = 'const' in schema ? [schema.const] : schema.enum;
    if (allowed !== undefined) return seldom(fc.constantFrom(...allowed), ODD);
    if (choices !== undefined) return fc.oneof(...choices.map((one) => valueOf(one, depth + 1)));
    return seldom(typed(schema, depth), ODD);
  };

  /** The requests of an operation. */
  return ({ method, path, parameters = [], requestBody }: Operation): fc.Arbitrary<LoadRequest> => {
    const schema = requestBody?.content?.['application/json']?.schema;
    const given = fc.tuple(
      ...parameters.map(({ name, in: place, schema: of = { type: 'string' } }) => {
        const value = valueOf(of).map((drawn) => (typeof drawn === 'string' ? drawn : JSON.stringify(drawn)));
        // Headers seldom, because most values select a Team that does not exist.
        const often =
          place === 'path' ? value : place === 'query' ? fc.option(value) : seldom(fc.constant(null), value);
        return often.map((text) => ({ name, place, text: text as string | null }));
      }),
    );
    return fc
      .record({ given, body: schema === undefined ? absent : valueOf(schema) })
      .map(({ given, body }) => {
        const of = (place: string) =>
          given.flatMap((one) =>
            one.place === place && one.text !== null ? [[one.name, one.text] as const] : [],
          );
        // Dots and nothing would be another path.
        const segment = (text: string) =>
          /^\.*$/.test(text) ? 'x' : encodeURIComponent(text.toWellFormed());
        const filled = of('path').reduce(
          (all, [name, text]) => all.replace(`{${name}}`, segment(text)),
          path,
        );
        const query = new URLSearchParams();
        for (const [name, text] of of('query')) query.set(name, text.toWellFormed());
        return {
          method: method.toUpperCase(),
          path: query.size > 0 ? `${filled}?${query.toString()}` : filled,
          ...(body === undefined ? {} : { body }),
          headers: Object.fromEntries(of('header').filter(([, text]) => /^[\x20-\x7e]{0,500}$/.test(text))),
        };
      });
  };
}
