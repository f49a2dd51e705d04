import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SearchResponse } from '../../shared/schemas/search.ts';
import { openTestApp } from '../support/app.ts';
import { KEYWORDS_ALONE } from '../support/retrieval-run.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, addPerson, along, CLAIM } from '../support/team.ts';
import { countTermsNow } from '../support/term-counts.ts';
import { askHeron, explainHeron } from './explained-search.ts';

// Server mode is on but there is no worker, so such searches are answered by keywords.
const service = await openTestApp(KEYWORDS_ALONE);
const { database } = service;

describe('explain for a caller without Full access', () => {
  test('a search with explain returns 403 without Full access, before any other fault', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const callers = [
      await addPerson(service, company, { teamRole: 'member' }),
      await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } }),
      await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' }),
    ];
    for (const caller of callers) {
      for (const body of [
        { explain: true },
        { explain: true, topK: 0 },
        { explain: true, query: undefined },
        { explain: true, sourceIds: [] },
        { explain: true, unknown: 1 },
        { explain: true, queryEmbedding: undefined },
        { explain: true, queryEmbedding: [1] },
        { explain: true, embeddingMode: 'server' },
        { explain: true, scope: { clientId: 'nonsense' } },
        { explain: true, sourceIds: ['nonsense'] },
      ]) {
        assert.equal(outcome(await askHeron(caller, body)), '403 full_access_required', JSON.stringify(body));
      }
      assert.equal((await askHeron(caller, { explain: false })).statusCode, 200);
    }
    for (const caller of [
      company,
      await addPerson(service, company, { teamRole: 'admin' }),
      await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' }),
    ]) {
      assert.ok((await explainHeron(caller, {})).explain);
    }
  });
});

test('an explanation for a narrowed scope reveals nothing about records outside it', async () => {
  const company = await service.company();
  const [mine, other] = [await addClient(service, company), await addClient(service, company)];
  await addSource(company, { text: 'heron of mine', scope: { clientId: mine } });
  const hidden = await addSource(company, {
    title: 'cormorant',
    chunks: [{ text: 'heron zanzibar PX-4711', embedding: along(0) }],
    scope: { clientId: other },
    ...CLAIM,
  });
  await countTermsNow(database, company);
  const answer = await askHeron(company, {
    query: 'heron px-4711',
    explain: true,
    scope: { clientId: mine, include: ['client'] },
  });
  for (const word of ['zanz', 'cormorant', hidden.id]) assert.ok(!answer.body.includes(word), word);
  const { hits, explain } = answer.json<SearchResponse>();
  assert.deepEqual(
    hits.map((hit) => [hit.text, hit.explain?.identifier]),
    [['heron of mine', false]],
  );
  assert.deepEqual([explain?.keyword.candidates, explain?.semantic?.candidates], [1, 0]);
});
