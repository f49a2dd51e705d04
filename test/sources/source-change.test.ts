import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { search } from '../support/consolidation.ts';
import { addMemory } from '../support/memories.ts';
import { assertInvalid, assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived, readSource } from '../support/source-library.ts';
import { addClient, addPerson, archiveTeam, type Caller } from '../support/team.ts';

const service = await openTestApp();

const change = (caller: Caller, id: string, body: object) => caller.ask.changeSource(id, body);

async function changed(caller: Caller, id: string, body: object): Promise<Source> {
  const answer = await change(caller, id, body);
  assert.equal(answer.statusCode, 200, answer.body);
  const { redactions, ...source } = answer.json<Source & { redactions: unknown[] }>();
  assert.deepEqual(redactions, []);
  return source;
}

describe('a change of a source', () => {
  test('changes its title and its tags, and nothing else', async () => {
    const company = await service.company();
    const given = { title: 'Old', text: 'a heron', uri: 'x:y', metadata: { n: 1 }, tags: ['old'] };
    const source = await addSource(company, given);
    const before = await readSource(company, source.id);
    const after = await changed(company, source.id, { title: 'New', tags: ['B', 'a', 'b'] });
    const { updatedAt, ...rest } = after;
    const expected = { ...source, title: 'New', tags: ['b', 'a'] };
    assert.deepEqual({ ...rest, updatedAt: source.updatedAt }, expected);
    assert.ok(updatedAt >= source.updatedAt);
    const read = await readSource(company, source.id);
    assert.deepEqual([read.title, read.tags, read.metadata], ['New', ['b', 'a'], { n: 1 }]);
    assert.equal(read.chunks[0]?.chunk_id, before.chunks[0]?.chunk_id);
    const [hit] = await search(company, 'heron');
    assert.deepEqual([hit?.title, hit?.tags], ['New', ['b', 'a']]);
  });

  test('keeps what is absent, and removes all tags with an empty list', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { title: 'Old', tags: ['old'] });
    const titled = await changed(company, id, { title: 'New' });
    assert.deepEqual([titled.title, titled.tags], ['New', ['old']]);
    const tagged = await changed(company, id, { tags: [] });
    assert.deepEqual([tagged.title, tagged.tags], ['New', []]);
  });

  test('is recorded with the fields that changed, and without their values', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { title: 'Old', tags: ['old'] });
    const { events, text } = await recordedBy(service, company, () =>
      changed(company, id, { title: 'Heron', tags: ['stork'] }),
    );
    assert.deepEqual(
      events.map(({ kind, subjectType, subjectId, actorId, detail }) => [
        kind,
        subjectType,
        subjectId,
        actorId,
        detail,
      ]),
      [['memory.update', 'source', id, company.ownerId, { updated: ['title', 'tags'] }]],
    );
    assert.ok(!/heron|stork/i.test(text), text);
  });

  test('that changes nothing returns the source as it is and records nothing', async () => {
    const company = await service.company();
    const source = await addSource(company, { title: 'Same', tags: ['a', 'b'] });
    await recordsNothing(service, company, async () => {
      assert.deepEqual(await changed(company, source.id, { title: 'Same', tags: ['B', 'a'] }), source);
    });
  });

  test('is possible for imports as for texts, and is found by an ingest of the same externalId', async () => {
    const company = await service.company();
    const given = { title: 'Old', text: 'a heron', externalId: 'doc', tags: ['old'] };
    const { id } = await addSource(company, given);
    await service.database.query(`update memory.source set kind = 'import' where id = $1`, [id]);
    await changed(company, id, { title: 'New', tags: ['new'] });
    const again = await company.ask.ingestSource({ ...given, tags: undefined });
    const { source, updated } = again.json<{ source: Source; updated: string[] }>();
    assert.deepEqual([source.id, source.title, source.tags, updated], [id, 'Old', ['new'], ['title']]);
  });
});

describe('a change of a source that is refused', () => {
  test('returns 403 for another member with write access and for a reader, and 404 where they cannot read', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const source = await addSource(company, { scope: { clientId }, tags: ['kept'] });
    const member = (clients: Record<string, 'read' | 'write'>) =>
      addPerson(service, company, { teamRole: 'member', clients });
    const [writer, stranger] = [await member({ [clientId]: 'write' }), await member({})];
    const body = { tags: ['x'] };
    assert.equal(outcome(await change(writer, source.id, body)), '403 forbidden');
    await assertSameRefusal('404 not_found', [
      change(stranger, source.id, body),
      change(company, newId(), body),
      change(company, 'nonsense', body),
      change(await service.company(), source.id, body),
    ]);
    assert.deepEqual((await readSource(company, source.id)).tags, ['kept']);
  });

  test('returns 409 for an archived source, the source of a memory, and an archived Team', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { tags: ['kept'] });
    const { id: shelved } = await addSource(company, { tags: ['kept'] });
    await archived(company, shelved);
    const { sourceId } = await addMemory(company, 'published', { tags: ['kept'] });
    for (const conflicting of [shelved, sourceId ?? '']) {
      for (const body of [{ title: 'x' }, { tags: ['x'] }]) {
        assert.equal(outcome(await change(company, conflicting, body)), '409 conflict');
      }
      assert.deepEqual((await readSource(company, conflicting)).tags, ['kept']);
    }
    await archiveTeam(service, company.teamId);
    assert.equal(outcome(await change(company, id, { tags: [] })), '409 team_archived');
  });

  test('returns 400 for a body without a field, with an unknown field or with an invalid one', async () => {
    const company = await service.company();
    const { id } = await addSource(company);
    for (const [body, path] of [
      [{}, '/'],
      [{ uri: 'x:y' }, '/uri'],
      [{ title: ' ' }, '/title'],
      [{ title: 'x'.repeat(301) }, '/title'],
      [{ title: null }, '/title'],
      [{ tags: ['x', ''] }, '/tags/1'],
      [{ tags: ['ß'.repeat(26)] }, '/tags/0'],
      [{ tags: null }, '/tags'],
    ] as const) {
      assertInvalid(await change(company, id, body), path);
    }
  });
});
