import type { Socket } from 'node:net';
import type {
  ConnectionError,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify';
import fp from 'fastify-plugin';
import { databaseFault } from '../../db/driver/faults.ts';
import { ObjectFault } from '../../db/objects/bucket.ts';
import { ERRORS, type FieldError, ServiceError } from '../../shared/errors.ts';
import { VISIBLE_CHARACTER } from '../../shared/formats/names.ts';
import { newId } from '../../shared/ids.ts';
import { shownPointer } from '../../shared/secrets/find-secrets.ts';
import { hasBearerToken } from './guards.ts';
import { prefersPage, sendUnknownPage } from './pages.ts';
import { addVary, encodedPath, isUnderV1, requestedPath } from './requests.ts';

type Fault = FastifySchemaValidationError;
/** The keywords of a JSON schema that messages use. */
type Bounds = Partial<
  Record<'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems', number>
> & { type?: unknown; pattern?: unknown };

/** The types of JSON schema, as messages name them. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/** The formats of strings, as messages name them. */
const FORMATS: Readonly<Record<string, string>> = {
  date: 'a day such as 2026-03-01',
  'date-time': 'a time such as 2026-03-01T09:30:00Z',
};

/** The keywords that limit a value of the right type. */
const LIMITS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'pattern',
  'format',
]);

/**
 * The 400 `invalid_request` for a part of a request that does not match its schema.
 * @param schema of that part; a message about one bound also names the other
 */
export function invalidFields(faults: readonly Fault[], schema: unknown): ServiceError {
  const errors = fieldErrors(faults, schema);
  const detail = errors.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  return new ServiceError('invalid_request', detail, { errors });
}

/** The invalid fields. The paths are JSON pointers into the invalid part of the request. */
function fieldErrors(faults: readonly Fault[], schema: unknown): FieldError[] {
  // A choice has one fault for each branch and one for the whole. They become one field error.
  const choices = new Set(faults.filter(isChoice).map((fault) => fault.instancePath));
  const single = faults.filter(({ instancePath }) => !choices.has(instancePath));
  // A fault inside the value says more than that the value also matches no other branch.
  const isOfWhole = (path: string) => !faults.some((fault) => fault.instancePath.startsWith(`${path}/`));
  const ofChoices = [...choices].filter(isOfWhole).map((path): FieldError => {
    const branches = faults.filter(({ instancePath }) => instancePath === path);
    return { path: path === '' ? '/' : path, message: choiceMessage(branches, schema) };
  });
  return [...ofChoices, ...single.map((fault) => fieldError(fault, schema))];
}

function isChoice({ keyword }: Fault): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function fieldError(fault: Fault, schema: unknown): FieldError {
  const { additionalProperty, missingProperty } = fault.params as Record<string, string | undefined>;
  const child = additionalProperty ?? missingProperty;
  const path = `${fault.instancePath}${child === undefined ? '' : shownPointer([child])}`;
  return { path: path === '' ? '/' : path, message: messageOf(fault, schema) };
}

function messageOf(fault: Fault, schema: unknown): string {
  const bounds = boundsAt(fault.schemaPath, schema);
  switch (fault.keyword) {
    case 'additionalProperties':
      return 'is not a known field';
    case 'required':
      return 'is required';
    case 'pattern':
      return bounds.pattern === VISIBLE_CHARACTER.source
        ? 'must have a visible character'
        : 'must not be blank';
    case 'format':
      return `must be ${formatOf(fault)}`;
    case 'enum':
    case 'const':
      return oneOf(allowedValues(fault));
    case 'type':
      return `must be ${typeOf(fault, bounds)}`;
    case 'minimum':
    case 'maximum':
      return `must be ${bounds.type === 'integer' ? 'a whole number' : 'a number'}${range(bounds)}`;
    case 'minLength':
    case 'maxLength':
      return `must have ${count(bounds.minLength, bounds.maxLength, 'character', 'characters')}`;
    case 'minItems':
    case 'maxItems':
      return `must have ${count(bounds.minItems, bounds.maxItems, 'entry', 'entries')}`;
    case 'uniqueItems':
      return 'must not have the same entry twice';
    default:
      return fault.message ?? 'is not valid';
  }
}

/**
 * The message for a value that matches no branch of a choice. It names the requirement of the branch that has the type of
 * the value. If no branch has it, it lists the allowed values, or else the types.
 */
function choiceMessage(faults: readonly Fault[], schema: unknown): string {
  const values = faults
    .filter(({ keyword }) => keyword === 'enum' || keyword === 'const')
    .flatMap(allowedValues);
  const types = faults
    .filter(({ keyword }) => keyword === 'type')
    .map((fault) => typeOf(fault, boundsAt(fault.schemaPath, schema)));
  const isNullable = types.includes('null');
  if (values.length > 0) return oneOf([...new Set([...values, ...(isNullable ? ['null'] : [])])]);
  const formats = faults.filter(({ keyword }) => keyword === 'format').map(formatOf);
  if (formats.length > 1) return `must be ${[...formats, ...(isNullable ? ['null'] : [])].join(' or ')}`;
  const unmet = faults.find(({ keyword }) => LIMITS.has(keyword));
  if (unmet !== undefined) {
    const message = messageOf(unmet, schema);
    if (!isNullable) return message;
    return message.startsWith('must be ') ? `${message} or null` : `${message}, or must be null`;
  }
  return types.length > 0 ? `must be ${[...new Set(types)].join(' or ')}` : 'is not valid';
}

function formatOf({ params }: Fault): string {
  const format = String(params['format']);
  return FORMATS[format] ?? `a valid ${format}`;
}

function allowedValues({ params }: Fault): string[] {
  const { allowedValues: several, allowedValue: single } = params as Record<string, unknown>;
  return (Array.isArray(several) ? several : [single]).map(String);
}

function oneOf(values: readonly string[]): string {
  const [only, ...more] = values;
  return more.length === 0 ? `must be ${only}` : `must be one of ${values.join(', ')}`;
}

function typeOf({ params }: Fault, bounds: Bounds): string {
  const type = String(params['type']);
  const name = TYPES[type] ?? type;
  return type === 'integer' || type === 'number' ? name + range(bounds) : name;
}

function range({ minimum, maximum }: Bounds): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function count(least: number | undefined, most: number | undefined, one: string, many: string): string {
  if (most === undefined) return `at least ${least} ${least === 1 ? one : many}`;
  return `${least === undefined ? 'at most' : `${least} to`} ${most} ${most === 1 ? one : many}`;
}

/** The schema of a fault's keyword. `schemaPath` is the path of the keyword, such as `#/properties/limit/minimum`. */
function boundsAt(schemaPath: string, schema: unknown): Bounds {
  const keys = schemaPath.split('/').slice(1, -1);
  let at: unknown = schema;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null) return {};
    at = (at as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return typeof at === 'object' && at !== null ? at : {};
}

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
    ? sendUnknownPage(reply, encodedPath(url))
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
