import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../shared/config.ts';
import type { ServiceError } from '../../shared/errors.ts';
import { compileSchema, type Validator } from './body-schema.ts';
import type { BodyRules } from './body-thread.ts';
import { BodyThreads } from './body-threads.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Parses large bodies. */
    bodyThreads: BodyThreads;
  }
  interface FastifyRequest {
    /** Whether a thread has checked the body. */
    isBodyChecked: boolean;
    /** What is wrong with a body that a thread parsed. It is thrown when the body is checked. */
    bodyFault: ServiceError | null;
    /** The hash for an Idempotency-Key of a body that a thread parsed. */
    bodyHash: Buffer | null;
  }
  interface FastifyContextConfig {
    /** The list of the body whose entries have an `embedding`. A thread makes Float32Arrays of them. */
    vectorList?: string;
  }
}

/**
 * A larger body is parsed and checked in a thread: parsing is one step of the event loop, and takes 150 ms for some
 * bodies of 32 MiB on a fast machine. For the worst of this length, two million numbers of one digit, it took 31 to 45 ms on
 * a slow one; decoding, the check of texts and the schema are steps of their own, of at most 30 ms.
 */
export const MAX_INLINE_BYTES = 4 * 1024 * 1024;

/** Bodies that a thread has already validated. */
const validated = new WeakSet<object>();

const routeName = (method: string, url: string) => `${method} ${url}`;

/** Parses and checks the body of a request in a thread. Its bytes cannot be read afterwards. */
export async function parseInThread(request: FastifyRequest, bytes: Uint8Array): Promise<unknown> {
  const { body, hash, fault } = await request.server.bodyThreads.parse({
    route: routeName(request.method, request.routeOptions.url ?? ''),
    bytes,
    isHashed: request.headers['idempotency-key'] !== undefined,
  });
  request.isBodyChecked = true;
  request.bodyFault = fault;
  request.bodyHash = hash;
  if (fault === null && typeof body === 'object' && body !== null) validated.add(body);
  return body;
}

/** A validator for a route with large bodies. It validates only what no thread has validated. */
function validatorOf(schema: object): Validator {
  const validate = compileSchema(schema);
  const check: Validator = (value) => {
    if (typeof value === 'object' && value !== null && validated.has(value)) return true;
    const isValid = validate(value);
    check.errors = validate.errors ?? null;
    return isValid;
  };
  return check;
}

/** Creates the threads of the app, and tells them what they must know of the routes that take large bodies. */
export default fp(function largeBodies(
  app: FastifyInstance,
  { embeddingModel }: Pick<Config, 'embeddingModel'>,
  done: () => void,
) {
  const rules = new Map<string, BodyRules>();
  const threads = new BodyThreads(rules, embeddingModel);
  app.decorate('bodyThreads', threads);
  app.decorateRequest('isBodyChecked', false);
  app.decorateRequest('bodyFault', null);
  app.decorateRequest('bodyHash', null);
  app.addHook('onRoute', (route) => {
    if ((route.bodyLimit ?? 0) <= MAX_INLINE_BYTES) return;
    const { vectorList = null, hasWorkspacePaths = false } = route.config ?? {};
    // What JSON can express: the types of a schema are not passed to a thread.
    const schema = JSON.parse(JSON.stringify(route.schema?.body)) as object;
    for (const method of [route.method].flat()) {
      rules.set(routeName(method, route.url), { schema, vectorList, hasWorkspacePaths });
    }
    route.validatorCompiler = ({ schema: part }) => validatorOf(part as object);
  });
  app.addHook('onClose', () => threads.close());
  done();
});
