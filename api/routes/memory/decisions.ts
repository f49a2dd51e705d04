import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Dependencies } from '../../../core/dependencies.ts';
import { decide } from '../../../core/memories/decide.ts';
import { isSilence } from '../../../db/driver/faults.ts';
import { BATCH_BODY_LIMIT } from '../../../shared/body-limits.ts';
import { invalidField } from '../../../shared/errors.ts';
import type { Problem } from '../../../shared/schemas/common.ts';
import {
  type Decision,
  DecisionRequest,
  DecisionResponse,
  type Memory,
} from '../../../shared/schemas/library.ts';
import { problemDocument, toServiceError } from '../../plugins/errors.ts';
import { assertTeamActive, withFullAccess } from '../../plugins/guards.ts';
import { goneSignal } from '../../request/gone-signal.ts';
import type { Routes } from '../../types.ts';

/** The decisions of a body: the single one, or each of many. */
function readDecision(body: DecisionRequest): Decision {
  const { action, memoryId, decisions: _, ...rest } = body;
  if (action === undefined) throw invalidField('/action', 'is required where there are no decisions');
  if (memoryId === undefined) throw invalidField('/memoryId', 'is required where there are no decisions');
  return { ...rest, action, memoryId };
}

function readDecisions(body: DecisionRequest): Decision[] | null {
  const { decisions, ...single } = body;
  if (decisions === undefined) return null;
  const [beside] = Object.keys(single);
  if (beside !== undefined) throw invalidField(`/${beside}`, 'cannot be combined with decisions');
  return decisions;
}

/** Decides one after the other; a refusal of one is its answer, and leaves the others alone. */
async function decideEach(
  deps: Dependencies,
  request: FastifyRequest,
  decisions: readonly Decision[],
  signal: AbortSignal,
) {
  const results: { memory?: Memory; problem?: Static<typeof Problem> }[] = [];
  let silence: unknown = null;
  for (const decision of decisions) {
    if (signal.aborted) break;
    try {
      // Each would wait as long for a database that does not respond.
      if (silence !== null) throw silence;
      results.push({ memory: await decide(deps, request.teamScope, decision, signal) });
    } catch (error) {
      const refusal = toServiceError(error);
      if (isSilence(error)) silence = error;
      if (refusal.status >= 500) request.log.error({ err: refusal.cause ?? error }, 'a decision failed');
      results.push({ problem: problemDocument(refusal, request.id) as Static<typeof Problem> });
    }
  }
  return results;
}

/** POST /v1/memory/memories: what becomes of memories, by who has Full access. */
export const decisionsRoute: Routes = (app, deps) => {
  app.post(
    '/v1/memory/memories',
    {
      onRequest: withFullAccess,
      bodyLimit: BATCH_BODY_LIMIT,
      schema: {
        summary: 'Publish, discard, update or delete memories',
        tags: ['memory'],
        body: DecisionRequest,
        response: { 200: DecisionResponse },
      },
    },
    async (request, reply) => {
      const signal = goneSignal(reply);
      const decisions = readDecisions(request.body);
      if (decisions === null)
        return { memory: await decide(deps, request.teamScope, readDecision(request.body), signal) };
      assertTeamActive(request);
      return { results: await decideEach(deps, request, decisions, signal) };
    },
  );
};
