import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SearchResponse } from '../../shared/schemas/search.ts';
import { expireSources } from '../sources/expiry/expire.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { recordsNothing } from '../support/company.ts';
import { questionBest, searchByWords } from '../support/feedback.ts';
import { addMemory } from '../support/memories.ts';
import { assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** A search of a caller that found one source, and what names its hit. */
async function found(company: SignedIn, caller: Caller = company) {
  const source = await addSource(company, { text: 'The heron rule.' });
  const { queryId, hits } = await searchByWords(caller, 'heron');
  assert.equal(hits.length, 1);
  return { source, queryId, chunkId: hits[0]!.chunk_id };
}

describe('POST /v1/memory/feedback', () => {
  test('returns the record with its note', async () => {
    const company = await service.company();
    const { source, queryId, chunkId } = await found(company);
    const note = 'It is the gull rule.';
    const { id, createdAt, ...rest } = await company.api.giveFeedback({
      queryId,
      chunkId,
      verdict: 'wrong',
      note,
    });
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(createdAt, /Z$/);
    assert.deepEqual(rest, {
      queryId,
      chunkId,
      sourceId: source.id,
      memoryId: null,
      verdict: 'wrong',
      note,
      createdBy: company.ownerId,
      createdWith: null,
      redactions: [],
    });
  });

  test('masks a credential in the note, or refuses it, as the Team has set', async () => {
    const company = await service.company();
    const { queryId, chunkId } = await found(company);
    const body = { queryId, chunkId, verdict: 'wrong', note: 'It is password=Gr33nT0ner now.' };
    const setMode = (redaction: string) => company.ask.changeSelectedTeam({ redaction });
    await setMode('redact');
    const { note, redactions } = await company.api.giveFeedback(body);
    assert.equal(note, 'It is password=[redacted: password] now.');
    assert.deepEqual(column(redactions, 'path'), ['/note']);
    await setMode('refuse');
    await recordsNothing(service, company, async () => {
      assert.equal(outcome(await company.ask.giveFeedback(body)), '422 secret_detected');
    });
  });

  test('names the memory whose text the hit is, also in its event', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', { content: 'The heron rule.' });
    const { feedback } = await questionBest(company, 'heron');
    assert.deepEqual([feedback.memoryId, feedback.sourceId], [memory.id, memory.sourceId]);
    const [event] = await company.all.listTeamAudit({ kind: 'memory.feedback' });
    assert.deepEqual([event?.subjectType, event?.subjectId], ['memory', memory.id]);
  });

  test('replaces the verdict by a second one, and repeats the record if nothing changes', async () => {
    const company = await service.company();
    const { queryId, chunkId } = await found(company);
    const wrong = { queryId, chunkId, verdict: 'wrong', note: 'n' };
    const first = await company.api.giveFeedback(wrong);
    await recordsNothing(service, company, async () => {
      assert.deepEqual(await company.api.giveFeedback(wrong), first);
    });
    const second = await company.api.giveFeedback({ queryId, chunkId, verdict: 'useful' });
    assert.deepEqual([second.id, second.verdict, second.note], [first.id, 'useful', null]);
    const rows = await database.query('select verdict from memory.feedback where query_id = $1', [queryId]);
    assert.deepEqual(rows, [{ verdict: 'useful' }]);
  });

  test('accepts a passage of a grouped hit, and refuses a chunk that was only a neighbour', async () => {
    const company = await service.company();
    const chunks = ['a heron', 'a heron and a gull', 'nothing'].map((text) => ({ text }));
    await addSource(company, { chunks });
    const grouped = await searchByWords(company, 'heron', { group: 'source', neighbours: 1 });
    const passages = grouped.hits[0]?.passages?.map(({ chunk_id }) => chunk_id) ?? [];
    assert.equal(passages.length, 2);
    for (const chunkId of passages) {
      await company.api.giveFeedback({ queryId: grouped.queryId, chunkId, verdict: 'useful' });
    }
    const near = await searchByWords(company, 'heron', { topK: 1, neighbours: 1 });
    const [hit] = near.hits;
    const neighbour = [...(hit?.before ?? []), ...(hit?.after ?? [])][0];
    assert.ok(neighbour);
    const answer = await company.ask.giveFeedback({
      queryId: near.queryId,
      chunkId: neighbour.chunk_id,
      verdict: 'wrong',
    });
    assert.equal(outcome(answer), '404 not_found');
  });

  test('is the same 404 for another caller, another chunk, and what is gone', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clientId]: 'read' },
    });
    const { source, queryId, chunkId } = await found(company);
    const gone = await addSource(company, { text: 'A gull.' });
    const ofGone = await searchByWords(company, 'gull');
    await archived(company, gone.id);
    await addSource(company, { text: 'A tern.', scope: { clientId } });
    const ofClient = await searchByWords(member, 'tern', { scope: { clientId } });
    const own = { queryId, chunkId, verdict: 'wrong' };
    const hitOf = ({ queryId: id, hits }: SearchResponse) => ({
      queryId: id,
      chunkId: hits[0]!.chunk_id,
      verdict: 'wrong',
    });
    assert.equal((await member.ask.giveFeedback(hitOf(ofClient))).statusCode, 201);
    await database.query('delete from identity.client_grant where user_id = $1', [member.userId]);
    await assertSameRefusal('404 not_found', [
      member.ask.giveFeedback(own),
      company.ask.giveFeedback({ ...own, queryId: chunkId }),
      company.ask.giveFeedback({ ...own, queryId: 'none' }),
      company.ask.giveFeedback({ ...own, chunkId: queryId }),
      company.ask.giveFeedback({ ...own, chunkId: 'none' }),
      company.ask.giveFeedback({ ...own, chunkId: hitOf(ofClient).chunkId }),
      company.ask.giveFeedback(hitOf(ofGone)),
      member.ask.giveFeedback(hitOf(ofClient)),
    ]);
    assert.equal((await company.ask.giveFeedback(own)).statusCode, 201);
    await expireSources(service, source.id);
    assert.equal(outcome(await company.ask.giveFeedback({ ...own, verdict: 'useful' })), '404 not_found');
  });
});
