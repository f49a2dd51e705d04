import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ERRORS, type ErrorCode } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { createAgent, expire } from '../support/agent-tokens.ts';
import { openTestApp } from '../support/app.ts';
import { type Method, via } from '../support/client/client.ts';
import { recordsNothing } from '../support/company.ts';
import { lend, released } from '../support/consolidation.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { searchByWords } from '../support/feedback.ts';
import { plantImport } from '../support/import-records.ts';
import { givePassword, newEmail, PASSWORD } from '../support/invites.ts';
import { addMemory } from '../support/memories.ts';
import { download, giveOriginal } from '../support/originals.ts';
import { ownerScope } from '../support/scopes.ts';
import { makeResetLink, outcome, signInBy, useLink } from '../support/sign-in.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, addPerson, addTeam, along, archiveTeam, CLAIM } from '../support/team.ts';
import { deletion, file } from '../support/workspace.ts';

/*
 * Refusals that follow from what is stored, or from several fields together, and one of each error code. What the schema of a
 * single field says is in `limits.test.ts`, and who may do what is in the tests of access.
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
  ...invalid(
    'POST /v1/memory/sources/batch',
    () => ({ ids: [newId()], change: { tags: { add: [] } } }),
    () => ({ ids: [newId()], change: { tags: { add: [LONG_TAG] } } }),
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

const search = (more: object) => () => ({ query: 'x', scope: {}, ...more });
const SEARCH = 'POST /v1/memory/search';
const CODES: Row[] = [
  [SEARCH, '400 query_embedding_required', search({})],
  [SEARCH, '400 server_embedding_disabled', search({ embeddingMode: 'server' })],
  [
    SEARCH,
    '400 embedding_model_mismatch',
    search({ queryEmbedding: along(0), ...CLAIM, embeddingModel: 'another' }),
  ],
  [SEARCH, '400 embedding_dimension_mismatch', search({ queryEmbedding: [1], ...CLAIM })],
  [SEARCH, '403 scope_forbidden', search({ scope: { clientId: newId() }, embeddingMode: 'auto' })],
  [SEARCH, '413 payload_too_large', search({ query: 'x'.repeat(2 * 1024 * 1024) })],
  ['GET /v1/memory/search', '405 method_not_allowed'],
  ['POST /v1/company/reset-links', '403 company_role_required', () => ({}), 'a Team Admin'],
  ['POST /v1/team/clients', '403 full_access_required', () => ({ name: 'x' }), 'a member'],
  [
    'POST /v1/memory/memories',
    '409 version_conflict',
    ({ memory: memoryId }) => ({ action: 'update', memoryId, version: 99, title: 'x' }),
  ],
];
const ROWS = [...FIELDS, ...FILES, ...RECORDS, ...CODES];

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

describe('a request that cannot be done', () => {
  for (const [route, refusal, body, caller = 'an Owner'] of ROWS) {
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

type Answer = Parameters<typeof outcome>[0];

/** Sends a request while the first with its key is held before the last thing that it writes. */
async function whileInProgress(): Promise<Answer> {
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<null>();
  const slow = await openFailingApp({ after }, service, (text) => {
    if (!text.includes('into memory.idempotency_key')) return null;
    reached.resolve();
    return held.promise;
  });
  const send = (to: Pick<typeof service, 'app'>) =>
    via(to, company).ask.ingestSource({ title: 'x', text: 'x' }, { 'idempotency-key': 'slow' });
  const first = send({ app: slow });
  await reached.promise;
  const second = await send(service);
  held.resolve(null);
  assert.equal((await first).statusCode, 201);
  return second;
}

async function failing(sqlState: string): Promise<Answer> {
  const app = await openFailingApp({ after }, service, () => databaseError(sqlState));
  return via({ app }, company).ask.getStatus();
}

const reset = (token: string) => useLink(service, token, 'a password of this test');
const { app, database } = service;
/** Codes that need more than a request of someone of the Team. */
const REQUESTS: Partial<Record<ErrorCode, () => Promise<Answer>>> = {
  range_not_satisfiable: async () => {
    await giveOriginal(database, ownerScope(company), source.id);
    return download(service, company, source.id, { range: 'bytes=100-' });
  },
  unauthenticated: async () => app.inject('/v1/memory/status'),
  company_required: async () => {
    const email = newEmail();
    for (const { ownerId } of [await service.company(), await service.company()]) {
      await service.database.query('update identity.account set email = $2 where id = $1', [ownerId, email]);
      await givePassword(service, ownerId, PASSWORD);
    }
    return signInBy(service, email, PASSWORD);
  },
  invalid_credentials: () => signInBy(service, `nobody-${newId()}@example.com`, 'not a password'),
  password_refused: async () => {
    const { token } = await makeResetLink(service, await service.company());
    return useLink(service, token, '1qaz2wsx3edc');
  },
  secret_detected: async () => {
    const refusing = await service.company();
    await refusing.api.changeSelectedTeam({ redaction: 'refuse' });
    return refusing.ask.ingestSource({ title: 'x', text: 'password=hunter22' });
  },
  agent_token_expired: async () => {
    const agent = await createAgent(service, company, company);
    await expire(service, agent);
    return agent.ask.getSelectedTeam();
  },
  permission_required: async () => {
    const agent = await createAgent(service, company, company, { permissions: ['memory:read'] });
    return agent.ask.getManifest();
  },
  session_expired: async () => {
    const { companyId, ask } = await service.company();
    await database.query(
      `update identity.session set created_at = now() - interval '1 year', last_seen_at = now() - interval '1 year'
        where company_id = $1`,
      [companyId],
    );
    return ask.getStatus();
  },
  team_required: async () => {
    const several = await service.company();
    await addTeam(service, several);
    const { authorization } = several.headers;
    return app.inject({ url: '/v1/memory/status', headers: { authorization } });
  },
  team_forbidden: async () => (await addPerson(service, company, {})).ask.getStatus(),
  // Of failed passwords: limits of requests are off in tests of single routes.
  rate_limited: async () => {
    const email = `nobody-${newId()}@example.com`;
    for (let n = 0; n < 10; n++) await signInBy(service, email, 'not a password');
    return signInBy(service, email, 'not a password');
  },
  quota_exceeded: async () => {
    const full = await service.company();
    await full.api.renameTeam(full.teamId, { quota: { chunks: 0, bytes: null } });
    return full.ask.ingestSource({ title: 'x', text: 'x' });
  },
  team_archived: async () => {
    const archived = await service.company();
    const clientId = await addClient(service, archived);
    await archiveTeam(service, archived.teamId);
    return archived.ask.ingestSource({ title: 'x', text: 'x', scope: { clientId } });
  },
  idempotency_key_reused: async () => {
    const send = (text: string) => company.ask.ingestSource({ title: 'x', text }, { 'idempotency-key': 'k' });
    await send('first');
    return send('second');
  },
  idempotency_in_progress: whileInProgress,
  token_used: async () => {
    const { token } = await makeResetLink(service, await service.company());
    await reset(token);
    return reset(token);
  },
  token_revoked: async () => {
    const other = await service.company();
    const { token } = await makeResetLink(service, other);
    await makeResetLink(service, other);
    return reset(token);
  },
  token_expired: async () => {
    const other = await service.company();
    const { token } = await makeResetLink(service, other);
    await database.query('update identity.reset_link set expires_at = now() where company_id = $1', [
      other.companyId,
    ]);
    return reset(token);
  },
  internal_error: () => failing('42P01'),
  unavailable: () => failing('57P01'),
};

for (const [code, request] of Object.entries(REQUESTS)) {
  // The embedded database does one transaction at a time.
  if (code === 'idempotency_in_progress' && database.backend === 'pglite') continue;
  test(`${code} can be triggered and has the documented status`, async () => {
    assert.equal(outcome(await request()), `${ERRORS[code as ErrorCode].status} ${code}`);
  });
}

test('every error code is triggered by a test', () => {
  const tried = new Set([...Object.keys(REQUESTS), ...ROWS.map(([, refusal]) => refusal.split(' ')[1])]);
  assert.deepEqual([...tried].sort(), Object.keys(ERRORS).sort());
});
