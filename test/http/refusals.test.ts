import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { type Method } from '../support/client/client.ts';
import { recordsNothing } from '../support/company.ts';
import { newEmail } from '../support/invites.ts';
import { outcome } from '../support/sign-in.ts';
import { along, CLAIM } from '../support/team.ts';
import { deletion, file } from '../support/workspace.ts';
import { type CallerName, type Ids, openRecords } from './records.ts';

/*
 * Refusals that follow from what is stored, or from several fields together. What the schema of a single field says is in
 * `limits.test.ts`, and who may do what is in the tests of access.
 */

const service = await openTestApp();
const { company, callers, ids } = await openRecords(service);

interface Row {
  /** Method and path, with the names of records in place of ids. */
  route: string;
  body?: (ids: Ids) => object;
  refusal: string;
  /** An Owner if it is not given. */
  caller?: CallerName;
}

const LONG_METADATA = { a: 'x'.repeat(16_384) };
/** It is folded to "ss", and then it is too long. */
const LONG_TAG = 'ß'.repeat(50);
const PAST = '2020-01-01T00:00:00Z';
const invalid = (route: string, body: (ids: Ids) => object): Row => ({
  route,
  body,
  refusal: '400 invalid_request',
});
const item = (more: object) => (ids: Ids) => ({
  batchId: ids['batch'],
  items: [{ captureIds: [ids['capture']], action: 'review', title: 'x', content: 'x', ...more }],
});
const search = (more: object) => () => ({
  query: 'x',
  scope: {},
  queryEmbedding: along(0),
  ...CLAIM,
  ...more,
});
const invite = (more: (ids: Ids) => object) => (ids: Ids) => ({
  email: newEmail(),
  role: 'member',
  ...more(ids),
});
const grants = (...clientIds: string[]) => clientIds.map((clientId) => ({ clientId, access: 'read' }));
const team = (more: object) => () => ({ name: `x ${newId()}`, ...more });
const forClient = (route: string, body: (clientId: string) => object): Row[] => [
  { route, caller: 'a member', refusal: '403 scope_forbidden', body: ({ client = '' }) => body(client) },
  { route, refusal: '403 scope_forbidden', body: () => body(newId()) },
];

const FIELDS: Row[] = [
  {
    route: 'POST /v1/memory/search',
    refusal: '400 query_embedding_required',
    body: search({ queryEmbedding: undefined }),
  },
  invalid('POST /v1/memory/ingest', () => ({ title: 'x', text: 'x', metadata: LONG_METADATA })),
  invalid('POST /v1/memory/ingest', () => ({ title: 'x' })),
  invalid('POST /v1/memory/ingest', () => ({ title: 'x', chunks: [{ text: 'x', embedding: [1] }] })),
  invalid('POST /v1/memory/imports', () => ({ items: [{ filename: 'a.txt', text: 'a\u0000b' }] })),
  invalid('POST /v1/memory/imports', () => ({ items: [{ filename: 'a.txt' }] })),
  invalid('POST /v1/memory/imports/retry', ({ own }) => ({ ids: [own], all: true })),
  invalid('PATCH /v1/memory/sources/:source', () => ({ tags: [LONG_TAG] })),
  invalid('POST /v1/memory/sources/archive', () => ({ filter: {}, dryRun: false })),
  invalid('POST /v1/memory/sources/archive', () => ({ filter: { tag: LONG_TAG }, dryRun: false })),
  invalid('POST /v1/memory/embeddings/complete', ({ vectors }) => ({
    batchId: vectors,
    ...CLAIM,
    embeddings: [{ chunkId: newId(), embedding: along(0) }],
  })),
  invalid('POST /v1/memory/captures', () => ({ sessionId: 'x', summary: 'x', metadata: LONG_METADATA })),
  invalid('POST /v1/memory/captures', () => ({
    sessionId: 'x',
    summary: 'x',
    startedAt: '2026-01-01T00:00:00.001Z',
    endedAt: '2026-01-01T00:00:00.000Z',
  })),
  invalid('POST /v1/memory/consolidation/complete', item({ content: undefined })),
  invalid('POST /v1/memory/consolidation/complete', item({ embedding: [1] })),
  invalid('POST /v1/memory/consolidation/complete', item({ expiresAt: PAST })),
  invalid('POST /v1/memory/consolidation/complete', (all) =>
    item({ action: 'publish', title: undefined, supersedes: all['memory'] })(all),
  ),
  invalid('POST /v1/memory/consolidation/complete', (all) => item({ supersedes: all['memory'] })(all)),
  invalid('POST /v1/memory/memories', ({ memory }) => ({ action: 'restore', memoryId: memory })),
  invalid('POST /v1/memory/memories', ({ memory }) => ({
    action: 'update',
    memoryId: memory,
    tags: [LONG_TAG],
  })),
  {
    route: 'POST /v1/workspace/push',
    refusal: '400 invalid_path',
    body: () => ({ files: [file('team/nul', 'x')] }),
  },
  {
    route: 'POST /v1/workspace/pull',
    refusal: '400 invalid_path',
    body: () => ({ files: [{ path: 'team/..' }] }),
  },
  invalid('PATCH /v1/team', () => ({})),
  invalid('PATCH /v1/team/clients/:client', () => ({})),
  invalid(
    'POST /v1/team/invites',
    invite(() => ({ email: 'nobody' })),
  ),
  invalid(
    'POST /v1/team/invites',
    invite(({ client = '' }) => ({ grants: grants(client, client) })),
  ),
  invalid('POST /v1/company/teams', team({ ownerEmail: 'nobody' })),
  invalid('POST /v1/company/teams', team({ ownerEmail: 'a@example.com', ownerUserId: newId() })),
];

const FILES: Row[] = [{ filename: 'a.exe', text: 'x' }, { filename: 'a.exe' }].map((unsupported) => ({
  route: 'POST /v1/memory/imports',
  refusal: '415 unsupported_media_type',
  body: () => ({ items: [{ filename: 'a.txt', text: 'x' }, unsupported] }),
}));

const RECORDS: Row[] = [
  { route: 'DELETE /v1/memory/imports/:running', refusal: '409 conflict' },
  { route: 'POST /v1/memory/imports/:running/retry', refusal: '409 conflict' },
  { route: 'POST /v1/memory/imports/retry', refusal: '409 conflict', body: ({ busy }) => ({ ids: [busy] }) },
  {
    route: 'POST /v1/memory/imports/retry',
    caller: 'a member',
    refusal: '403 forbidden',
    body: ({ own, import: id }) => ({ ids: [own, id] }),
  },
  { route: 'POST /v1/memory/sources/:published/restore', refusal: '409 conflict' },
  { route: 'POST /v1/memory/sources/:published/purge', refusal: '409 conflict' },
  {
    route: 'POST /v1/memory/consolidation/release',
    refusal: '409 batch_expired',
    body: ({ released }) => ({ batchId: released }),
  },
  {
    route: 'POST /v1/workspace/push',
    refusal: '409 workspace_conflict',
    body: () => ({ files: [deletion('team/b', 1)] }),
  },
  { route: 'PATCH /v1/team/members/:owner', refusal: '409 last_owner', body: () => ({ role: 'admin' }) },
  {
    route: 'PATCH /v1/team/members/:owner',
    caller: 'a Team Admin',
    refusal: '403 forbidden',
    body: () => ({ role: 'admin' }),
  },
  { route: 'DELETE /v1/team/members/:owner', refusal: '409 last_owner' },
  { route: 'PATCH /v1/company/members/:owner', refusal: '409 last_owner', body: () => ({ role: 'admin' }) },
  { route: 'DELETE /v1/company/members/:owner', refusal: '409 last_owner' },
  { route: 'POST /v1/company/members/:owner/erase', refusal: '409 last_owner' },
  { route: 'POST /v1/team/invites', refusal: '409 conflict', body: invite(({ email }) => ({ email })) },
  { route: 'POST /v1/company/invitations', refusal: '409 conflict', body: ({ email }) => ({ email }) },
  { route: 'PUT /v1/company/grants/:user/:team', refusal: '409 conflict', body: () => ({ access: 'read' }) },
  { route: 'POST /v1/memory/search', refusal: '404 not_found', body: search({ sourceIds: [newId()] }) },
  {
    route: 'POST /v1/memory/feedback',
    refusal: '404 not_found',
    body: ({ chunk }) => ({ queryId: newId(), chunkId: chunk, verdict: 'wrong' }),
  },
  { route: 'POST /v1/memory/imports/retry', refusal: '404 not_found', body: () => ({ ids: ['nonsense'] }) },
  {
    route: 'POST /v1/team/invites',
    refusal: '404 not_found',
    body: invite(() => ({ grants: grants(newId()) })),
  },
  { route: 'POST /v1/company/teams', refusal: '404 not_found', body: team({ ownerUserId: newId() }) },
];

const LAYERS: Row[] = [
  ...forClient('POST /v1/memory/search', (clientId) => search({ scope: { clientId } })()),
  ...forClient('PATCH /v1/memory/sources/:source', (clientId) => ({ clientId })),
  ...forClient('POST /v1/memory/consolidation/claim', (clientId) => ({ clientId })),
  ...forClient('POST /v1/workspace/push', (clientId) => ({ files: [file(`clients/${clientId}/a`, 'x')] })),
];

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

describe('a request that cannot be done', () => {
  for (const { route, body, refusal, caller = 'an Owner' } of [...FIELDS, ...FILES, ...RECORDS, ...LAYERS]) {
    const sent = body?.(ids);
    const what = sent === undefined ? '' : ` ${JSON.stringify(sent).replaceAll(UUID, '…').slice(0, 120)}`;
    test(`returns ${refusal} to ${caller}, and changes nothing: ${route}${what}`, async () => {
      const [method, path = ''] = route.split(' ') as [Method, string?];
      const url = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? name);
      await recordsNothing(service, company, async () => {
        const answer = await callers[caller].send(method, url, sent);
        assert.equal(outcome(answer), refusal, answer.body);
      });
    });
  }
});
