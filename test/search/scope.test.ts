import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Capture } from '../../shared/schemas/captures.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { Hit, SearchResponse } from '../../shared/schemas/search.ts';
import type { Chunk, Source } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { outcome } from '../support/sign-in.ts';
import {
  addClient,
  addPerson,
  along,
  archiveTeam,
  type Caller,
  CLAIM,
  withoutRequestId,
} from '../support/team.ts';

const service = await openTestApp();

/** A Team with the word `ibis` in its layer and in each client, and callers who can read parts of it. */
async function cast() {
  const company = await service.company();
  const [mine, other] = [await addClient(service, company), await addClient(service, company)];
  for (const [text, clientId] of [
    ['ibis of the team', undefined],
    ['ibis of mine', mine],
    ['ibis of other', other],
  ] as const) {
    await company.api.ingestSource({
      title: 'x',
      chunks: [{ text, embedding: along(1) }],
      ...CLAIM,
      scope: { clientId },
    });
  }
  return {
    company,
    mine,
    other,
    member: await addPerson(service, company, { teamRole: 'member', clients: { [mine]: 'read' } }),
    bare: await addPerson(service, company, { teamRole: 'member' }),
    admin: await addPerson(service, company, { teamRole: 'admin' }),
    companyReader: await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' }),
  };
}

const ask = (caller: Caller, scope: object) =>
  caller.ask.searchMemory({ query: 'ibis', scope, queryEmbedding: along(1), ...CLAIM });

/** The layers of the hits, by the last word of their text. */
async function found(caller: Caller, scope: object): Promise<string> {
  const answer = await ask(caller, scope);
  assert.equal(answer.statusCode, 200, answer.body);
  const { hits } = answer.json<{ hits: Hit[] }>();
  for (const hit of hits) assert.equal(hit.layer, hit.client_id === null ? 'team' : 'client');
  return hits
    .map((hit) => hit.text.split(' ').at(-1) ?? '')
    .sort()
    .join(' ');
}

describe('the scope of a search', () => {
  test('a search covers the layers of its scope, but only those that the caller can read', async () => {
    const { company, mine, other, member, bare, admin, companyReader } = await cast();
    const cases: [scope: object, full: string, withGrant: string, without: string][] = [
      [{}, 'team', 'team', 'team'],
      [{ include: ['team'] }, 'team', 'team', 'team'],
      [{ include: ['client'] }, 'mine other', 'mine', ''],
      [{ include: ['team', 'client'] }, 'mine other team', 'mine team', 'team'],
      [{ include: ['client', 'team'] }, 'mine other team', 'mine team', 'team'],
    ];
    for (const [scope, full, withGrant, without] of cases) {
      const name = JSON.stringify(scope);
      for (const caller of [company, admin, companyReader])
        assert.equal(await found(caller, scope), full, name);
      assert.equal(await found(member, scope), withGrant, name);
      assert.equal(await found(bare, scope), without, name);
    }
    for (const caller of [company, admin, companyReader, member]) {
      assert.equal(await found(caller, { clientId: mine }), 'mine team');
      assert.equal(await found(caller, { clientId: mine.toUpperCase() }), 'mine team');
      assert.equal(await found(caller, { clientId: mine, include: ['client'] }), 'mine');
      assert.equal(await found(caller, { clientId: mine, include: ['team'] }), 'team');
    }
    assert.equal(await found(company, { clientId: other }), 'other team');
  });

  test('an inaccessible and an unknown client return the same 403 on every route', async () => {
    const { company, other, member } = await cast();
    const stranger = await service.company();
    const clients = [
      other,
      newId(),
      'nonsense',
      '',
      await addClient(service, stranger),
      await addClient(service, company, 'archived'),
      company.teamId,
    ];
    const bodies = new Set<string>();
    for (const clientId of clients) {
      for (const include of [undefined, ['team'], ['client']]) {
        const scope = { clientId, include };
        const answers = [
          await ask(member, scope),
          await member.ask.expandChunk({ chunkId: newId(), scope }),
          await member.ask.ingestSource({ title: 'x', text: 'x', scope: { clientId } }),
          await member.ask.importFiles({
            items: [{ filename: 'a.md', text: 'x' }],
            scope: { clientId },
          }),
          await member.ask.listImports({ clientId }),
        ];
        for (const answer of answers) {
          assert.equal(outcome(answer), '403 scope_forbidden', clientId);
          bodies.add(withoutRequestId(answer.body));
        }
      }
    }
    assert.equal(bodies.size, 1);
  });

  test('an archived client is hidden from everyone until it is active again', async () => {
    const { company, mine, admin } = await cast();
    const setState = (state: string) =>
      service.database.query('update identity.client set state = $2 where id = $1', [mine, state]);
    await setState('archived');
    for (const caller of [company, admin]) {
      assert.equal(outcome(await ask(caller, { clientId: mine })), '403 scope_forbidden');
      assert.equal(await found(caller, { include: ['client', 'team'] }), 'other team');
    }
    await setState('active');
    assert.equal(await found(admin, { clientId: mine }), 'mine team');
  });

  test('a search returns 403 on the first request after the client grant is deleted', async () => {
    const { mine, member } = await cast();
    assert.equal(await found(member, { clientId: mine }), 'mine team');
    await service.database.query('delete from identity.client_grant where user_id = $1', [member.userId]);
    assert.equal(outcome(await ask(member, { clientId: mine })), '403 scope_forbidden');
  });

  test('a search never includes another Team or another Company', async () => {
    const [{ company }, stranger] = [await cast(), await service.company()];
    assert.equal(await found(stranger, { include: ['team', 'client'] }), '');
    const headers = { authorization: stranger.headers.authorization, 'memory-team': company.teamId };
    assert.equal(outcome(await ask(callerOf(service.app, headers), {})), '403 team_forbidden');
  });

  test('a search works in an archived Team', async () => {
    const { company, member } = await cast();
    await archiveTeam(service, company.teamId);
    assert.equal(await found(member, { include: ['team', 'client'] }), 'mine team');
  });
});

test('a request without scope writes to the Team layer, and searches it; expand reads every layer in reach', async () => {
  const { member, company, mine } = await cast();
  const send = (url: string, body: object) => company.send('POST', `/v1/memory/${url}`, body);
  const ingested = await send('ingest', { title: 'x', text: 'an ibis without scope' });
  assert.equal(ingested.json<{ source: Source }>().source.layer, 'team');
  const imported = await send('imports', { items: [{ filename: 'a.md', text: 'x' }] });
  assert.equal(imported.json<{ imports: Import[] }>().imports[0]?.layer, 'team');
  const captured = await send('captures', { sessionId: newId(), summary: 'x' });
  assert.equal(captured.json<{ capture: Capture }>().capture.layer, 'team');

  const inClient = await ask(member, { clientId: mine, include: ['client'] });
  const [hit] = inClient.json<{ hits: Hit[] }>().hits;
  const opened = await member.ask.expandChunk({ chunkId: hit?.chunk_id });
  assert.deepEqual(
    opened.json<{ chunks: Chunk[] }>().chunks.map(({ text }) => text),
    ['ibis of mine'],
  );

  const body = { query: 'ibis', queryEmbedding: along(1), ...CLAIM, explain: true };
  const [without, empty] = await Promise.all([send('search', body), send('search', { ...body, scope: {} })]);
  const shown = ({ hits, explain }: SearchResponse) => ({
    hits: hits.map(({ chunk_id }) => chunk_id),
    others: explain?.otherLayers,
  });
  assert.equal(without.statusCode, 200, without.body);
  assert.deepEqual(shown(without.json()), shown(empty.json()));
  const [event] = await service.database.query<{ detail: { scope: object } }>(
    `select detail from memory.audit_event where subject_id = $1`,
    [without.json<SearchResponse>().queryId],
  );
  assert.deepEqual(event?.detail.scope, {});
});

test('an ingest returns 403 for a caller who can read the scope but not write to it', async () => {
  const { company, mine, member, companyReader } = await cast();
  const writer = await addPerson(service, company, { teamRole: 'member', clients: { [mine]: 'write' } });
  const ingest = (caller: Caller, clientId?: string) =>
    caller.ask.ingestSource({ title: 'x', text: newId(), scope: { clientId } });
  assert.equal(outcome(await ingest(member, mine)), '403 scope_forbidden');
  assert.equal(outcome(await ingest(companyReader)), '403 scope_forbidden');
  assert.equal(outcome(await ingest(companyReader, mine)), '403 scope_forbidden');
  assert.equal((await ingest(writer, mine)).statusCode, 201);
  assert.equal((await ingest(member)).statusCode, 201);
});
