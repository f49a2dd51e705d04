import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { search } from '../support/consolidation.ts';
import { addMemory, expand, searchRows } from '../support/memories.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived, listSources, readSource, removeSource } from '../support/source-library.ts';
import { addClient, along, type Caller, CLAIM, readStatus } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const found = async (caller: Caller, query: string) =>
  (await search(caller, query, along(1))).map(({ source_id }) => source_id);

async function figures(caller: Caller) {
  const { sources, chunks } = await readStatus(caller);
  return { sources, chunks };
}

/** Turns a source into that of a completed import, as the worker would. */
async function asImport(company: SignedIn, sourceId: string): Promise<string> {
  const id = newId();
  await database.query(`update memory.source set kind = 'import' where id = $1`, [sourceId]);
  await database.query(
    `insert into memory.import (team_id, layer_id, id, state, filename, title, media_type, bytes, source_id, created_by)
     values ($1, $1, $2, 'completed', 'a.txt', 'a.txt', 'text/plain', 1, $3, $4)`,
    [company.teamId, id, sourceId, company.ownerId],
  );
  return id;
}

describe('an archived source', () => {
  test('an archived source is no longer found by a search or returned by an expand', async () => {
    const company = await service.company();
    const chunks = [{ text: 'the ocelot', embedding: along(1) }, { text: 'the ocelot sleeps' }];
    const gone = await addSource(company, { chunks, ...CLAIM });
    const left = await addSource(company, { text: 'another ocelot' });
    const opened = await readSource(company, gone.id);
    assert.deepEqual((await found(company, 'ocelot')).sort(), [gone.id, gone.id, left.id].sort());
    assert.equal((await expand(company, opened.chunks[0]!.chunk_id)).length, 2);

    const answer = await removeSource(company, gone.id);
    assert.deepEqual([answer.statusCode, answer.body], [204, '']);
    assert.deepEqual(await found(company, 'ocelot'), [left.id]);
    for (const { chunk_id } of opened.chunks) {
      assert.deepEqual(await expand(company, chunk_id), []);
    }
  });

  test('an archived source leaves no chunk, term, vector or pending embedding', async () => {
    const company = await service.company();
    const chunks = [{ text: 'one', embedding: along(1) }, { text: 'two' }, { text: 'three' }];
    const gone = await addSource(company, { chunks, ...CLAIM });
    assert.deepEqual(await searchRows(service, company), { chunks: 3, terms: 3, vectors: 1, pending: 2 });
    await archived(company, gone.id);
    assert.deepEqual(await searchRows(service, company), { chunks: 0, terms: 0, vectors: 0, pending: 0 });
  });

  test('archiving a source does not change other sources with the same text', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const text = 'the same in every one';
    const gone = await addSource(company, { text });
    const left = [
      await addSource(company, { text, scope: { clientId } }),
      await addSource(company, { text, externalId: 'doc' }),
    ];
    const read = () => Promise.all(left.map(({ id }) => readSource(company, id)));
    const before = await read();
    await archived(company, gone.id);
    assert.deepEqual(await read(), before);
    // Equal texts are one hit: the newest.
    assert.deepEqual(await found(company, 'same'), [left[1]?.id]);
  });

  test('an archived source counts as archived, and its chunks are no longer counted', async () => {
    const company = await service.company();
    const chunks = [{ text: 'one', embedding: along(1) }, { text: 'two' }];
    const gone = await addSource(company, { chunks, ...CLAIM });
    await addSource(company);
    assert.deepEqual((await figures(company)).chunks, { total: 3, embedded: 1, pending: 2 });
    await archived(company, gone.id);
    const { sources, chunks: counted } = await figures(company);
    assert.deepEqual([sources.active, sources.archived], [1, 1]);
    assert.deepEqual(counted, { total: 1, embedded: 0, pending: 1 });
  });

  test('archiving a source enqueues a new count of the terms of its Team', async () => {
    const company = await service.company();
    const gone = await addSource(company);
    const jobs = () =>
      database.query<{ id: string }>(
        `select id from pgboss.job where name = 'keywords.count' and data->>'teamId' = $1`,
        [company.teamId],
      );
    await database.query(
      `update pgboss.job set state = 'completed' where name = 'keywords.count' and data->>'teamId' = $1`,
      [company.teamId],
    );
    const before = await jobs();
    await archived(company, gone.id);
    assert.equal((await jobs()).length, before.length + 1);
  });

  test('archiving a source is recorded in one audit event without its title or text', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const body = { title: 'Merger', text: 'the merger', uri: 'x:merger', externalId: 'merger', metadata: {} };
    const source = await addSource(company, { ...body, scope: { clientId } });
    const { events, text } = await recordedBy(service, company, () => archived(company, source.id));
    assert.deepEqual(events, [
      {
        kind: 'memory.archive',
        actorId: company.ownerId,
        teamId: company.teamId,
        subjectType: 'source',
        subjectId: source.id,
        detail: { chunks: 1 },
      },
    ]);
    assert.match(text, new RegExp(clientId));
    assert.doesNotMatch(text, /merger/i);
  });

  test('the text of an archived source can be ingested again as a new source', async () => {
    const company = await service.company();
    const gone = await addSource(company, { text: 'the ocelot' });
    await archived(company, gone.id);
    const again = await addSource(company, { text: 'the ocelot' });
    assert.notEqual(again.id, gone.id);
    assert.deepEqual(await found(company, 'ocelot'), [again.id]);
    assert.equal((await readSource(company, gone.id)).state, 'archived');
    await archived(company, again.id);
    assert.notEqual((await addSource(company, { text: 'the ocelot' })).id, again.id);
  });

  test('the external id of an archived source can be used for a new source', async () => {
    const company = await service.company();
    const gone = await addSource(company, { externalId: 'doc', text: 'the ocelot' });
    await archived(company, gone.id);
    const again = await addSource(company, { externalId: 'doc', text: 'the margay' });
    assert.notEqual(again.id, gone.id);
    const replaced = await company.ask.ingestSource({
      title: 'x',
      externalId: 'doc',
      text: 'the serval',
    });
    assert.equal(outcome(replaced), '200');
    assert.equal(replaced.json<{ source: Source }>().source.id, again.id);
    assert.deepEqual(columns(await listSources(company, '?q=doc'), 'id', 'state'), [
      [again.id, 'active'],
      [gone.id, 'archived'],
    ]);
  });

  test('an import still names its source after the source is archived', async () => {
    const company = await service.company();
    const source = await addSource(company, { text: 'the ocelot' });
    const importId = await asImport(company, source.id);
    const read = async () => await company.api.getImport(importId);
    const before = await read();
    assert.equal(before.sourceId, source.id);
    await archived(company, source.id);
    assert.deepEqual(await read(), before);
    assert.deepEqual(await found(company, 'ocelot'), []);
    assert.equal((await readSource(company, source.id)).kind, 'import');
  });
});

describe('a source that cannot be archived', () => {
  test('archiving returns 409 for a source that is already archived', async () => {
    const company = await service.company();
    const { id } = await addSource(company);
    await archived(company, id);
    const before = await readSource(company, id);
    await recordsNothing(service, company, async () => {
      assert.equal(outcome(await removeSource(company, id)), '409 conflict');
    });
    assert.deepEqual(await readSource(company, id), before);
  });

  test('archiving returns 409 for the source of a published or deleted memory', async () => {
    const company = await service.company();
    for (const state of ['published', 'archived'] as const) {
      const { sourceId } = await addMemory(company, state, { content: 'The ocelot.' });
      const before = await readSource(company, sourceId!);
      assert.equal(outcome(await removeSource(company, sourceId!)), '409 conflict');
      assert.deepEqual(await readSource(company, sourceId!), before);
    }
    assert.equal((await found(company, 'ocelot')).length, 1);
  });

  test('archiving returns 404 for a source that is still being written', async () => {
    const company = await service.company();
    const { id } = await addSource(company);
    await database.query(`update memory.source set state = 'loading' where id = $1`, [id]);
    assert.equal(outcome(await removeSource(company, id)), '404 not_found');
  });
});
