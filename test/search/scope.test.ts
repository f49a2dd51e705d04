import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, along, type Caller, CLAIM } from '../support/team.ts';

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
    member: await addPerson(service, company, { teamRole: 'member', clients: { [mine]: 'read' } }),
    bare: await addPerson(service, company, { teamRole: 'member' }),
    companyReader: await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' }),
  };
}

const IBIS = { query: 'ibis', queryEmbedding: along(1), ...CLAIM };

/** The layers of the hits, by the last word of their text. */
async function found(caller: Caller, scope: object): Promise<string> {
  const { hits } = await caller.api.searchMemory({ ...IBIS, scope });
  for (const hit of hits) assert.equal(hit.layer, hit.client_id === null ? 'team' : 'client');
  return hits
    .map((hit) => hit.text.split(' ').at(-1) ?? '')
    .sort()
    .join(' ');
}

test('a search covers the layers of its scope, but only those that the caller can read', async () => {
  const { company, mine, member, bare, companyReader } = await cast();
  const cases: [scope: object, full: string, withGrant: string, without: string | null][] = [
    [{}, 'team', 'team', 'team'],
    [{ include: ['team'] }, 'team', 'team', 'team'],
    [{ include: ['client'] }, 'mine other', 'mine', ''],
    [{ include: ['client', 'team'] }, 'mine other team', 'mine team', 'team'],
    [{ clientId: mine.toUpperCase() }, 'mine team', 'mine team', null],
    [{ clientId: mine, include: ['client'] }, 'mine', 'mine', null],
    [{ clientId: mine, include: ['team'] }, 'team', 'team', null],
  ];
  for (const [scope, full, withGrant, without] of cases) {
    const name = JSON.stringify(scope);
    for (const caller of [company, companyReader]) assert.equal(await found(caller, scope), full, name);
    assert.equal(await found(member, scope), withGrant, name);
    if (without !== null) assert.equal(await found(bare, scope), without, name);
  }
});

test('a request without scope writes to the Team layer, and searches it; expand reads every layer in reach', async () => {
  const { member, company, mine } = await cast();
  const { source } = await company.api.ingestSource({ title: 'x', text: 'an ibis without scope' });
  const { imports } = await company.api.importFiles({ items: [{ filename: 'a.md', text: 'x' }] });
  const { capture } = await company.api.stageCapture({ sessionId: newId(), summary: 'x' });
  assert.deepEqual(column([source, ...imports, capture], 'layer'), ['team', 'team', 'team']);

  const scope = { clientId: mine, include: ['client'] };
  const [hit] = (await member.api.searchMemory({ ...IBIS, scope })).hits;
  const opened = await member.api.expandChunk({ chunkId: hit!.chunk_id });
  assert.deepEqual(column(opened.chunks, 'text'), ['ibis of mine']);

  const without = await company.api.searchMemory({ ...IBIS, explain: true });
  const empty = await company.api.searchMemory({ ...IBIS, explain: true, scope: {} });
  assert.deepEqual(column(without.hits, 'chunk_id'), column(empty.hits, 'chunk_id'));
  assert.deepEqual(without.explain?.otherLayers, empty.explain?.otherLayers);
  const [event] = await company.all.listTeamAudit({ subjectId: without.queryId });
  assert.deepEqual(event?.detail['scope'], {});
});

test('a forbidden scope is refused before a source that is not found', async () => {
  const { member } = await cast();
  const refused = await member.ask.searchMemory({
    ...IBIS,
    sourceIds: [newId()],
    scope: { clientId: newId() },
  });
  assert.equal(outcome(refused), '403 scope_forbidden');
});
