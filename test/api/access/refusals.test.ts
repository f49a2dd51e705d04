import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import { openTestApp } from '../../support/app.ts';
import { stageCapture } from '../../support/captures.ts';
import { ask } from '../../support/company.ts';
import { lend } from '../../support/consolidation.ts';
import { addMemory } from '../../support/memories.ts';
import { outcome } from '../../support/sign-in.ts';
import {
  addClient,
  addPerson,
  addTeam,
  archiveTeam,
  type Caller,
  CLAIM,
  get,
  post,
  withoutRequestId,
} from '../../support/team.ts';

const service = await openTestApp();
const { app } = service;

describe('the selection of a Team', () => {
  test('a request without memory-team selects the only Team, and returns 400 when there are several', async () => {
    const company = await service.company();
    const { authorization } = company.headers;
    const only = await app.inject({ url: '/v1/memory/status', headers: { authorization } });
    assert.equal(only.statusCode, 200);
    await addTeam(service, company);
    const several = await app.inject({ url: '/v1/memory/status', headers: { authorization } });
    assert.equal(outcome(several), '400 team_required');
  });

  test('returns 403 for a caller without a Team, with or without the header', async () => {
    const company = await service.company();
    const outsider = await addPerson(service, company, {});
    const { authorization } = outsider.headers;
    const answers = [
      await get(service, outsider, '/v1/memory/status'),
      await app.inject({ url: '/v1/memory/status', headers: { authorization } }),
    ];
    for (const answer of answers) assert.equal(outcome(answer), '403 team_forbidden');
  });

  test('returns the same 403 for an unknown, a malformed and an inaccessible Team', async () => {
    const [company, stranger] = [await service.company(), await service.company()];
    const member = await addPerson(service, company, { teamRole: 'member' });
    const closed = await addTeam(service, company);
    for (const caller of [company, member]) {
      const bodies = new Set<string>();
      const names = [newId(), stranger.teamId, 'nonsense', '', `${company.teamId}, ${company.teamId}`];
      if (caller === member) names.push(closed);
      for (const name of names) {
        const headers = { authorization: caller.headers.authorization, 'memory-team': name };
        const answer = await get(service, { headers }, '/v1/memory/status');
        assert.equal(outcome(answer), '403 team_forbidden', name);
        bodies.add(withoutRequestId(answer.body));
      }
      assert.equal(bodies.size, 1);
    }
  });

  test('the memory-team header accepts the Team id in upper case', async () => {
    const company = await service.company();
    await addTeam(service, company);
    const headers = { ...company.headers, 'memory-team': company.teamId.toUpperCase() };
    assert.equal((await get(service, { headers }, '/v1/memory/status')).statusCode, 200);
  });

  test('returns 403 for a member on the first request after the role is deleted', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    assert.equal((await get(service, member, '/v1/memory/status')).statusCode, 200);
    await service.database.query('delete from identity.team_member where user_id = $1', [member.userId]);
    assert.equal(outcome(await get(service, member, '/v1/memory/status')), '403 team_forbidden');
  });
});

test('an archived Team answers reads and returns 409 for writes', async () => {
  const company = await service.company();
  const kept = await post(service, company, '/v1/memory/ingest', { title: 'x', text: 'a kept word' });
  assert.equal(kept.statusCode, 201);
  const claimed = await post(service, company, '/v1/memory/embeddings/claim', {});
  const batchId = claimed.json<{ batch: { id: string } }>().batch.id;
  const { source } = kept.json<{ source: { id: string } }>();
  const memory = await addMemory(service, company, 'published');
  const lent = await lend(service, company);
  const item = { captureIds: lent.captureIds, action: 'publish', title: 'x', content: 'x' };
  await stageCapture(service, company);
  const decision = { action: 'delete', memoryId: memory.id };
  await archiveTeam(service, company.teamId);
  for (const [route, body] of [
    ['ingest', { title: 'x', text: 'x' }],
    ['imports', { items: [{ filename: 'a.txt', text: 'x' }] }],
    ['embeddings/claim', {}],
    ['embeddings/complete', { batchId, ...CLAIM, embeddings: [] }],
    ['captures', { sessionId: 'x', summary: 'x' }],
    ['consolidation/claim', {}],
    ['consolidation/complete', { batchId: lent.batchId, items: [item] }],
    ['memories', decision],
    ['memories', { decisions: [decision] }],
  ] as const) {
    const answer = await post(service, company, `/v1/memory/${route}`, body);
    assert.equal(outcome(answer), '409 team_archived', route);
  }
  const removed = await ask(service, company, 'DELETE', `/v1/memory/sources/${source.id}`);
  assert.equal(outcome(removed), '409 team_archived');
  const { sources, captures, memories } = (await get(service, company, '/v1/memory/status')).json<{
    sources: { active: number };
    captures: object;
    memories: { published: number };
  }>();
  assert.deepEqual([sources.active, memories.published], [2, 1]);
  assert.deepEqual(captures, { staged: 1, claimed: 1, completed: 1 });
  for (const list of ['imports', 'sources', 'memories', 'audit', `sources/${source.id}`]) {
    assert.equal((await get(service, company, `/v1/memory/${list}`)).statusCode, 200, list);
  }
  const [chunk] = await service.database.query<{ id: string }>(
    'select id from memory.chunk where source_id = $1',
    [source.id],
  );
  const expanded = await post(service, company, '/v1/memory/expand', { chunkId: chunk?.id });
  assert.equal(expanded.json<{ chunks: object[] }>().chunks.length, 1);
});

describe('the order of refusals', () => {
  const BODY = { title: 'x', text: 'x' };
  const LARGE = JSON.stringify({ query: 'x'.repeat(2 * 1024 * 1024) });

  async function cast() {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const member = await addPerson(service, company, { teamRole: 'member' });
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    return { company, clientId, member, reader };
  }

  test('returns 401 first, then 403 for the Team, before 413, 415 and 400', async () => {
    const { company } = await cast();
    const unknown: Caller = {
      headers: { authorization: 'Bearer of-no-worth', 'memory-team': newId() },
    };
    const elsewhere: Caller = { headers: { ...company.headers, 'memory-team': newId() } };
    for (const [body, type] of [
      [LARGE, 'application/json'],
      ['x', 'text/plain'],
      ['{', 'application/json'],
      ['{}', 'application/json'],
    ] as const) {
      const headers = { 'content-type': type };
      const first = await post(service, unknown, '/v1/memory/search', body, headers);
      assert.equal(outcome(first), '401 unauthenticated');
      const second = await post(service, elsewhere, '/v1/memory/search', body, headers);
      assert.equal(outcome(second), '403 team_forbidden');
    }
  });

  test('returns 403 for the Company role before 413, 415 and 400', async () => {
    const { member } = await cast();
    for (const [body, type] of [
      [LARGE, 'application/json'],
      ['x', 'text/plain'],
      ['{}', 'application/json'],
    ] as const) {
      const answer = await post(service, member, '/v1/company/reset-links', body, { 'content-type': type });
      assert.equal(outcome(answer), '403 company_role_required');
    }
  });

  test('returns 403 full_access_required before 413, 415 and 400', async () => {
    const { member, reader } = await cast();
    for (const caller of [member, reader]) {
      for (const [body, type] of [
        [`{"action":"${'x'.repeat(8 * 1024 * 1024)}"}`, 'application/json'],
        ['x', 'text/plain'],
        ['{', 'application/json'],
        ['{}', 'application/json'],
      ] as const) {
        const answer = await post(service, caller, '/v1/memory/memories', body, { 'content-type': type });
        assert.equal(outcome(answer), '403 full_access_required');
      }
      const listed = await get(service, caller, '/v1/memory/memories?limit=0');
      assert.equal(outcome(listed), '403 full_access_required');
    }
  });

  test('returns 413 before 400', async () => {
    const { company } = await cast();
    const answer = await post(service, company, '/v1/memory/search', `{${LARGE}`);
    assert.equal(outcome(answer), '413 payload_too_large');
  });

  test('returns 415 for an unsupported file before any 400', async () => {
    const { member, clientId } = await cast();
    for (const body of [
      { items: [{ filename: 'a.exe', text: 'x' }], unknown: true },
      { items: [{ filename: 'a.exe', text: 'a\u0000b' }] },
      { items: [{ filename: 'a.txt' }, { filename: 'a.exe' }] },
      { items: [{ filename: 'a.exe', text: 'x' }], scope: { clientId } },
    ]) {
      const answer = await post(service, member, '/v1/memory/imports', body);
      assert.equal(outcome(answer), '415 unsupported_media_type');
    }
  });

  test('returns 400 before 403 scope_forbidden, except for a body that is not read', async () => {
    const { company, member, reader, clientId } = await cast();
    const CAPTURE = { sessionId: 'x', summary: 'x' };
    const BACKWARDS = { startedAt: '2026-01-01T00:00:00.001Z', endedAt: '2026-01-01T00:00:00.000Z' };
    const completeOf = (fields: object, scope: object) => ({
      batchId: newId(),
      items: [{ captureIds: [newId()], action: 'review', title: 'x', content: 'x', scope, ...fields }],
    });
    for (const [caller, scope] of [
      [member, { clientId }],
      [reader, {}],
    ] as const) {
      for (const [route, valid, invalid] of [
        ['ingest', BODY, { ...BODY, metadata: { a: 'x'.repeat(16_384) } }],
        ['ingest', BODY, { title: 'x' }],
        ['ingest', BODY, { title: 'x', chunks: [{ text: 'x', embedding: [1] }] }],
        ['imports', { items: [{ filename: 'a.txt', text: 'x' }] }, { items: [{ filename: 'a.txt' }] }],
        ['captures', CAPTURE, { ...CAPTURE, metadata: { a: 'x'.repeat(16_384) } }],
        ['captures', CAPTURE, { ...CAPTURE, ...BACKWARDS }],
        ['consolidation/complete', completeOf({}, scope), completeOf({ content: undefined }, scope)],
        ['consolidation/complete', completeOf({}, scope), completeOf({ embedding: [1] }, scope)],
      ] as const) {
        const url = `/v1/memory/${route}`;
        // Each item of a complete request has a scope of its own.
        const within = 'batchId' in valid ? {} : { scope };
        // A large body is not read for a caller who cannot write anywhere.
        const isEarly = caller === reader && (route === 'ingest' || route === 'imports');
        assert.equal(
          outcome(await post(service, caller, url, { ...invalid, ...within })),
          isEarly ? '403 scope_forbidden' : '400 invalid_request',
          JSON.stringify(invalid).slice(0, 80),
        );
        assert.equal(
          outcome(await post(service, caller, url, { ...valid, ...within })),
          '403 scope_forbidden',
        );
      }
    }
    const search = { query: 'x', scope: { clientId } };
    assert.equal(
      outcome(await post(service, member, '/v1/memory/search', search)),
      '400 query_embedding_required',
    );
    for (const [caller, route, faults] of [
      [member, 'imports', ['limit=0', 'cursor=x', 'state=x']],
      [member, 'sources', ['limit=0', 'cursor=x', 'state=x', 'kind=x']],
    ] as const) {
      const list = `/v1/memory/${route}?clientId=${clientId}`;
      for (const fault of faults) {
        assert.equal(outcome(await get(service, caller, `${list}&${fault}`)), '400 invalid_request', fault);
      }
      assert.equal(outcome(await get(service, caller, list)), '403 scope_forbidden');
    }
    const memories = `/v1/memory/memories?clientId=${newId()}`;
    for (const fault of ['limit=0', 'cursor=x', 'state=x', 'createdAfter=x']) {
      assert.equal(
        outcome(await get(service, company, `${memories}&${fault}`)),
        '400 invalid_request',
        fault,
      );
    }
    assert.equal(outcome(await get(service, company, memories)), '403 scope_forbidden');
  });

  test('returns 403 scope_forbidden and 404 before 409 team_archived', async () => {
    const { company, member, clientId } = await cast();
    await archiveTeam(service, company.teamId);
    const scope = { clientId };
    for (const [route, body] of [
      ['ingest', { ...BODY, scope }],
      ['captures', { sessionId: 'x', summary: 'x', scope }],
      ['consolidation/claim', scope],
    ] as const) {
      const scoped = await post(service, member, `/v1/memory/${route}`, body);
      assert.equal(outcome(scoped), '403 scope_forbidden', route);
    }
    const bodies = new Set<string>();
    for (const id of [newId(), 'nonsense']) {
      for (const [route, body] of [
        ['embeddings/complete', { batchId: id, ...CLAIM, embeddings: [] }],
        ['consolidation/complete', { batchId: id, items: [] }],
        ['memories', { action: 'delete', memoryId: id }],
      ] as const) {
        const answer = await post(service, company, `/v1/memory/${route}`, body);
        assert.equal(outcome(answer), '404 not_found', route);
        bodies.add(withoutRequestId(answer.body));
      }
      const answer = await ask(service, company, 'DELETE', `/v1/memory/sources/${id}`);
      assert.equal(outcome(answer), '404 not_found');
      bodies.add(withoutRequestId(answer.body));
    }
    assert.equal(bodies.size, 1);
  });
});
