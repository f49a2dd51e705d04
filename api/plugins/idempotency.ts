import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, preValidationAsyncHookHandler } from 'fastify';
import { type OnceCommand, runOnce } from '../../core/access/run-once.ts';
import type { Database } from '../../db/driver/database.ts';
import type { AnswerKey } from '../../db/queries/memory/idempotency.ts';
import { invalidField } from '../../shared/errors.ts';
import { jsonHash } from '../../shared/formats/json-parts.ts';
import { type Refusing, refusing } from '../openapi/declared-errors.ts';
import { assertTeamActive } from './guards.ts';
import { yieldAfterLargeBody } from './input.ts';

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
  assertTeamActive(request);
  const header = keyHeader(request);
  const key = header === null ? null : await answerKey(request, header);
  const answer = await runOnce(database, request.teamScope, key, command);
  reply.code(answer.status);
  // A stored body has the type that the response schema of the same route asserts.
  return answer.body as never;
}
