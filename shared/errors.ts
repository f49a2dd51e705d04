/** Every error code of the service, with its HTTP status and title. Neither is defined anywhere else. */
export const ERRORS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  team_required: {
    status: 400,
    title: 'You have access to several Teams; name one in the Memory-Team header',
  },
  query_embedding_required: {
    status: 400,
    title: 'The search does not say how to search; send an embeddingMode',
  },
  embedding_dimension_mismatch: { status: 400, title: 'The embedding has the wrong number of dimensions' },
  embedding_model_mismatch: {
    status: 400,
    title: 'The embedding was made by another model than that of the service',
  },
  server_embedding_disabled: {
    status: 400,
    title: 'The service makes no vectors; send another embeddingMode',
  },
  invalid_path: { status: 400, title: 'The path is not a valid workspace path' },
  unauthenticated: { status: 401, title: 'The request has no valid credential' },
  session_expired: { status: 401, title: 'The session has expired; sign in again' },
  agent_token_expired: { status: 401, title: 'The agent token has expired; create a new one' },
  invalid_credentials: { status: 401, title: 'The email or the password is wrong' },
  team_forbidden: { status: 403, title: 'You do not have access to this Team' },
  company_role_required: { status: 403, title: 'This route requires a higher role in the Company' },
  full_access_required: { status: 403, title: 'This action requires Full access to the Team' },
  permission_required: { status: 403, title: 'The agent token does not have the permission for this action' },
  scope_forbidden: { status: 403, title: 'You do not have access to this scope' },
  forbidden: { status: 403, title: 'You are not allowed to perform this action' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The route does not support this method' },
  conflict: { status: 409, title: 'The action conflicts with the current state' },
  version_conflict: { status: 409, title: 'The record has changed since you read it; read it again' },
  workspace_conflict: { status: 409, title: 'The files have changed since you read them; read them again' },
  batch_expired: {
    status: 409,
    title: 'The lease of the batch has expired, or the batch was released; claim again',
  },
  quota_exceeded: { status: 409, title: 'The Team has reached its quota' },
  team_archived: { status: 409, title: 'The Team is archived and cannot be changed' },
  company_required: {
    status: 409,
    title: 'You have accounts in several Companies with this password; name one of them as companyId',
  },
  last_owner: { status: 409, title: 'The last Owner cannot be removed or given another role' },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with this Idempotency-Key is still running; try again',
  },
  token_used: { status: 410, title: 'The link has already been used; ask for a new one' },
  token_expired: { status: 410, title: 'The link has expired; ask for a new one' },
  token_revoked: { status: 410, title: 'The link has been revoked; ask for a new one' },
  payload_too_large: { status: 413, title: 'The body is too large; send less in one request' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  range_not_satisfiable: { status: 416, title: 'The range begins after the end of the file' },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was already used with another body; use a new key',
  },
  password_refused: { status: 422, title: 'The password is easily guessed; choose another' },
  secret_detected: { status: 422, title: 'The text contains a credential; remove it' },
  rate_limited: { status: 429, title: 'Too many requests; wait before the next one' },
  internal_error: { status: 500, title: 'The service failed; its log has the reason' },
  unavailable: { status: 503, title: 'The service cannot answer now; try again' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One invalid field of a request: its JSON pointer, and a message that tells what is wrong with it. */
export interface FieldError {
  path: string;
  message: string;
}

/** A rate limit that a caller has exceeded. */
export interface RateLimit {
  /** How many requests are allowed in the window; for a limit of bytes, how many bytes. */
  max: number;
  /** Seconds until the caller can try again. */
  resetSeconds: number;
}

/** An error that is sent to the caller. `message` becomes the `detail` of the problem: it must not contain a secret. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[] | undefined;
  /** Further members of the problem document, such as `conflicts`. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Set only with `rate_limited`: the limit that was exceeded. */
  readonly limit: RateLimit | undefined;

  constructor(
    code: ErrorCode,
    detail?: string,
    options: {
      errors?: readonly FieldError[];
      extra?: Record<string, unknown>;
      limit?: RateLimit;
      cause?: unknown;
    } = {},
  ) {
    super(detail ?? ERRORS[code].title, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.errors = options.errors;
    this.extra = options.extra ?? {};
    this.limit = options.limit;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** The 400 `invalid_request` for one invalid field. */
export function invalidField(path: string, message: string): ServiceError {
  return new ServiceError('invalid_request', `${path}: ${message}`, { errors: [{ path, message }] });
}
