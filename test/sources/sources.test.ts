import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitSource, stageSource } from '../../core/sources/store.ts';
import { transaction } from '../../db/driver/database.ts';
import { openTestApp } from '../support/app.ts';
import { addMemory, decided } from '../support/memories.ts';
import { ownerScope } from '../support/scopes.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, listSources } from '../support/source-library.ts';
import { draftOf } from '../support/sources.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

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

  test('returns pages that new sources do not shift', async () => {
    const company = await service.company();
    for (let n = 0; n < 5; n++) await addSource(company);
    await assertStablePages(company, '/v1/memory/sources', () => addSource(company));
  });

  test('names the memory of a source while it is published', async () => {
    const company = await service.company();
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    await addSource(company, {});
    const memory = await addMemory(company, 'published');
    const named = async () => (await listSources(reader)).map(({ memoryId }) => memoryId);
    assert.deepEqual(await named(), [memory.id, undefined]);
    assert.equal((await reader.api.getSource(memory.sourceId!)).memoryId, memory.id);
    await decided(company, { action: 'delete', memoryId: memory.id });
    assert.deepEqual(await named(), [undefined, undefined]);
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
    assert.equal(outcome(await company.ask.archiveSource(id)), '404 not_found');
    await transaction(database, scope, (tx) => commitSource(tx, staged));
    assert.deepEqual(await ids(company), [id]);
  });
});
