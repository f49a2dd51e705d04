import type { Socket } from 'node:net';
import type { ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Static } from 'typebox';
import { databaseFault } from '../../db/driver/faults.ts';
import { ObjectFault } from '../../db/objects/bucket.ts';
import { ERRORS, ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { Problem } from '../../shared/schemas/common.ts';
import { invalidFields } from './field-errors.ts';
import { hasBearerToken } from './guards.ts';
import { prefersPage, sendDocument } from './pages.ts';
import { addVary, encodedPath, isUnderV1, requestedPath } from './requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers a request for which there is no route: 405 if its address has other methods, else 404. */
    refuseRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  }
}

/** The service errors for the error codes of Fastify. */
const FRAMEWORK_CODES: Readonly<Record<string, ConstructorParameters<typeof ServiceError>>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'Content-Length is not the length of the body'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_request', 'The body is not valid JSON'],
  FST_ERR_BAD_URL: ['not_found'],
  FST_ERR_HANDLER_TIMEOUT: ['unavailable'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found'],
};

/** The schema that failed: that of the query string, the body or another part of the request. */
function checkedSchema({ validationContext }: FastifyError, request: FastifyRequest | undefined): unknown {
  const { schema } = request?.routeOptions ?? {};
  if (schema === undefined) return undefined;
  return validationContext === 'querystring' ? schema.querystring : schema[validationContext ?? 'body'];
}

/** The service error for a bucket that does not answer, and for an object that is not what was stored. */
function storageError(fault: ObjectFault): ServiceError {
  if (fault.reason === 'missing' || fault.reason === 'damaged') {
    const detail = 'The stored file is damaged or missing. Ask the operator to restore it';
    return new ServiceError('internal_error', detail, { cause: fault });
  }
  const detail = 'The storage of files does not answer. Everything else works. Try again later';
  return new ServiceError('unavailable', detail, { cause: fault });
}

/**
 * Converts any error to a ServiceError. Only this function decides the status of an error.
 * @param source the failed request, or the schema of the validated value; messages about invalid fields use it
 */
export function toServiceError(error: unknown, source?: FastifyRequest | { schema: unknown }): ServiceError {
  if (error instanceof ServiceError) return error;
  const fastify = error as FastifyError;
  if (fastify.validation !== undefined) {
    const schema =
      source !== undefined && 'schema' in source ? source.schema : checkedSchema(fastify, source);
    return invalidFields(fastify.validation, schema);
  }
  if (error instanceof ObjectFault) return storageError(error);
  const known = typeof fastify.code === 'string' ? FRAMEWORK_CODES[fastify.code] : undefined;
  if (known !== undefined) return new ServiceError(...known);
  const fault = databaseFault(error);
  if (fault === 'bad_value') {
    return new ServiceError('invalid_request', 'A value is out of the range that can be stored', {
      cause: error,
    });
  }
  if (fault === 'disk_full') {
    return new ServiceError(
      'unavailable',
      'Changes and searches are refused, because the disk is almost full. Reading works. Try again later',
      { cause: error },
    );
  }
  if (fault === 'unavailable') return new ServiceError('unavailable', undefined, { cause: error });
  if (typeof fastify.statusCode === 'number' && fastify.statusCode >= 400 && fastify.statusCode < 500) {
    return new ServiceError('invalid_request', 'The request could not be read');
  }
  return new ServiceError('internal_error', undefined, { cause: error });
}

/** The RFC 9457 problem document of an error. */
export function problemDocument(error: ServiceError, requestId: string): Record<string, unknown> {
  const { status, title } = ERRORS[error.code];
  return {
    type: `urn:team-memory:problem:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
    ...error.extra,
  };
}

/** The problem document of one of several changes in a request. Logs it if the fault is that of the service. */
export function problemOf(
  error: unknown,
  { log, id }: Pick<FastifyRequest, 'log' | 'id'>,
): Static<typeof Problem> {
  const refusal = toServiceError(error);
  if (refusal.status >= 500) log.error({ err: refusal.cause ?? error }, 'one change of a request failed');
  return problemDocument(refusal, id) as Static<typeof Problem>;
}

/** The headers that tell a limit that was exceeded. */
export function limitHeaders({ limit }: Pick<ServiceError, 'limit'>): Record<string, string> {
  if (limit === undefined) return {};
  const { max, resetSeconds } = limit;
  return {
    'retry-after': String(resetSeconds),
    'ratelimit-limit': String(max),
    'ratelimit-remaining': '0',
    'ratelimit-reset': String(resetSeconds),
  };
}

/** The challenge of a 401, as RFC 6750 defines it: a token that was sent is not valid, or none was sent. */
function challenge({ code }: ServiceError, request: FastifyRequest): string {
  // A wrong password is no fault of a token.
  const isTokenRefused = code !== 'invalid_credentials' && hasBearerToken(request);
  return isTokenRefused ? 'Bearer error="invalid_token"' : 'Bearer';
}

function sendProblem(error: ServiceError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status } = ERRORS[error.code];
  if (status === 401) reply.header('www-authenticate', challenge(error, request));
  if (status === 503) reply.header('retry-after', '2');
  reply.headers(limitHeaders(error));
  return reply
    .code(status)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(problemDocument(error, request.id));
}

/** Headers of every answer. `url` is the requested one. */
export function answerHeaders(url: string, requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    ...(isUnderV1(url) ? { 'cache-control': 'no-store' } : {}),
  };
}

/** Answers a request whose address Fastify cannot parse. Fastify calls it before any hook or handler. */
export function refuseAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(answerHeaders(request.url, request.id));
  const refusal = toServiceError(error);
  if (refusal.code === 'not_found') sendUnknown(refusal, request, reply);
  else sendProblem(refusal, request, reply);
}

const unknownRoute = () => new ServiceError('not_found', 'The route does not exist');

/** Answers a request whose address is unknown: outside /v1 with a page, if a person opened it in a browser. */
function sendUnknown(refusal: ServiceError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { method, url } = request;
  if (isUnderV1(url) || !['GET', 'HEAD'].includes(method)) return sendProblem(refusal, request, reply);
  addVary(reply, 'Accept');
  return prefersPage(request)
    ? sendDocument(reply.code(404), encodedPath(url))
    : sendProblem(refusal, request, reply);
}

/** Whether Fastify refused a request itself, and not a hook. */
function isFrameworkRefusal(error: unknown): boolean {
  const { code, statusCode } = error as FastifyError;
  return typeof code === 'string' && code.startsWith('FST_ERR_') && (statusCode ?? 500) < 500;
}

/** The regular expression that matches the requested paths of a registered path. */
function pathPattern(url: string): RegExp {
  const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+');
  return new RegExp(`^${escaped.replace(/\*/g, '.*')}$`);
}

/** Answers every error with problem+json: unknown routes and methods, invalid input, and failures of the service. */
export default fp(function errors(app: FastifyInstance, _options: object, done: () => void) {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', (route) => {
    const known = routes.get(route.url) ?? { pattern: pathPattern(route.url), methods: new Set<string>() };
    for (const method of [route.method].flat()) known.methods.add(method);
    routes.set(route.url, known);
  });

  app.addHook('onRequest', async ({ raw }) => {
    // The router does not compare the first character of a path, so `*` would be the path `/`.
    if (raw.url === '*') throw unknownRoute();
  });

  const refuseRoute = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = requestedPath(request.url);
    const allowed = new Set<string>();
    for (const { pattern, methods } of routes.values()) {
      if (pattern.test(path)) for (const method of methods) allowed.add(method);
    }
    allowed.delete('OPTIONS');
    if (allowed.size === 0 || allowed.has(request.method)) {
      return sendUnknown(unknownRoute(), request, reply);
    }
    const methods = [...allowed].sort().join(', ');
    reply.header('allow', methods);
    return sendProblem(
      new ServiceError('method_not_allowed', `Method not allowed; use ${methods}`),
      request,
      reply,
    );
  };

  app.setErrorHandler(async (error, request, reply) => {
    // Fastify checks the type of the body before it calls the handler of unknown routes.
    if (request.is404 && isFrameworkRefusal(error)) return refuseRoute(request, reply);
    const refusal = toServiceError(error, request);
    const problem = refusal.status === 401 ? await app.countGuess(refusal, request) : refusal;
    if (problem.status >= 500) {
      request.log.error({ err: problem.cause ?? error, code: problem.code }, 'request failed');
    }
    return sendProblem(problem, request, reply);
  });

  app.decorate('refuseRoute', refuseRoute);
  app.setNotFoundHandler(refuseRoute);
  done();
});

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The address and headers of the request are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
};

/**
 * Answers input that is not a complete HTTP request. Fastify has no request object for it, so no route can refuse it.
 */
export function refuseConnection(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId();
  const problem = new ServiceError('invalid_request', DETAILS[error.code] ?? 'The request is not valid HTTP');
  const body = JSON.stringify(problemDocument(problem, requestId));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ];
  // Destroyed after the answer is written; otherwise a caller that never closes its side keeps the connection.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
