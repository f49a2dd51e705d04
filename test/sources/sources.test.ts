import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitSource, stageSource } from '../../core/sources/store.ts';
import { transaction } from '../../db/driver/database.ts';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { addMemory, decided } from '../support/memories.ts';
import { assertInvalid, assertSameRefusal } from '../support/refusals.ts';
import { ownerScope } from '../support/scopes.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived, listSources } from '../support/source-library.ts';
import { draftOf } from '../support/sources.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson, addTeam, archiveTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const ids = async (caller: Caller, query = '') => (await listSources(caller, query)).map(({ id }) => id);

describe('GET /v1/memory/sources', () => {
  test('lists every source with all its fields, newest first', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const first = await addSource(company, {
      uri: 'https://example.com/x',
      externalId: 'doc-1',
      metadata: { secret: 'not listed' },
    });
    const second = await addSource(company, { chunks: [{ text: 'a' }, { text: 'b' }] });
    const third = await addSource(company, { scope: { clientId } });
    assert.deepEqual(await listSources(company), [third, second, first]);
  });

  test('returns an empty list in a new Team', async () => {
    const answer = await (await service.company()).ask.listSources();
    assert.deepEqual(answer.json(), { items: [], nextCursor: null });
  });

  test('returns pages that new sources do not shift', async () => {
    const company = await service.company();
    for (let n = 0; n < 5; n++) await addSource(company);
    await assertStablePages(company, '/v1/memory/sources', () => addSource(company));
  });

  test('returns every match once in the pages of a filtered list', async () => {
    const company = await service.company();
    const wanted = [];
    for (let n = 0; n < 7; n++) {
      const { id } = await addSource(company, { title: n % 2 === 0 ? 'Wanted' : 'Other' });
      if (n % 2 === 0) wanted.unshift(id);
    }
    const listed = await company.readAll<{ id: string }>('/v1/memory/sources?q=wanted', 1);
    assert.deepEqual(column(listed, 'id'), wanted);
  });

  test('lists the sources of memories and imports by their kind', async () => {
    const company = await service.company();
    const { sourceId } = await addMemory(company, 'published', { title: 'Remembered' });
    const ingested = await addSource(company);
    const imported = await addSource(company);
    await database.query(`update memory.source set kind = 'import' where id = $1`, [imported.id]);
    assert.deepEqual(await ids(company), [imported.id, ingested.id, sourceId]);
    assert.deepEqual(await ids(company, '?kind=memory'), [sourceId]);
    assert.deepEqual(await ids(company, '?kind=ingest'), [ingested.id]);
    assert.deepEqual(await ids(company, '?kind=import'), [imported.id]);
    const [memory] = await listSources(company, '?kind=memory');
    assert.deepEqual(
      [memory?.title, memory?.chunks, memory?.uri, memory?.externalId, memory?.createdBy],
      ['Remembered', 1, null, null, company.ownerId],
    );
  });

  test('names the memory of a source while it is published', async () => {
    const company = await service.company();
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    await addSource(company, {});
    const memory = await addMemory(company, 'published');
    const named = async () => (await listSources(reader)).map(({ memoryId }) => memoryId);
    assert.deepEqual(await named(), [memory.id, undefined]);
    const one = await reader.ask.getSource(memory.sourceId);
    assert.equal(one.json<{ memoryId?: string }>().memoryId, memory.id);
    await decided(company, { action: 'delete', memoryId: memory.id });
    assert.deepEqual(await named(), [undefined, undefined]);
  });

  test('shows a memory under its latest title', async () => {
    const company = await service.company();
    const { id, sourceId } = await addMemory(company, 'published', { title: 'Before' });
    const content = 'x '.repeat(5000);
    await decided(company, { action: 'update', memoryId: id, title: 'After', content });
    const [source] = await listSources(company);
    assert.deepEqual([source?.id, source?.title], [sourceId, 'After']);
    assert.ok(source!.chunks >= 5, String(source?.chunks));
  });

  test('lists archived sources with the others and filters by state', async () => {
    const company = await service.company();
    const gone = await addSource(company, { chunks: [{ text: 'a' }, { text: 'b' }] });
    const left = await addSource(company);
    await archived(company, gone.id);
    const [first, second] = await listSources(company);
    assert.deepEqual(first, left);
    const { updatedAt, ...rest } = second!;
    assert.ok(updatedAt >= gone.updatedAt);
    const { updatedAt: _, ...before } = gone;
    assert.deepEqual(rest, { ...before, state: 'archived', chunks: 0 });
    assert.deepEqual(await ids(company, '?state=active'), [left.id]);
    assert.deepEqual(await ids(company, '?state=archived'), [gone.id]);
    assert.deepEqual(await ids(company, '?state=archived&kind=memory'), []);
  });

  test('hides a source that is still being written', async () => {
    const company = await service.company();
    const scope = ownerScope(company);
    const draft = draftOf(company.teamId, {
      layer: null,
      title: 'Half written',
      chunks: Array.from({ length: 101 }, (_, n) => ({ text: `part ${n}` })),
    });
    const staged = await stageSource(database, scope, draft);
    assert.ok(staged.written, 'its chunks are there');
    const { id } = staged.source;
    for (const query of ['', '?state=active', '?state=archived', '?kind=ingest', '?q=half']) {
      assert.deepEqual(await ids(company, query), [], query);
    }
    assert.equal(outcome(await company.ask.getSource(id)), '404 not_found');
    await transaction(database, scope, (tx) => commitSource(tx, staged));
    assert.deepEqual(await ids(company), [id]);
  });
});

describe('the sources that a caller can see', () => {
  test('lists the sources that the caller can read and no others', async () => {
    const company = await service.company();
    const [mine, other] = [await addClient(service, company), await addClient(service, company)];
    const gone = await addClient(service, company);
    const layers = [null, mine, other, gone];
    const [team, inMine, inOther, inGone] = await Promise.all(
      layers.map(async (clientId) => {
        const scope = clientId === null ? {} : { clientId };
        return (await addSource(company, { scope })).id;
      }),
    );
    await database.query(`update identity.client set state = 'archived' where id = $1`, [gone]);
    const person = (ties: Parameters<typeof addPerson>[2]) => addPerson(service, company, ties);
    const everyone: [Caller, (string | undefined)[]][] = [
      [company, [team, inMine, inOther]],
      [await person({ teamRole: 'admin' }), [team, inMine, inOther]],
      [await person({ companyRole: 'admin', companyGrant: 'full' }), [team, inMine, inOther]],
      [await person({ companyRole: 'admin', companyGrant: 'read' }), [team, inMine, inOther]],
      [await person({ teamRole: 'member', clients: { [mine]: 'read' } }), [team, inMine]],
      [await person({ teamRole: 'member', clients: { [other]: 'write', [gone]: 'write' } }), [team, inOther]],
      [await person({ teamRole: 'member' }), [team]],
    ];
    for (const [caller, reached] of everyone) {
      assert.deepEqual((await ids(caller)).sort(), [...reached].sort());
      for (const id of [team, inMine, inOther, inGone]) {
        const answer = await caller.ask.getSource(id);
        assert.equal(answer.statusCode, reached.includes(id) ? 200 : 404);
      }
    }
  });

  test('shows no source of another Team or another Company', async () => {
    const company = await service.company();
    const other = await service.company();
    const source = await addSource(company);
    const team = await addTeam(service, company);
    const inOther = inTeam(company, team);
    for (const caller of [inOther, other]) {
      assert.deepEqual(await ids(caller), []);
      assert.equal(outcome(await caller.ask.getSource(source.id)), '404 not_found');
    }
  });

  test('filters sources by client, also with the client id in upper case', async () => {
    const company = await service.company();
    const [mine, other] = [await addClient(service, company), await addClient(service, company)];
    await addSource(company);
    await addSource(company, { scope: { clientId: other } });
    const { id } = await addSource(company, { scope: { clientId: mine } });
    const member = await addPerson(service, company, { teamRole: 'member', clients: { [mine]: 'read' } });
    for (const caller of [company, member]) {
      assert.deepEqual(await ids(caller, `?clientId=${mine}`), [id]);
      assert.deepEqual(await ids(caller, `?clientId=${mine.toUpperCase()}`), [id]);
    }
  });

  test('returns the same 403 for every inaccessible client', async () => {
    const company = await service.company();
    const foreign = await addClient(service, await service.company());
    const gone = await addClient(service, company, 'archived');
    const other = await addClient(service, company);
    const member = await addPerson(service, company, { teamRole: 'member', clients: { [gone]: 'write' } });
    await assertSameRefusal(
      '403 scope_forbidden',
      [other, gone, foreign, newId(), 'no-one', ''].map((clientId) => member.ask.listSources({ clientId })),
    );
    const owner = await company.ask.listSources({ clientId: gone });
    assert.equal(outcome(owner), '403 scope_forbidden');
  });

  test('lists and returns sources of an archived Team', async () => {
    const company = await service.company();
    const { id } = await addSource(company);
    await archiveTeam(service, company.teamId);
    assert.deepEqual(await ids(company), [id]);
    assert.equal((await company.ask.getSource(id)).statusCode, 200);
  });
});

describe('an invalid list request', () => {
  for (const [query, field] of [
    ['kind=folder', '/kind'],
    ['kind=', '/kind'],
    ['kind=MEMORY', '/kind'],
    ['kind=ingest&kind=memory', '/kind'],
    ['state=loading', '/state'],
    ['state=review', '/state'],
    [`q=${'x'.repeat(301)}`, '/q'],
    ['q=a&q=b', '/q'],
    ['q=a%00b', '/q'],
    ['unknown=x', '/unknown'],
    ['limit=1.5', '/limit'],
    ['cursor=MDE5', '/cursor'],
  ] as const) {
    test(`the list of sources returns 400 for ?${query.slice(0, 30)}`, async () => {
      assertInvalid(await (await service.company()).send('GET', `/v1/memory/sources?${query}`), field);
    });
  }
});
