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

/** A factory of compilers that keep what they made of a schema: one for each set of schemas to refer to. */
function compilingOnce<Factory extends (referred: never, options: never) => unknown>(
  build: Factory,
): Factory {
  const compilers = new Map<string, unknown>();
  return ((referred: never, options: never) => {
    const key = JSON.stringify(referred);
    const known = compilers.get(key);
    if (known !== undefined) return known;
    const compile = build(referred, options) as (route: { schema: object }) => unknown;
    const made = new WeakMap<object, unknown>();
    const once = (route: { schema: object }) => {
      if (!made.has(route.schema)) made.set(route.schema, compile(route));
      return made.get(route.schema);
    };
    compilers.set(key, once);
    return once;
  }) as Factory;
}

/**
 * Compiles each schema once for the process. By itself Fastify compiles everything again for a second app, which takes
 * most of the time of building one: the tests build many.
 */
const schemaCompilers: Factories = {
  buildValidator: compilingOnce(validators()),
  buildSerializer: compilingOnce(serializers()),
};

/** The product's app, for processes that build one for each of their files. */
export function buildTestedApp(deps: Parameters<typeof buildApp>[0]): ReturnType<typeof buildApp> {
  return buildApp(deps, { schemaController: { compilersFactory: schemaCompilers } });
}
