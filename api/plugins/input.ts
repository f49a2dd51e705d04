import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  FastifyInstance,
  FastifyRequest,
  preParsingAsyncHookHandler,
  preValidationAsyncHookHandler,
} from 'fastify';
import fp from 'fastify-plugin';
import { DEFAULT_BODY_LIMIT } from '../../shared/body-limits.ts';
import { ServiceError } from '../../shared/errors.ts';
import { freeMemory } from '../../shared/resources/free-memory.ts';
import { Body } from '../../shared/schemas/common.ts';
import { shownPointer } from '../../shared/secrets/shown-text.ts';
import { acceptedLength, isChunked } from '../bodies/declared-length.ts';
import { MAX_INLINE_BYTES, parseInThread } from '../bodies/large-bodies.ts';
import { readBody } from '../bodies/read-body.ts';
import { assertStorableBody, assertStorableText } from '../bodies/storable.ts';
import { declareErrors } from '../openapi/declared-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether a step over the body takes so long that other requests should run between two steps. */
    hasLargeBody: boolean;
  }
  interface FastifyContextConfig {
    /** Whether `path` of the query and of each of `files` is a workspace path, whose text the route checks with its own error. */
    hasWorkspacePaths?: true;
    /** Whether the route itself checks the text of its body, with its own error. */
    checksBody?: true;
  }
}

/** Checks body and query string. Ids in the path are not checked here: a malformed id is 404, like an unknown one. */
const assertStorableRequest: preValidationAsyncHookHandler = async (request) => {
  const { hasWorkspacePaths = false, checksBody = false } = request.routeOptions.config;
  if (!checksBody) await assertStorableInSteps(request, hasWorkspacePaths);
  try {
    // Fastify's parser does not fail on bytes that are not UTF-8, and leaves them percent-encoded.
    decodeURIComponent(request.url.split('?').slice(1).join('?'));
  } catch {
    throw new ServiceError('invalid_request', 'The query string is not percent-encoded UTF-8');
  }
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>)) {
    if (hasWorkspacePaths && name === 'path') continue;
    for (const text of [value].flat())
      if (typeof text === 'string') assertStorableText(text, shownPointer([name]));
  }
};

/** Checks the text of the body, unless a thread has done so. */
async function assertStorableInSteps(request: FastifyRequest, hasWorkspacePaths: boolean): Promise<void> {
  await yieldAfterLargeBody(request);
  if (request.bodyFault !== null) throw request.bodyFault;
  if (request.isBodyChecked) return;
  assertStorableBody(request.body, hasWorkspacePaths);
  await yieldAfterLargeBody(request);
}

/** Decodes a body. */
function decode(request: FastifyRequest, bytes: Buffer): string {
  // Decoding would silently replace invalid bytes by replacement characters.
  if (!isUtf8(bytes)) throw new ServiceError('invalid_request', 'The body is not UTF-8');
  const text = bytes.toString('utf8');
  // A small Buffer can share its memory with others, so only a large one is freed.
  if (request.hasLargeBody) freeMemory(bytes);
  return text;
}

/** Parses a JSON body; undefined for an empty body. */
async function parseBody(request: FastifyRequest, stream: IncomingMessage): Promise<unknown> {
  // The body of an unknown route is not read: 404 takes precedence over any fault of the body.
  if (request.is404) return undefined;
  const bytes = await readBody(request, stream);
  if (bytes.length === 0) return undefined;
  request.hasLargeBody = bytes.length > DEFAULT_BODY_LIMIT;
  if (bytes.length > MAX_INLINE_BYTES) return parseInThread(request, bytes);
  const text = decode(request, bytes);
  await yieldAfterLargeBody(request);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ServiceError('invalid_request', 'The body is not valid JSON');
  }
}

/**
 * Lets the event loop turn between two steps over a large body. Without it, every other request would wait for all steps
 * together.
 */
export async function yieldAfterLargeBody(request: FastifyRequest): Promise<void> {
  if (request.hasLargeBody) await nextTurn();
}

/**
 * Refuses a body whose declared length is too large, whatever its type. Then sends 100 Continue, if the sender waits.
 */
const sendContinue: preParsingAsyncHookHandler = async (request, reply) => {
  const length = acceptedLength(request);
  if (request.headers.expect !== undefined && length !== 0) reply.raw.writeContinue();
};

/** Drops the type of an empty body, which Fastify would refuse if it is not JSON. An empty body counts as none. */
const ignoreTypeOfEmptyBody: preParsingAsyncHookHandler = async (request) => {
  const isEmpty = !isChunked(request) && (request.headers['content-length'] ?? '0') === '0';
  if (isEmpty && request.mediaType !== 'application/json') delete request.raw.headers['content-type'];
};

/**
 * Parses JSON bodies, and refuses text that cannot be stored before the schema is checked.
 */
export default fp(function input(app: FastifyInstance, _options: object, done: () => void) {
  app.decorateRequest('hasLargeBody', false);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', parseBody);
  app.addHook('onRoute', (route) => {
    // A route without a body schema accepts no body or {}. Any field is refused as unknown.
    const acceptsBody = [route.method]
      .flat()
      .some((method) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method));
    if (acceptsBody && route.schema !== undefined) route.schema.body ??= Body({});
    if (acceptsBody) {
      declareErrors(route, ['payload_too_large', 'unsupported_media_type']);
      route.preParsing = [...[route.preParsing ?? []].flat(), sendContinue, ignoreTypeOfEmptyBody];
    }
    // After the route's own hooks, so that their errors take precedence over faults of the text.
    route.preValidation = [...[route.preValidation ?? []].flat(), assertStorableRequest];
    if ((route.bodyLimit ?? 0) > DEFAULT_BODY_LIMIT) {
      route.preHandler = [...[route.preHandler ?? []].flat(), yieldAfterLargeBody];
    }
  });
  app.addHook('preValidation', async (request) => {
    // No body counts as {}, so that the schema decides whether a body is required.
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
  });
  done();
});
