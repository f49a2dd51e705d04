import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient } from '../support/team.ts';

const service = await openTestApp();
const IBIS = { query: 'ibis', embeddingMode: 'keyword' };

test('a request without scope writes to the Team layer, and searches it; expand reads every layer in reach', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const { source } = await company.api.ingestSource({ title: 'x', text: 'an ibis without scope' });
  const { imports } = await company.api.importFiles({ items: [{ filename: 'a.md', text: 'x' }] });
  const { capture } = await company.api.stageCapture({ sessionId: newId(), summary: 'x' });
  assert.deepEqual(column([source, ...imports, capture], 'layer'), ['team', 'team', 'team']);

  await company.api.ingestSource({ title: 'x', text: 'ibis of the client', scope: { clientId } });
  const scope = { clientId: clientId.toUpperCase(), include: ['client'] };
  const [hit] = (await company.api.searchMemory({ ...IBIS, scope })).hits;
  assert.deepEqual([hit?.layer, hit?.client_id], ['client', clientId]);
  const opened = await company.api.expandChunk({ chunkId: hit!.chunk_id });
  assert.deepEqual(column(opened.chunks, 'text'), ['ibis of the client']);

  const without = await company.api.searchMemory({ ...IBIS, explain: true });
  const empty = await company.api.searchMemory({ ...IBIS, explain: true, scope: {} });
  assert.deepEqual(column(without.hits, 'text'), ['an ibis without scope']);
  assert.deepEqual(column(empty.hits, 'chunk_id'), column(without.hits, 'chunk_id'));
  assert.deepEqual(without.explain?.otherLayers, empty.explain?.otherLayers);
  const [event] = await company.all.listTeamAudit({ subjectId: without.queryId });
  assert.deepEqual(event?.detail['scope'], {});
});

test('a forbidden scope is refused before a source that is not found', async () => {
  const company = await service.company();
  const scope = { clientId: newId() };
  const refused = await company.ask.searchMemory({ ...IBIS, sourceIds: [newId()], scope });
  assert.equal(outcome(refused), '403 scope_forbidden');
});
