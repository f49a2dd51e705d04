import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { type Method } from '../support/client/client.ts';
import { recordsNothing } from '../support/company.ts';
import { lend, released } from '../support/consolidation.ts';
import { searchByWords } from '../support/feedback.ts';
import { plantImport } from '../support/import-records.ts';
import { newEmail } from '../support/invites.ts';
import { addMemory } from '../support/memories.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, addPerson, along, CLAIM } from '../support/team.ts';
import { deletion, file } from '../support/workspace.ts';

/*
 * Refusals that follow from what is stored, or from several fields together. What the schema of a single field says is in
 * `limits.test.ts`, and who may do what is in the tests of access.
 */

const service = await openTestApp();
const company = await service.company();
const member = await addPerson(service, company, { teamRole: 'member' });
const memory = await addMemory(company, 'published');
const source = await addSource(company, { text: 'a heron' });
const vectors = (await company.api.claimEmbeddings({})).batch!.id;
const given = await lend(company);
await released(company, given.batchId);
const lent = await lend(company);

type Ids = Record<string, string>;
/** Records of the Team that requests are about. */
const ids: Ids = {
  team: company.teamId,
  owner: company.ownerId,
  email: company.ownerEmail,
  client: await addClient(service, company),
  user: member.userId,
  import: await plantImport(service, company),
  running: await plantImport(service, company, { state: 'running' }),
  own: await plantImport(service, company, { author: member.userId }),
  busy: await plantImport(service, company, { author: member.userId, state: 'running' }),
  source: source.id,
  memory: memory.id,
  published: memory.sourceId!,
  chunk: (await searchByWords(company, 'heron')).hits[0]!.chunk_id,
  vectors,
  batch: lent.batchId,
  released: given.batchId,
  capture: lent.captureIds[0]!,
};
const callers = {
  'an Owner': company,
  'a Team Admin': await addPerson(service, company, { teamRole: 'admin' }),
  'a member': member,
};

/** Method and path with the names of records in place of ids, the refusal, the body, and the caller if it is no Owner. */
type Row = [route: string, refusal: string, body?: (ids: Ids) => object, caller?: keyof typeof callers];

/** It is folded to "ss", and then it is too long. */
const LONG_TAG = 'ß'.repeat(50);
const invalid = (route: string, ...bodies: ((ids: Ids) => object)[]) =>
  bodies.map((body): Row => [route, '400 invalid_request', body]);
const item = (more: object) => (ids: Ids) => ({
  batchId: ids['batch'],
  items: [{ captureIds: [ids['capture']], action: 'review', title: 'x', content: 'x', ...more }],
});
const invite = (more: object) => () => ({ email: newEmail(), role: 'member', ...more });
const grants = (...clientIds: string[]) => clientIds.map((clientId) => ({ clientId, access: 'read' }));
const team = (more: object) => () => ({ name: `x ${newId()}`, ...more });
const FIELDS: Row[] = [
  ...invalid(
    'POST /v1/memory/ingest',
    () => ({ title: 'x' }),
    () => ({ title: 'x', chunks: [{ text: 'x', embedding: [1] }] }),
  ),
  ...invalid(
    'POST /v1/memory/imports',
    () => ({ items: [{ filename: 'a.txt', text: 'a\u0000b' }] }),
    () => ({ items: [{ filename: 'a.txt' }] }),
  ),
  ...invalid('POST /v1/memory/imports/retry', ({ own }) => ({ ids: [own], all: true })),
  ...invalid('PATCH /v1/memory/sources/:source', () => ({ tags: [LONG_TAG] })),
  ...invalid(
    'POST /v1/memory/sources/archive',
    () => ({ filter: {}, dryRun: false }),
    () => ({ filter: { tag: LONG_TAG }, dryRun: false }),
  ),
  ...invalid('POST /v1/memory/embeddings/complete', ({ vectors: batchId }) => {
    return { batchId, ...CLAIM, embeddings: [{ chunkId: newId(), embedding: along(0) }] };
  }),
  ...invalid('POST /v1/memory/captures', () => {
    const [startedAt, endedAt] = ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.000Z'];
    return { sessionId: 'x', summary: 'x', startedAt, endedAt };
  }),
  ...invalid(
    'POST /v1/memory/consolidation/complete',
    item({ content: undefined }),
    item({ embedding: [1] }),
    item({ expiresAt: '2020-01-01T00:00:00Z' }),
    item({ action: 'publish', title: undefined, supersedes: ids['memory'] }),
    item({ supersedes: ids['memory'] }),
  ),
  ...invalid(
    'POST /v1/memory/memories',
    ({ memory: memoryId }) => ({ action: 'restore', memoryId }),
    ({ memory: memoryId }) => ({ action: 'update', memoryId, tags: [LONG_TAG] }),
  ),
  ['POST /v1/workspace/push', '400 invalid_path', () => ({ files: [file('team/nul', 'x')] })],
  ['POST /v1/workspace/pull', '400 invalid_path', () => ({ files: [{ path: 'team/..' }] })],
  ...invalid('PATCH /v1/team', () => ({})),
  ...invalid('PATCH /v1/team/clients/:client', () => ({})),
  ...invalid(
    'POST /v1/team/invites',
    invite({ email: 'nobody' }),
    invite({ grants: grants(ids['client']!, ids['client']!) }),
  ),
  ...invalid(
    'POST /v1/company/teams',
    team({ ownerEmail: 'nobody' }),
    team({ ownerEmail: 'a@example.com', ownerUserId: newId() }),
  ),
];

const FILES = [{ filename: 'a.exe', text: 'x' }, { filename: 'a.exe' }].map((unsupported): Row => {
  const items = [{ filename: 'a.txt', text: 'x' }, unsupported];
  return ['POST /v1/memory/imports', '415 unsupported_media_type', () => ({ items })];
});

const asAdmin = () => ({ role: 'admin' });
const RECORDS: Row[] = [
  ['DELETE /v1/memory/imports/:running', '409 conflict'],
  ['POST /v1/memory/imports/:running/retry', '409 conflict'],
  ['POST /v1/memory/imports/retry', '409 conflict', ({ busy }) => ({ ids: [busy] })],
  [
    'POST /v1/memory/imports/retry',
    '403 forbidden',
    (of) => ({ ids: [of['own'], of['import']] }),
    'a member',
  ],
  ['POST /v1/memory/sources/:published/restore', '409 conflict'],
  ['POST /v1/memory/sources/:published/purge', '409 conflict'],
  ['POST /v1/memory/consolidation/release', '409 batch_expired', (of) => ({ batchId: of['released'] })],
  ['POST /v1/workspace/push', '409 workspace_conflict', () => ({ files: [deletion('team/b', 1)] })],
  ['PATCH /v1/team/members/:owner', '409 last_owner', asAdmin],
  ['PATCH /v1/team/members/:owner', '403 forbidden', asAdmin, 'a Team Admin'],
  ['DELETE /v1/team/members/:owner', '409 last_owner'],
  ['PATCH /v1/company/members/:owner', '409 last_owner', asAdmin],
  ['DELETE /v1/company/members/:owner', '409 last_owner'],
  ['POST /v1/company/members/:owner/erase', '409 last_owner'],
  ['POST /v1/team/invites', '409 conflict', invite({ email: ids['email'] })],
  ['POST /v1/company/invitations', '409 conflict', ({ email }) => ({ email })],
  ['PUT /v1/company/grants/:user/:team', '409 conflict', () => ({ access: 'read' })],
  [
    'POST /v1/memory/feedback',
    '404 not_found',
    ({ chunk: chunkId }) => ({ queryId: newId(), chunkId, verdict: 'wrong' }),
  ],
  ['POST /v1/memory/imports/retry', '404 not_found', () => ({ ids: ['nonsense'] })],
  ['POST /v1/team/invites', '404 not_found', invite({ grants: grants(newId()) })],
  ['POST /v1/company/teams', '404 not_found', team({ ownerUserId: newId() })],
];

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

describe('a request that cannot be done', () => {
  for (const [route, refusal, body, caller = 'an Owner'] of [...FIELDS, ...FILES, ...RECORDS]) {
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
