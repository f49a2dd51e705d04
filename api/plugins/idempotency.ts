import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, preValidationAsyncHookHandler } from 'fastify';
import { type OnceCommand, runOnce } from '../../core/access/run-once.ts';
import type { Database } from '../../db/driver/database.ts';
import type { AnswerKey } from '../../db/queries/memory/idempotency.ts';
import { invalidField } from '../../shared/errors.ts';
import { jsonHash } from '../../shared/formats/json-parts.ts';
import { letOthersRun } from './input.ts';

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
  await letOthersRun(request);
  return {
    route: `${request.method} ${request.url.split('?', 1)[0]}`,
    keyHash: sha256(header),
    bodyHash: await jsonHash(request.body ?? null, 'given'),
  };
}

/** `preValidation` of routes that answer once: a malformed key is a fault of form, and refused as early. */
export const readIdempotencyKey: preValidationAsyncHookHandler = async (request) => {
  keyHeader(request);
};

/**
 * Runs a command once for the Idempotency-Key of its request, and answers with its answer, at first and on every repeat.
 * Call it when access has been checked, so that a repeat is checked like the first.
 */
export async function answerOnce<Locked, R, Prepared = undefined>(
  request: FastifyRequest,
  reply: FastifyReply,
  database: Database,
  command: OnceCommand<Locked, R, Prepared>,
): Promise<never> {
  const header = keyHeader(request);
  const key = header === null ? null : await answerKey(request, header);
  const answer = await runOnce(database, request.teamScope, key, command);
  reply.code(answer.status);
  // A repeated body has the type of the route that kept it, which the response schema of the route asserts.
  return answer.body as never;
}
