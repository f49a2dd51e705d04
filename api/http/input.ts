import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preParsingAsyncHookHandler,
  preValidationAsyncHookHandler,
} from 'fastify';
import fp from 'fastify-plugin';
import { type OnceCommand, runOnce } from '../../core/access/run-command.ts';
import type { Database } from '../../db/driver/database.ts';
import type { AnswerKey } from '../../db/queries/upkeep.ts';
import { DEFAULT_BODY_LIMIT } from '../../shared/body-limits.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { jsonHash } from '../../shared/formats/json-parts.ts';
import { freeMemory } from '../../shared/resources/process.ts';
import { Body } from '../../shared/schemas/common.ts';
import { shownPointer } from '../../shared/secrets/find-secrets.ts';
import { acceptedLength, isChunked } from './bodies/body-budget.ts';
import { MAX_INLINE_BYTES, parseInThread } from './bodies/large-bodies.ts';
import { readBody } from './bodies/read-body.ts';
import { assertStorableBody, assertStorableText } from './bodies/storable.ts';
import { assertTeamActive } from './guards.ts';
import { declareErrors, type Refusing, refusing } from './openapi/declared-errors.ts';

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
async function yieldAfterLargeBody(request: FastifyRequest): Promise<void> {
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

const MAX_KEY_LENGTH = 300;

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

function keyHeader(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  if (typeof header !== 'string' || header.trim() === '' || header.length > MAX_KEY_LENGTH) {
    throw invalidField('/Idempotency-Key', `must be 1 to ${MAX_KEY_LENGTH} characters`);
  }
  return header;
}

async function answerKey(request: FastifyRequest, header: string): Promise<AnswerKey> {
  await yieldAfterLargeBody(request);
  return {
    // The pattern of the route, so that each spelling of its path counts as the same. None of these routes has parameters.
    route: `${request.method} ${request.routeOptions.url}`,
    // Keys of an agent token are its own: its rights differ from those of its owner.
    keyHash: sha256(request.teamScope.tokenId === null ? header : `${request.teamScope.tokenId} ${header}`),
    bodyHash: request.bodyHash ?? (await jsonHash(request.body ?? null, 'given')),
  };
}

/** `preValidation` of routes with an Idempotency-Key: refuses a malformed key before the operation runs. */
export const readIdempotencyKey: Refusing<preValidationAsyncHookHandler> = refusing(
  ['idempotency_key_reused', 'idempotency_in_progress'],
  async (request) => {
    keyHeader(request);
  },
);

/** Whether a request can be the repeat of an earlier one, whose answer it then gets. */
export function isRepeatable(request: FastifyRequest): boolean {
  return request.headers['idempotency-key'] !== undefined;
}

/**
 * Runs a command once for the Idempotency-Key of its request. A repeated request gets the same answer. Call it after
 * access has been checked, so that access is checked for each repeat too.
 * @throws ServiceError `team_archived`, for a repeat too
 */
export async function answerOnce<Locked, R, Prepared>(
  request: FastifyRequest,
  reply: FastifyReply,
  database: Database,
  command: OnceCommand<Locked, R, Prepared>,
): Promise<never> {
  const header = keyHeader(request);
  // The answer of a repeat is not locked. A first request finds out under its lock, after what it names was found.
  if (header !== null) assertTeamActive(request);
  const key = header === null ? null : await answerKey(request, header);
  const answer = await runOnce(database, request.teamScope, key, command);
  reply.code(answer.status);
  // A stored body has the type that the response schema of the same route asserts.
  return answer.body as never;
}
