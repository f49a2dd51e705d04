import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp } from '../support/app.ts';
import type { Body } from '../support/client/client.ts';
import { columns } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { search } from '../support/consolidation.ts';
import { addMemory, searchRows } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { addSource, listSources, readSource } from '../support/source-library.ts';
import { addClient, type Caller, readStatus } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const count = async (caller: Caller, filter: Body<'archiveSources'>['filter'], dryRun = false) =>
  (await caller.api.archiveSources({ filter, dryRun })).count;

const activeIds = async (caller: Caller) =>
  (await listSources(caller, '?state=active&limit=200')).map(({ id }) => id).sort();

describe('the filter of a bulk archive', () => {
  test('each field and all of them together choose the sources that a dry run counts', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const plain = await addSource(company, { title: 'Pumps' });
    const tagged = await addSource(company, { title: 'Valves', tags: ['Old'] });
    const named = await addSource(company, {
      title: 'x',
      externalId: 'PUMP-7',
      scope: { clientId },
    });
    const old = await addSource(company, { title: 'Taps', tags: ['old'], scope: { clientId } });
    const imported = await addSource(company, { title: 'File' });
    await database.query(`update memory.source set kind = 'import' where id = $1`, [imported.id]);
    await database.query(`update memory.source set created_at = '2020-01-01' where id = $1`, [old.id]);
    const createdBefore = '2021-01-01T00:00:00.000Z';
    const cases: [Body<'archiveSources'>['filter'], string[]][] = [
      [{ tag: 'OLD' }, [tagged.id, old.id]],
      [{ q: 'pump' }, [plain.id, named.id]],
      [{ clientId }, [named.id, old.id]],
      [{ createdBefore }, [old.id]],
      [{ kind: 'import' }, [imported.id]],
      [{ kind: 'ingest', clientId, tag: 'old', q: 'tap', createdBefore }, [old.id]],
      [{ tag: 'old', q: 'pump' }, []],
    ];
    for (const [filter, ids] of cases) {
      await recordsNothing(service, company, async () => {
        assert.equal(await count(company, filter, true), ids.length, JSON.stringify(filter));
      });
    }
    const all = await activeIds(company);
    assert.equal(await count(company, { tag: 'old' }), 2);
    const gone = [tagged.id, old.id];
    assert.deepEqual(
      await activeIds(company),
      all.filter((id) => !gone.includes(id)),
    );
    assert.equal(await count(company, { tag: 'old' }), 0);
    assert.equal(await count(company, { kind: 'import' }), 1);
    assert.deepEqual(await activeIds(company), [plain.id, named.id].sort());
  });

  test('returns 400 if it is empty', async () => {
    const company = await service.company();
    assertInvalid(await company.ask.archiveSources({ filter: {}, dryRun: false }), '/filter');
  });

  test('the sources of memories and of workspace files are skipped', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', { title: 'Pumps' });
    const fileSource = await addSource(company, { title: 'Pumps' });
    await database.query(`update memory.source set kind = 'file' where id = $1`, [fileSource.id]);
    const gone = await addSource(company, { title: 'Pumps' });
    for (const kind of ['memory', 'file']) {
      assert.equal(await count(company, { kind }, true), 0);
      assert.equal(await count(company, { kind }), 0);
    }
    assert.equal(await count(company, { q: 'pumps' }, true), 1);
    assert.equal(await count(company, { q: 'pumps' }), 1);
    assert.deepEqual(await activeIds(company), [memory.sourceId, fileSource.id].sort());
    assert.equal((await readSource(company, gone.id)).state, 'archived');
  });
});

describe('a bulk archive', () => {
  test('removes the chunks, is recorded in one event without texts, and leaves copies of files', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const text = 'the ocelot sleeps';
    const [a, b, c] = [
      await addSource(company, { title: 'Secret a', tags: ['secret'], text }),
      await addSource(company, { title: 'Secret b', tags: ['secret'], scope: { clientId }, text }),
      await addSource(company, { title: 'Other', text: 'the margay sleeps' }),
    ];
    await database.query(`update memory.source set same_as = $2 where id = $1`, [c.id, a.id]);
    const { events, text: recorded } = await recordedBy(service, company, async () => {
      assert.equal(await count(company, { tag: 'secret', q: 'secret', kind: 'ingest' }), 2);
    });
    const detail = { sourceIds: [a.id, b.id], chunks: 2, filter: { kind: 'ingest' } };
    assert.deepEqual(columns(events, 'kind', 'subjectId', 'detail'), [['memory.archive', null, detail]]);
    assert.doesNotMatch(recorded, /secret/i);
    assert.deepEqual(await searchRows(service, company), { chunks: 1, terms: 1, vectors: 0, pending: 1 });
    assert.deepEqual(await search(company, 'ocelot'), []);
    assert.equal((await readSource(company, c.id)).sameAs, null);
    const { sources, chunks } = await readStatus(company);
    assert.deepEqual([sources.active, sources.archived, chunks.total], [1, 2, 1]);
  });

  test('archives at most 1,000 sources, the oldest first, and the next request goes on', async () => {
    const company = await service.company();
    const { id } = await addSource(company);
    const ids = [id, ...Array.from({ length: 1002 }, newId)];
    await database.query(
      `insert into memory.source (team_id, id, layer_id, kind, state, title, content_hash, created_by)
       select s.team_id, n.id, s.layer_id, s.kind, s.state, s.title, sha256(n.id::text::bytea), s.created_by
         from memory.source s, unnest($2::uuid[]) n (id) where s.id = $1`,
      [id, ids.slice(1)],
    );
    assert.equal(await count(company, { kind: 'ingest' }, true), 1003);
    assert.equal(await count(company, { kind: 'ingest' }), 1000);
    assert.deepEqual(await activeIds(company), ids.slice(1000).sort());
    assert.equal(await count(company, { kind: 'ingest' }), 3);
    assert.equal(await count(company, { kind: 'ingest' }), 0);
  });

  test('archives fewer at once if they have very many chunks', async () => {
    const company = await service.company();
    for (let n = 0; n < 2; n++) await addSource(company);
    await database.query('update memory.source set chunk_count = 40000 where team_id = $1', [company.teamId]);
    for (const expected of [1, 1, 0]) assert.equal(await count(company, { kind: 'ingest' }), expected);
  });

  test('an agent token that is limited to clients lists no event with sources of other clients', async () => {
    const company = await service.company();
    const [own, other] = [await addClient(service, company), await addClient(service, company)];
    const agent = await createAgent(service, company, company, { clientIds: [own] });
    const add = (clientId: string, tag: string) => addSource(company, { tags: [tag], scope: { clientId } });
    const inOwn = await add(own, 'one');
    const inOther = await add(other, 'other');
    await add(own, 'both');
    await add(other, 'both');
    for (const tag of ['both', 'one', 'other']) await count(company, { tag });
    const listed = (caller: Caller) => caller.all.listTeamAudit({ kind: 'memory.archive' });
    assert.equal((await listed(company)).length, 3);
    const [event, ...more] = await listed(agent);
    assert.deepEqual([event?.detail['sourceIds'], event?.clientId, more], [[inOwn.id], own, []]);
    assert.doesNotMatch(JSON.stringify(await listed(agent)), new RegExp(inOther.id));
  });
});
