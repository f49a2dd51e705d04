import type { FastifyInstance, RouteOptions } from 'fastify';
import type { ErrorCode } from '../../../shared/errors.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Codes that the operation of the route fails with. Those of guards and of the input are added to them. */
    errors?: readonly ErrorCode[];
  }
  interface FastifyContextConfig {
    /** Every code that the route can return. The OpenAPI document and the tests read it. */
    errors?: Set<ErrorCode>;
  }
}

/** Codes that every route can return: a request without Host, a fault of the service, and a database that is away. */
const EVERYWHERE: readonly ErrorCode[] = ['invalid_request', 'internal_error', 'unavailable'];

/** A hook, and the codes that it refuses requests with. */
export type Refusing<Hook> = Hook & { readonly errors: readonly ErrorCode[] };

/** Declares the codes that a hook refuses requests with. Every route that has the hook declares them. */
export function refusing<Hook extends object>(errors: readonly ErrorCode[], hook: Hook): Refusing<Hook> {
  return Object.assign(hook, { errors });
}

/** The `errors` of a schema. */
export const errorCodes = (...codes: ErrorCode[]): readonly ErrorCode[] => codes;

/** Adds codes that a route can return. */
export function declareErrors(route: RouteOptions, codes: readonly ErrorCode[]): void {
  const errors = route.config?.errors ?? new Set();
  for (const code of codes) errors.add(code);
  route.config = { ...route.config, errors };
}

/** Adds codes that every route of a context can return. */
export function declareErrorsWithin(app: FastifyInstance, codes: readonly ErrorCode[]): void {
  app.addHook('onRoute', (route) => declareErrors(route, codes));
}

/** Adds the codes that follow from the route itself: its path, its hooks, and its operation. */
export function declareOwnErrors(route: RouteOptions): void {
  declareErrors(route, EVERYWHERE);
  // An id in the path that is malformed, unknown or out of reach.
  if (route.url.includes(':')) declareErrors(route, ['not_found']);
  for (const hook of [route.onRequest, route.preValidation, route.preHandler].flat()) {
    declareErrors(route, (hook as Partial<Refusing<object>> | undefined)?.errors ?? []);
  }
  declareErrors(route, route.schema?.errors ?? []);
}
