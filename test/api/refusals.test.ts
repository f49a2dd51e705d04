import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { outcome } from '../support/sign-in.ts';
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
} from '../support/team.ts';

const service = await openTestApp();
const { app } = service;

describe('the selected Team', () => {
  test('without the header it is the only Team that the caller may enter', async () => {
    const company = await service.company();
    const { authorization } = company.headers;
    const only = await app.inject({ url: '/v1/memory/status', headers: { authorization } });
    assert.equal(only.statusCode, 200);
    await addTeam(service, company);
    const several = await app.inject({ url: '/v1/memory/status', headers: { authorization } });
    assert.equal(outcome(several), '400 team_required');
  });

  test('with none to enter it is 403, header or not', async () => {
    const company = await service.company();
    const outsider = await addPerson(service, company, {});
    const { authorization } = outsider.headers;
    const answers = [
      await get(service, outsider, '/v1/memory/status'),
      await app.inject({ url: '/v1/memory/status', headers: { authorization } }),
    ];
    for (const answer of answers) assert.equal(outcome(answer), '403 team_forbidden');
  });

  test('one that does not exist, is malformed, or is not the caller’s: 403, all alike', async () => {
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

  test('its id is taken in either case', async () => {
    const company = await service.company();
    await addTeam(service, company);
    const headers = { ...company.headers, 'memory-team': company.teamId.toUpperCase() };
    assert.equal((await get(service, { headers }, '/v1/memory/status')).statusCode, 200);
  });

  test('a role in it counts from the next request on, and so does its end', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    assert.equal((await get(service, member, '/v1/memory/status')).statusCode, 200);
    await service.database.query('delete from identity.team_member where user_id = $1', [member.userId]);
    assert.equal(outcome(await get(service, member, '/v1/memory/status')), '403 team_forbidden');
  });
});

test('an archived Team answers reads and refuses writes', async () => {
  const company = await service.company();
  const kept = await post(service, company, '/v1/memory/ingest', { title: 'x', text: 'a kept word' });
  assert.equal(kept.statusCode, 201);
  const claimed = await post(service, company, '/v1/memory/embeddings/claim', {});
  const batchId = claimed.json<{ batch: { id: string } }>().batch.id;
  await archiveTeam(service, company.teamId);
  for (const [route, body] of [
    ['ingest', { title: 'x', text: 'x' }],
    ['imports', { items: [{ filename: 'a.txt', text: 'x' }] }],
    ['embeddings/claim', {}],
    ['embeddings/complete', { batchId, ...CLAIM, embeddings: [] }],
  ] as const) {
    const answer = await post(service, company, `/v1/memory/${route}`, body);
    assert.equal(outcome(answer), '409 team_archived', route);
  }
  assert.equal((await get(service, company, '/v1/memory/status')).statusCode, 200);
  assert.equal((await get(service, company, '/v1/memory/imports')).statusCode, 200);
  const { source } = kept.json<{ source: { id: string } }>();
  const [chunk] = await service.database.query<{ id: string }>(
    'select id from memory.chunk where source_id = $1',
    [source.id],
  );
  const expanded = await post(service, company, '/v1/memory/expand', { chunkId: chunk?.id });
  assert.equal(expanded.json<{ chunks: object[] }>().chunks.length, 1);
});

describe('the first refusal wins', () => {
  const BODY = { title: 'x', text: 'x' };
  const LARGE = JSON.stringify({ query: 'x'.repeat(2 * 1024 * 1024) });

  async function cast() {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const member = await addPerson(service, company, { teamRole: 'member' });
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    return { company, clientId, member, reader };
  }

  test('401 before 403 of the Team, which comes before 413, 415 and 400', async () => {
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

  test('403 of a role in the Company before 413, 415 and 400', async () => {
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

  test('413 before 400', async () => {
    const { company } = await cast();
    const answer = await post(service, company, '/v1/memory/search', `{${LARGE}`);
    assert.equal(outcome(answer), '413 payload_too_large');
  });

  test('415 of a file before every 400', async () => {
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

  test('400 before 403 of the scope', async () => {
    const { member, reader, clientId } = await cast();
    for (const [caller, scope] of [
      [member, { clientId }],
      [reader, {}],
    ] as const) {
      for (const [route, valid, invalid] of [
        ['ingest', BODY, { ...BODY, metadata: { a: 'x'.repeat(16_384) } }],
        ['ingest', BODY, { title: 'x' }],
        ['ingest', BODY, { title: 'x', chunks: [{ text: 'x', embedding: [1] }] }],
        ['imports', { items: [{ filename: 'a.txt', text: 'x' }] }, { items: [{ filename: 'a.txt' }] }],
      ] as const) {
        const url = `/v1/memory/${route}`;
        assert.equal(
          outcome(await post(service, caller, url, { ...invalid, scope })),
          '400 invalid_request',
          JSON.stringify(invalid).slice(0, 80),
        );
        assert.equal(outcome(await post(service, caller, url, { ...valid, scope })), '403 scope_forbidden');
      }
    }
    const search = { query: 'x', scope: { clientId } };
    assert.equal(
      outcome(await post(service, member, '/v1/memory/search', search)),
      '400 query_embedding_required',
    );
    const list = `/v1/memory/imports?clientId=${clientId}`;
    for (const fault of ['limit=0', 'cursor=x', 'state=x']) {
      assert.equal(outcome(await get(service, member, `${list}&${fault}`)), '400 invalid_request', fault);
    }
    assert.equal(outcome(await get(service, member, list)), '403 scope_forbidden');
  });

  test('403 of the scope before 409 of the Team, and 404 before it', async () => {
    const { company, member, clientId } = await cast();
    await archiveTeam(service, company.teamId);
    const scoped = await post(service, member, '/v1/memory/ingest', { ...BODY, scope: { clientId } });
    assert.equal(outcome(scoped), '403 scope_forbidden');
    const bodies = new Set<string>();
    for (const batchId of [newId(), 'nonsense']) {
      const body = { batchId, ...CLAIM, embeddings: [] };
      const answer = await post(service, company, '/v1/memory/embeddings/complete', body);
      assert.equal(outcome(answer), '404 not_found');
      bodies.add(withoutRequestId(answer.body));
    }
    assert.equal(bodies.size, 1);
  });
});
