import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ERRORS, type ErrorCode } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { createAgent, expire } from '../support/agent-tokens.ts';
import { openTestApp } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { addMemory, decide } from '../support/memories.ts';
import { download, giveOriginal } from '../support/originals.ts';
import { ownerScope } from '../support/scopes.ts';
import { makeResetLink, outcome, signInBy, useLink } from '../support/sign-in.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, addPerson, addTeam, along, archiveTeam, CLAIM } from '../support/team.ts';
import { deletion } from '../support/workspace.ts';

const service = await openTestApp();
const { app, database } = service;
const seen = new Set<string>();

/** Codes that no request can bring about here, and why. */
const NOT_REACHED: Partial<Record<ErrorCode, string>> =
  database.backend === 'pglite'
    ? { idempotency_in_progress: 'the embedded database does one transaction at a time' }
    : {};

type Answer = Parameters<typeof outcome>[0];
const search = (body: object) =>
  service.company().then((company) => company.ask.searchMemory({ query: 'x', scope: {}, ...body }));

/** Claims a batch of one chunk, and returns a function that completes it. */
async function lend() {
  const company = await service.company();
  await company.api.ingestSource({ title: 'x', text: 'x' });
  const { batch } = await company.api.claimEmbeddings({});
  const { id: batchId, chunks } = batch!;
  return {
    batchId,
    complete: (axis: number) => {
      const embeddings = chunks.map(({ chunkId }) => ({ chunkId, embedding: along(axis) }));
      return company.ask.completeEmbeddings({ batchId, ...CLAIM, embeddings });
    },
  };
}

/** Sends a request while the first with its key is held before the last thing that it writes. */
async function whileInProgress(): Promise<Answer> {
  const company = await service.company();
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<null>();
  const slow = await openFailingApp({ after }, service, (text) => {
    if (!text.includes('into memory.idempotency_key')) return null;
    reached.resolve();
    return held.promise;
  });
  const send = (to: Pick<typeof service, 'app'>) =>
    via(to, company).ask.ingestSource({ title: 'x', text: 'x' }, { 'idempotency-key': 'k' });
  const first = send({ app: slow });
  await reached.promise;
  const second = await send(service);
  held.resolve(null);
  assert.equal((await first).statusCode, 201);
  return second;
}

const REQUESTS: Partial<Record<ErrorCode, () => Promise<Answer>>> = {
  invalid_request: () => search({ topK: 0 }),
  query_embedding_required: () => search({}),
  server_embedding_disabled: () => search({ embeddingMode: 'server' }),
  embedding_model_mismatch: () => search({ queryEmbedding: along(0), ...CLAIM, embeddingModel: 'another' }),
  embedding_dimension_mismatch: () => search({ queryEmbedding: [1], ...CLAIM }),
  payload_too_large: () => search({ query: 'x'.repeat(2 * 1024 * 1024) }),
  scope_forbidden: () => search({ scope: { clientId: newId() }, queryEmbedding: along(0), ...CLAIM }),
  range_not_satisfiable: async () => {
    const company = await service.company();
    const { id } = await addSource(company);
    await giveOriginal(database, ownerScope(company), id);
    return download(service, company, id, { range: 'bytes=100-' });
  },
  unauthenticated: async () => app.inject('/v1/memory/status'),
  invalid_credentials: () => signInBy(service, `nobody-${newId()}@example.com`, 'not a password'),
  secret_detected: async () => {
    const company = await service.company();
    await company.api.changeSelectedTeam({ redaction: 'refuse' });
    return company.ask.ingestSource({ title: 'x', text: 'password=hunter22' });
  },
  not_found: async () => app.inject('/v1/nothing'),
  method_not_allowed: async () => app.inject('/v1/memory/search'),
  agent_token_expired: async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    await expire(service, agent);
    return agent.ask.getSelectedTeam();
  },
  permission_required: async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company, { permissions: ['memory:read'] });
    return agent.ask.getManifest();
  },
  session_expired: async () => {
    const company = await service.company();
    await database.query(
      `update identity.session set created_at = now() - interval '1 year', last_seen_at = now() - interval '1 year'
        where company_id = $1`,
      [company.companyId],
    );
    return company.ask.getStatus();
  },
  team_required: async () => {
    const company = await service.company();
    await addTeam(service, company);
    const { authorization } = company.headers;
    return app.inject({ url: '/v1/memory/status', headers: { authorization } });
  },
  team_forbidden: async () => (await addPerson(service, await service.company(), {})).ask.getStatus(),
  company_role_required: async () => {
    const person = await addPerson(service, await service.company(), { teamRole: 'owner' });
    return person.ask.createOwnerResetLink({});
  },
  full_access_required: async () => {
    const person = await addPerson(service, await service.company(), { teamRole: 'member' });
    return person.ask.createClient({ name: 'x' });
  },
  forbidden: async () => {
    const company = await service.company();
    const person = await addPerson(service, company, { teamRole: 'admin' });
    return person.ask.removeTeamMember(company.ownerId);
  },
  last_owner: async () => {
    const company = await service.company();
    return company.ask.removeTeamMember(company.ownerId);
  },
  // Of failed passwords: limits of requests are off in tests of single routes.
  rate_limited: async () => {
    const email = `nobody-${newId()}@example.com`;
    for (let n = 0; n < 10; n++) await signInBy(service, email, 'not a password');
    return signInBy(service, email, 'not a password');
  },
  unsupported_media_type: async () =>
    (await service.company()).ask.importFiles({ items: [{ filename: 'a.exe', text: 'x' }] }),
  quota_exceeded: async () => {
    const company = await service.company();
    await company.api.renameTeam(company.teamId, { quota: { chunks: 0, bytes: null } });
    return company.ask.ingestSource({ title: 'x', text: 'x' });
  },
  team_archived: async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await archiveTeam(service, company.teamId);
    return company.ask.ingestSource({ title: 'x', text: 'x', scope: { clientId } });
  },
  conflict: async () => {
    const { complete } = await lend();
    await complete(1);
    return complete(2);
  },
  invalid_path: async () => (await service.company()).ask.pullFiles({ files: [{ path: 'team/..' }] }),
  workspace_conflict: async () => (await service.company()).ask.pushFiles({ files: [deletion('team/a', 1)] }),
  version_conflict: async () => {
    const company = await service.company();
    const { id: memoryId, version } = await addMemory(company, 'published');
    await decide(company, { action: 'update', memoryId, version, title: 'Another' });
    return decide(company, { action: 'update', memoryId, version, title: 'A third' });
  },
  batch_expired: async () => {
    const { batchId, complete } = await lend();
    await database.query('update memory.embedding_batch set expires_at = now() where id = $1', [batchId]);
    return complete(1);
  },
  idempotency_key_reused: async () => {
    const company = await service.company();
    const send = (text: string) => company.ask.ingestSource({ title: 'x', text }, { 'idempotency-key': 'k' });
    await send('first');
    return send('second');
  },
  idempotency_in_progress: whileInProgress,
  token_used: async () => {
    const { token } = await makeResetLink(service, await service.company());
    await useLink(service, token, 'a password of this test');
    return useLink(service, token, 'a password of this test');
  },
  token_revoked: async () => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    await makeResetLink(service, company);
    return useLink(service, token, 'a password of this test');
  },
  token_expired: async () => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    await database.query('update identity.reset_link set expires_at = now() where company_id = $1', [
      company.companyId,
    ]);
    return useLink(service, token, 'a password of this test');
  },
  internal_error: async () => failing('42P01'),
  unavailable: async () => failing('57P01'),
};

async function failing(sqlState: string): Promise<Answer> {
  const broken = await openFailingApp({ after }, service, () => databaseError(sqlState));
  return via({ app: broken }, await service.company()).ask.getStatus();
}

for (const [code, request] of Object.entries(REQUESTS)) {
  if (code in NOT_REACHED) continue;
  test(`${code} can be triggered and has the documented status`, async () => {
    const answer = await request();
    assert.equal(outcome(answer), `${ERRORS[code as ErrorCode].status} ${code}`);
    seen.add(code);
  });
}

test('every error code is triggered by a test or listed as unreachable', () => {
  const expected = Object.keys(ERRORS).filter((code) => !(code in NOT_REACHED));
  assert.deepEqual([...seen].sort(), expected.sort());
});
