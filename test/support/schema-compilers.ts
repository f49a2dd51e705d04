import { createRequire } from 'node:module';
import type { FastifyServerOptions } from 'fastify';
import { buildApp } from '../../api/app.ts';

type Factories = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;
type BuildValidator = NonNullable<Factories['buildValidator']>;
type BuildSerializer = NonNullable<Factories['buildSerializer']>;

// Fastify's own, of the version that it brings.
const requireOfFastify = createRequire(import.meta.resolve('fastify'));
const validators = requireOfFastify('@fastify/ajv-compiler') as () => BuildValidator;
const serializers = requireOfFastify('@fastify/fast-json-stringify-compiler') as () => BuildSerializer;

interface Compiled {
  (value: unknown): unknown;
  /** What a validator leaves after it has returned false. */
  errors?: unknown;
}

/** Compiles at the first call. */
function compiledLate(compile: () => Compiled): Compiled {
  let compiled: Compiled | null = null;
  const late: Compiled = (value) => {
    compiled ??= compile();
    const result = compiled(value);
    late.errors = compiled.errors;
    return result;
  };
  return late;
}

/** A factory of compilers that keep what they made of a schema: one for each set of schemas to refer to. */
function compilingOnce<Factory extends (referred: never, options: never) => unknown>(
  build: Factory,
): Factory {
  const compilers = new Map<string, unknown>();
  return ((referred: never, options: never) => {
    const key = JSON.stringify(referred);
    const known = compilers.get(key);
    if (known !== undefined) return known;
    const compile = build(referred, options) as (route: { schema: object }) => Compiled;
    const made = new WeakMap<object, Compiled>();
    const once = (route: { schema: object }) => {
      const compiled = made.get(route.schema) ?? compiledLate(() => compile(route));
      made.set(route.schema, compiled);
      return compiled;
    };
    compilers.set(key, once);
    return once;
  }) as Factory;
}

/**
 * Compiles each schema once for the process, at its first use. By itself Fastify compiles all schemas of an app when it
 * is built, which takes seconds: the tests build many apps, and most files use few of the routes. Tests that build the
 * app without these compilers show that all schemas compile: the access matrix, and those that start the service.
 */
const schemaCompilers: Factories = {
  buildValidator: compilingOnce(validators()),
  buildSerializer: compilingOnce(serializers()),
};

/** The product's app, for processes that build many. */
export function buildTestedApp(deps: Parameters<typeof buildApp>[0]): ReturnType<typeof buildApp> {
  return buildApp(deps, { schemaController: { compilersFactory: schemaCompilers } });
}
