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
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  '../../etc/passwd',
  "'; drop table memory.source; --",
  '%00',
  '💥'.repeat(400),
  'x'.repeat(9000),
  [],
  {},
  [[[[[[]]]]]],
  { toString: 1, constructor: 2 },
];

const STRINGS = ['heron', 'a pump', 'team/load/a.txt', 'owner@localhost', 'text/plain', 'notes.md', '日本語'];

/** Values of fields that otherwise refuse nearly every request, by name. */
const USUAL: Readonly<Record<string, unknown>> = {
  embeddingModel: TEST_MODEL_NAME,
  embeddingDim: EMBEDDING_DIM,
};

/** One value of a schema in so many is replaced by an odd one. */
const ODD_ONE_IN = 40;
const MAX_DEPTH = 8;

/** Makes requests from the schemas of operations: mostly valid ones, with an odd value here and there. */
export class RandomRequests {
  /** Ids from responses, so that some requests name what exists. */
  readonly #ids: string[] = ['00000000-0000-7000-8000-000000000000'];

  readonly #random: () => number;
  readonly #schemas: Readonly<Record<string, Schema>>;

  /** @param schemas those that others refer to, by name */
  constructor(random: () => number, schemas: Readonly<Record<string, Schema>>) {
    this.#random = random;
    this.#schemas = schemas;
  }

  /** Notes the ids in a response. Old ones give way. */
  learn(text: string): void {
    for (const [id] of text.slice(0, 4000).matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{22}/g)) {
      if (this.#ids.length < 200) this.#ids.push(id);
      else this.#ids[Math.floor(this.#random() * 200)] = id;
    }
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T;
  }

  #isOdd(): boolean {
    return this.#random() * ODD_ONE_IN < 1;
  }

  #string(schema: Schema): string {
    if (schema.format === 'uuid') return this.pick(this.#ids);
    if (schema.format === 'email') return `person-${Math.floor(this.#random() * 50)}@example.com`;
    if (schema.format === 'date-time') return new Date(this.#random() * 2e12).toISOString();
    if (schema.format === 'date') return new Date(this.#random() * 2e12).toISOString().slice(0, 10);
    return this.#random() < 0.4 ? this.pick(this.#ids) : this.pick(STRINGS);
  }

  #number(schema: Schema): number {
    const [min, max] = [schema.minimum ?? 0, schema.maximum ?? 100];
    const drawn = min + this.#random() * (Math.min(max, min + 1000) - min);
    return schema.type === 'integer' ? Math.floor(drawn) : drawn;
  }

  #object(schema: Schema, depth: number): object {
    const made: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const isRequired = schema.required?.includes(name) === true;
      // A required one is left out now and then.
      if (isRequired ? this.#isOdd() : this.#random() < 0.5) continue;
      made[name] = USUAL[name] ?? this.value(property, depth + 1);
    }
    if (this.#isOdd()) made['unknownField'] = this.pick(ODD_VALUES);
    return made;
  }

  #array(schema: Schema, depth: number): unknown[] {
    // Vectors have a length of their own.
    const isVector = schema.items?.type === 'number';
    const length =
      isVector && !this.#isOdd() ? EMBEDDING_DIM : (schema.minItems ?? 0) + Math.floor(this.#random() * 3);
    return Array.from({ length }, () =>
      isVector ? this.#random() - 0.5 : this.value(schema.items ?? {}, depth + 1),
    );
  }

  /** A value for a schema. */
  value(schema: Schema, depth = 0): unknown {
    if (schema.$ref !== undefined) {
      return this.value(this.#schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, depth);
    }
    if (depth > MAX_DEPTH || this.#isOdd()) return this.pick(ODD_VALUES);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return this.pick(schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return this.value(this.pick(choices), depth + 1);
    const type = Array.isArray(schema.type) ? this.pick(schema.type) : schema.type;
    if (type === 'object' || schema.properties !== undefined) return this.#object(schema, depth);
    if (type === 'array') return this.#array(schema, depth);
    if (type === 'integer' || type === 'number') return this.#number({ ...schema, type });
    if (type === 'boolean') return this.#random() < 0.5;
    if (type === 'string') return this.#string(schema);
    return type === 'null' ? null : this.pick(ODD_VALUES);
  }

  /** A request of an operation. */
  request(operation: Operation): LoadRequest {
    const query = new URLSearchParams();
    let { path } = operation;
    const headers: Record<string, string> = {};
    for (const parameter of operation.parameters ?? []) {
      const drawn = this.value(parameter.schema ?? { type: 'string' });
      const value = typeof drawn === 'string' ? drawn : JSON.stringify(drawn);
      if (parameter.in === 'path') {
        // Dots and nothing would be another path.
        const segment = /^\.*$/.test(value) ? 'x' : encodeURIComponent(value.toWellFormed());
        path = path.replace(`{${parameter.name}}`, segment);
      } else if (parameter.in === 'query') {
        if (this.#random() < 0.5) query.set(parameter.name, value.toWellFormed());
      } else if (this.#isOdd() && /^[\x20-\x7e]*$/.test(value)) {
        // Seldom, because most values select a Team that does not exist.
        headers[parameter.name] = value.slice(0, 500);
      }
    }
    const schema = operation.requestBody?.content?.['application/json']?.schema;
    const search = query.size > 0 ? `?${query.toString()}` : '';
    const body = schema === undefined ? undefined : this.value(schema);
    return {
      method: operation.method.toUpperCase(),
      path: path + search,
      ...(body === undefined ? {} : { body }),
      headers,
    };
  }
}
