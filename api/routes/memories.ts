import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Outcome } from '../../core/access/run-each.ts';
import { type Decided, decideChecked, decideEach } from '../../core/memories/decide.ts';
import {
  getMemory,
  listMemories,
  listMemoryVersions,
  type MemoryListFilter,
} from '../../core/memories/queries.ts';
import { BATCH_BODY_LIMIT } from '../../shared/body-limits.ts';
import { invalidField } from '../../shared/errors.ts';
import { parseTime } from '../../shared/formats/times.ts';
import { parseId } from '../../shared/ids.ts';
import { Page, PageQuery, type Problem } from '../../shared/schemas/common.ts';
import {
  type Decision,
  DecisionRequest,
  DecisionResponse,
  ListedMemory,
  Memory,
  MemoryQuery,
  MemoryVersion,
} from '../../shared/schemas/memories.ts';
import { problemOf } from '../http/errors.ts';
import { assertTeamActive, withRight } from '../http/guards.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import {
  answerSortedPage,
  answerVersionPage,
  disconnectSignal,
  IdParams,
  parseIdFilter,
  parseTextFilter,
} from '../http/requests.ts';
import type { Routes } from '../types.ts';

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

function toResult(outcome: Outcome<Decided>, request: FastifyRequest): DecisionResult {
  return 'error' in outcome ? { problem: problemOf(outcome.error, request) } : outcome;
}

/** /v1/memory/memories */
export const memoryRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/memory/memories',
    {
      onRequest: withRight('decideMemories'),
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'listMemories',
        summary: 'Memories in review and published memories, newest first unless `sort` says otherwise',
        tags: ['memory'],
        querystring: MemoryQuery,
        response: { 200: Page(ListedMemory) },
        errors: errorCodes('scope_forbidden'),
      },
    },
    async ({ query, teamScope }) => {
      const filter: MemoryListFilter = {
        clientId: query.clientId,
        states: query.state === undefined ? ['review', 'published'] : [query.state],
        text: parseTextFilter(query.q),
        sourceId: parseIdFilter(query.sourceId),
        createdAfter: parseTime(query.createdAfter, '/createdAfter'),
        createdBefore: parseTime(query.createdBefore, '/createdBefore'),
      };
      return answerSortedPage(query, (part) => listMemories(deps, teamScope, part, filter));
    },
  );

  app.get(
    '/v1/memory/memories/:id',
    {
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'getMemory',
        summary: 'One memory. Without Full access, only a published one',
        tags: ['memory'],
        params: IdParams,
        response: { 200: Memory },
      },
    },
    async ({ params, teamScope }) => getMemory(deps, teamScope, parseId(params.id)),
  );

  app.get(
    '/v1/memory/memories/:id/versions',
    {
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'listMemoryVersions',
        summary: 'The texts that a memory has had, newest first, with the changes of each',
        tags: ['memory'],
        params: IdParams,
        querystring: Type.Object(PageQuery),
        response: { 200: Page(MemoryVersion) },
      },
    },
    async ({ params, query, teamScope }) =>
      // The page is parsed first, so that a malformed one is refused before an unknown id.
      answerVersionPage(query, (part) => listMemoryVersions(deps, teamScope, parseId(params.id), part)),
  );

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
