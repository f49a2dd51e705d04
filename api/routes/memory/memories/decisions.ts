import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { type Decided, decideChecked } from '../../../../core/memories/decide-checked.ts';
import { type DecisionOutcome, decideEach } from '../../../../core/memories/decide-each.ts';
import { BATCH_BODY_LIMIT } from '../../../../shared/body-limits.ts';
import { invalidField } from '../../../../shared/errors.ts';
import type { Problem } from '../../../../shared/schemas/common.ts';
import { type Decision, DecisionRequest, DecisionResponse } from '../../../../shared/schemas/library.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { problemDocument, toServiceError } from '../../../plugins/errors.ts';
import { assertTeamActive, withRight } from '../../../plugins/guards.ts';
import { disconnectSignal } from '../../../request/disconnect-signal.ts';
import type { Routes } from '../../../types.ts';

function parseSingle(body: DecisionRequest): Decision {
  const { action, memoryId, decisions: _, ...rest } = body;
  if (action === undefined) throw invalidField('/action', 'is required when decisions is absent');
  if (memoryId === undefined) throw invalidField('/memoryId', 'is required when decisions is absent');
  return { ...rest, action, memoryId };
}

type DecisionResult = Decided | { problem: Static<typeof Problem> };

/** The decisions of a body, or null if it is a single decision. */
function parseDecisions(body: DecisionRequest): Decision[] | null {
  const { decisions, ...single } = body;
  if (decisions === undefined) return null;
  const [extra] = Object.keys(single);
  if (extra !== undefined) throw invalidField(`/${extra}`, 'cannot be combined with decisions');
  return decisions;
}

function toResult(outcome: DecisionOutcome, request: FastifyRequest): DecisionResult {
  if ('memory' in outcome) return outcome;
  const refusal = toServiceError(outcome.error);
  if (refusal.status >= 500) request.log.error({ err: refusal.cause ?? outcome.error }, 'a decision failed');
  return { problem: problemDocument(refusal, request.id) as Static<typeof Problem> };
}

/** POST /v1/memory/memories: decisions on memories, by callers with Full access. */
export const decisionsRoute: Routes = (app, deps) => {
  app.post(
    '/v1/memory/memories',
    {
      onRequest: withRight('decideMemories'),
      bodyLimit: BATCH_BODY_LIMIT,
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'decideMemory',
        summary:
          'Decide on memories: publish, discard, reopen, update, unpublish, delete, restore, renew or move them',
        tags: ['memory'],
        body: DecisionRequest,
        response: { 200: DecisionResponse },
        errors: errorCodes(
          'scope_forbidden',
          'not_found',
          'team_archived',
          'version_conflict',
          'conflict',
          'secret_detected',
          'quota_exceeded',
        ),
      },
    },
    async (request, reply) => {
      const { body, teamScope } = request;
      const signal = disconnectSignal(reply);
      const decisions = parseDecisions(body);
      if (decisions === null) return decideChecked(deps, teamScope, parseSingle(body), signal);
      assertTeamActive(request);
      const results: DecisionResult[] = [];
      for await (const outcome of decideEach(deps, teamScope, decisions, signal)) {
        results.push(toResult(outcome, request));
      }
      return { results };
    },
  );
};
