import { createRequire } from 'node:module';
import type { FastifySchemaValidationError } from 'fastify';
import type { ServiceError } from '../../../shared/errors.ts';
import { invalidFields } from '../field-errors.ts';

/** Options of Ajv for all requests. By default Fastify converts types and drops unknown fields. */
export const AJV_OPTIONS = { coerceTypes: false, removeAdditional: false, useDefaults: false } as const;

/** Compiled by Ajv: the faults of the last value, after `false`. */
export interface Validator {
  (value: unknown): boolean;
  errors?: FastifySchemaValidationError[] | null;
}

type Compile = (route: { schema: unknown }) => Validator;
type BuildCompile = (referred: object, options: { customOptions: object }) => Compile;

// The compiler that Fastify uses itself, in the version that it brings, so that a body has the same faults in a thread.
const requireOfFastify = createRequire(import.meta.resolve('fastify'));
const ajvCompiler = requireOfFastify('@fastify/ajv-compiler') as () => BuildCompile;
const compile = ajvCompiler()({}, { customOptions: AJV_OPTIONS });

const compiled = new WeakMap<object, Validator>();

/** Compiles a schema. Each is compiled once for the process. */
export function compileSchema(schema: object): Validator {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const validate = compile({ schema });
  compiled.set(schema, validate);
  return validate;
}

/** The refusal of a body that does not match its schema; null if it does. */
export function schemaFault(body: unknown, schema: object): ServiceError | null {
  const validate = compileSchema(schema);
  return validate(body) ? null : invalidFields(validate.errors ?? [], schema);
}
