/** Every error code of the service: its HTTP status and what it means. The only place where either stands. */
export const ERRORS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  team_required: { status: 400, title: 'Several Teams are open to you: name one in the Memory-Team header' },
  query_embedding_required: { status: 400, title: 'The search needs a queryEmbedding' },
  embedding_dimension_mismatch: { status: 400, title: 'The embedding has the wrong number of dimensions' },
  embedding_model_mismatch: { status: 400, title: 'The embedding was made by another model' },
  server_embedding_disabled: { status: 400, title: 'The service does not make query embeddings itself' },
  invalid_path: { status: 400, title: 'The path is not a valid workspace path' },
  unauthenticated: { status: 401, title: 'Sign in first' },
  session_expired: { status: 401, title: 'The session is past its limits' },
  invalid_credentials: { status: 401, title: 'The email or the password is wrong' },
  team_forbidden: { status: 403, title: 'The Team is not open to you' },
  company_role_required: { status: 403, title: 'The route needs a higher role in the Company' },
  full_access_required: { status: 403, title: 'The action needs Full access to the Team' },
  scope_forbidden: { status: 403, title: 'The scope is not open to you' },
  forbidden: { status: 403, title: 'The action is not allowed to you' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The route does not take this method' },
  conflict: { status: 409, title: 'The present state does not allow this' },
  version_conflict: { status: 409, title: 'The version is not the current one' },
  workspace_conflict: { status: 409, title: 'The files have changed since you read them' },
  batch_expired: { status: 409, title: 'The lease of the batch ran out' },
  team_archived: { status: 409, title: 'The Team is archived and takes no changes' },
  last_owner: { status: 409, title: 'The last Owner cannot lose that role' },
  idempotency_in_progress: { status: 409, title: 'The first request with this key is still running' },
  token_used: { status: 410, title: 'The link was used already' },
  token_expired: { status: 410, title: 'The link has expired' },
  token_revoked: { status: 410, title: 'The link was withdrawn' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  idempotency_key_reused: { status: 422, title: 'The key was used with another body' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'The service failed' },
  unavailable: { status: 503, title: 'The service cannot answer now: try again' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One field that is at fault: a JSON pointer into the request, and what is wrong with it. */
export interface FieldError {
  path: string;
  message: string;
}

/** A limit that was reached. */
export interface RateLimit {
  /** How many are allowed in its time. */
  max: number;
  /** In how many seconds there is room again. */
  resetSeconds: number;
}

/** A refusal that the caller is told of. `message` is the problem's `detail`: never put a secret into it. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[] | undefined;
  /** Further members of the problem document, such as `conflicts`. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** With `rate_limited`: the limit, and when to come again. */
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

/** A fault of one field, as the 400 `invalid_request` that names it. */
export function invalidField(path: string, message: string): ServiceError {
  return new ServiceError('invalid_request', `${path}: ${message}`, { errors: [{ path, message }] });
}
