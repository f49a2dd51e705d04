import { BATCH_BODY_LIMIT, DEFAULT_BODY_LIMIT, DOCUMENT_BODY_LIMIT } from '../../../shared/body-limits.ts';
import { newId } from '../../../shared/ids.ts';
import { newEmail } from '../../support/invites.ts';
import { along, CLAIM } from '../../support/team.ts';
import { file } from '../../support/workspace.ts';
import type { Body } from './faults.ts';
import type { Ids } from './place.ts';

/** A valid body for each row of the table that has fields. */
const BODIES: Record<string, (ids: Ids) => Body> = {
  'POST /v1/memory/search': () => ({ query: 'x', scope: {}, queryEmbedding: along(0), ...CLAIM }),
  'POST /v1/memory/search of a source': ({ source }) => ({
    query: 'x',
    scope: {},
    queryEmbedding: along(0),
    ...CLAIM,
    explainSource: source,
  }),
  'POST /v1/memory/expand': () => ({ chunkId: newId() }),
  'POST /v1/memory/feedback': ({ query, chunk }) => ({ queryId: query, chunkId: chunk, verdict: 'wrong' }),
  'POST /v1/memory/ingest': () => ({ title: 'x', text: newId() }),
  'POST /v1/memory/imports': () => ({ items: [{ filename: 'a.txt', text: 'x' }] }),
  'POST /v1/memory/imports/retry of some': ({ own }) => ({ ids: [own] }),
  'POST /v1/memory/imports/retry of all': () => ({ all: true }),
  'POST /v1/memory/embeddings/complete': ({ vectors }) => ({ batchId: vectors, ...CLAIM, embeddings: [] }),
  'POST /v1/memory/captures': () => ({ sessionId: 'x', summary: 'x' }),
  'POST /v1/memory/consolidation/complete': ({ batch, capture }) => ({
    batchId: batch,
    items: [{ captureIds: [capture], action: 'review', title: 'x', content: 'x' }],
  }),
  'POST /v1/memory/consolidation/complete that supersedes': ({ batch, capture, memory }) => ({
    batchId: batch,
    items: [{ captureIds: [capture], action: 'publish', title: 'x', content: 'x', supersedes: memory }],
  }),
  'POST /v1/memory/consolidation/release': ({ batch }) => ({ batchId: batch }),
  'PATCH /v1/memory/sources/:source': () => ({ tags: ['x'] }),
  'POST /v1/memory/memories to restore': ({ memory }) => ({
    action: 'restore',
    memoryId: memory,
    version: 1,
  }),
  'POST /v1/memory/sources/archive': () => ({ filter: { tag: 'none' }, dryRun: false }),
  'POST /v1/memory/memories to update': ({ memory }) => ({
    action: 'update',
    memoryId: memory,
    tags: ['x'],
  }),
  'POST /v1/memory/memories of one': ({ memory }) => ({ action: 'delete', memoryId: memory }),
  'POST /v1/memory/memories of several': ({ memory }) => ({
    decisions: [{ action: 'delete', memoryId: memory }],
  }),
  'POST /v1/workspace/push': () => ({ files: [file('team/a', 'x')] }),
  'POST /v1/workspace/pull': () => ({ files: [{ path: 'team/a' }] }),
  'PATCH /v1/team': () => ({ publish: 'review' }),
  'POST /v1/team/clients': () => ({ name: 'x' }),
  'PATCH /v1/team/clients/:client to rename': () => ({ name: 'x' }),
  'PATCH /v1/team/clients/:client to restore': () => ({ state: 'active' }),
  'PATCH /v1/team/members/:user to an Owner': () => ({ role: 'owner' }),
  'PATCH /v1/team/members/:user to an Admin': () => ({ role: 'admin' }),
  'POST /v1/team/invites': () => ({ email: newEmail(), role: 'member' }),
  'PUT /v1/team/grants/:user/:client': () => ({ access: 'read' }),
  'POST /v1/company/reset-links': ({ team, email }) => ({ teamId: team, email }),
  'PATCH /v1/company/members/:user': () => ({ role: 'admin' }),
  'POST /v1/company/invitations': () => ({ email: newEmail() }),
  'POST /v1/company/teams': () => ({ name: `x ${newId()}` }),
  'PATCH /v1/company/teams/:team': () => ({ name: `x ${newId()}` }),
  'PATCH /v1/company/teams/:team of the quota': () => ({ quota: { chunks: 1_000_000, bytes: null } }),
  'PUT /v1/company/grants/:admin/:team': () => ({ access: 'read' }),
  'POST /v1/company/access-requests': ({ team }) => ({ teamId: team, access: 'read' }),
};

export const bodyOf = (row: string, ids: Ids): Body => BODIES[row]?.(ids) ?? {};

const LIMITS: [route: RegExp, bytes: number][] = [
  [/memory\/(ingest|imports)$|push/, DOCUMENT_BODY_LIMIT],
  [/(embeddings|consolidation)\/complete|memories/, BATCH_BODY_LIMIT],
];

export const limitOf = (row: string): number =>
  LIMITS.find(([route]) => route.test(row))?.[1] ?? DEFAULT_BODY_LIMIT;
