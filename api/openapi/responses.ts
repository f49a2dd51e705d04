import { STATUS_CODES } from 'node:http';
import type { OpenAPIV3_1 } from 'openapi-types';
import { ERRORS, type ErrorCode } from '../../shared/errors.ts';
import { componentReference } from './components.ts';

type Responses = Record<string, OpenAPIV3_1.ResponseObject>;
type Headers = NonNullable<OpenAPIV3_1.ResponseObject['headers']>;

const header = (description: string, type: 'string' | 'integer'): OpenAPIV3_1.HeaderObject => ({
  description,
  schema: { type },
});

/** The headers of responses. */
export const HEADERS = {
  'x-request-id': header('Id of the request, for questions to the operator', 'string'),
  'RateLimit-Limit': header('Requests that are allowed in the time window', 'integer'),
  'RateLimit-Remaining': header('Requests that are left in the time window', 'integer'),
  'RateLimit-Reset': header('Seconds until the time window ends', 'integer'),
  'Retry-After': header('Seconds to wait before the next request', 'integer'),
  'WWW-Authenticate': header(
    'Bearer, with error="invalid_token" if the token that was sent is unknown, expired or revoked',
    'string',
  ),
} as const;

const RATE_LIMIT = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** The headers of a response. What is left of a limit is sent with refusals too; programs read it from successes. */
function headersOf(status: string, isLimited: boolean): Headers {
  const names: (keyof typeof HEADERS)[] = ['x-request-id'];
  if (isLimited && (status < '300' || status === '429')) names.push(...RATE_LIMIT);
  if (status === '429' || status === '503') names.push('Retry-After');
  if (status === '401') names.push('WWW-Authenticate');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const describe = (codes: readonly ErrorCode[]) =>
  codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('\n\n');

const PROBLEM = 'application/problem+json';
const problemContent = { [PROBLEM]: { schema: componentReference('Problem') } };
/** What @fastify/swagger writes if a schema has no description. */
const UNDESCRIBED = 'Default Response';

/**
 * All responses of an operation: those that its schema describes, and one for each status of its codes.
 * @param described the responses of the schema, by status
 * @param errors every code that the route can return
 */
export function completeResponses(described: Responses, errors: ReadonlySet<ErrorCode>): Responses {
  const byStatus = Map.groupBy(errors, (code) => String(ERRORS[code].status));
  const statuses = [...new Set([...Object.keys(described), ...byStatus.keys()])].sort();
  const isLimited = errors.has('rate_limited');
  const responses: Responses = {};
  for (const status of statuses) {
    const { description, ...known }: OpenAPIV3_1.ResponseObject = described[status] ?? {
      description: UNDESCRIBED,
    };
    const codes = byStatus.get(status);
    const texts = [
      description === UNDESCRIBED ? null : description,
      codes === undefined ? null : describe(codes),
    ].filter((text) => text !== null);
    responses[status] = {
      ...known,
      description: texts.length === 0 ? (STATUS_CODES[status] ?? status) : texts.join('\n\n'),
      headers: headersOf(status, isLimited),
      ...(codes === undefined ? {} : { content: { ...problemContent, ...known.content } }),
    };
  }
  return {
    ...responses,
    default: {
      description: 'Any other error; programs compare its `code`',
      headers: headersOf('default', false),
      content: problemContent,
    },
  };
}
