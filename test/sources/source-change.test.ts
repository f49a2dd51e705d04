import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Source } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import { search } from '../support/consolidation.ts';
import { addMemory } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived, readSource } from '../support/source-library.ts';
import { addClient, type Caller } from '../support/team.ts';

const service = await openTestApp();

async function changed(caller: Caller, id: string, body: object): Promise<Source> {
  const { redactions, ...source } = await caller.api.changeSource(id, body);
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
    assert.deepEqual((await changed(company, id, { title: 'New' })).tags, ['old']);
    const tagged = await changed(company, id, { tags: [] });
    assert.deepEqual([tagged.title, tagged.tags], ['New', []]);
  });

  test('that changes nothing returns the source as it is and records nothing', async () => {
    const company = await service.company();
    const source = await addSource(company, { title: 'Same', tags: ['a', 'b'] });
    await recordsNothing(service, company, async () => {
      assert.deepEqual(await changed(company, source.id, { title: 'Same', tags: ['B', 'a'] }), source);
    });
  });
});

test('a change returns 409 for an archived source and the source of a memory', async () => {
  const company = await service.company();
  const { id: shelved } = await addSource(company, { tags: ['kept'] });
  await archived(company, shelved);
  const { sourceId } = await addMemory(company, 'published', { tags: ['kept'] });
  for (const conflicting of [shelved, sourceId ?? '']) {
    for (const body of [{ title: 'x' }, { tags: ['x'] }]) {
      assert.equal(outcome(await company.ask.changeSource(conflicting, body)), '409 conflict');
    }
    assert.deepEqual((await readSource(company, conflicting)).tags, ['kept']);
  }
});

test('a change returns 400 for a body without a field', async () => {
  const company = await service.company();
  const { id } = await addSource(company);
  assertInvalid(await company.ask.changeSource(id, {}), '/');
});

test('a workspace file keeps its name, date, expiry and layer: a change of them returns 409', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const { id } = await addSource(company, { scope: { clientId } });
  await service.database.query(`update memory.source set kind = 'file', file_id = id where id = $1`, [id]);
  for (const body of [
    { title: 'Other' },
    { occurredAt: '2020-01-01' },
    { expiresAt: '2999-01-01' },
    { clientId: null },
  ]) {
    assert.equal(outcome(await company.ask.changeSource(id, body)), '409 conflict', JSON.stringify(body));
  }
  assert.deepEqual((await changed(company, id, { tags: ['bird'] })).tags, ['bird']);
});
