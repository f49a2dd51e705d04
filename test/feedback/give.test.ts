import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Feedback, GivenFeedback } from '../../shared/schemas/feedback.ts';
import type { SearchResponse } from '../../shared/schemas/search.ts';
import { expireSources } from '../sources/expiry/expire.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { questionBest, searchByWords, sendFeedback } from '../support/feedback.ts';
import { addMemory } from '../support/memories.ts';
import { assertInvalid, assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, archived } from '../support/source-library.ts';
import { addClient, addPerson, archiveTeam, type Caller } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const give = (caller: Caller, body: object) => sendFeedback(caller, body);

/** A search of a caller that found one source, and what names its hit. */
async function found(company: SignedIn, caller: Caller = company) {
  const source = await addSource(company, { text: 'The heron rule.' });
  const { queryId, hits } = await searchByWords(caller, 'heron');
  assert.equal(hits.length, 1);
  return { source, queryId, chunkId: hits[0]!.chunk_id };
}

describe('POST /v1/memory/feedback', () => {
  test('returns 201 with the record, and records one event without the note', async () => {
    const company = await service.company();
    const { source, queryId, chunkId } = await found(company);
    const note = 'It is the gull rule.';
    let given: Feedback | undefined;
    const { events, text } = await recordedBy(service, company, async () => {
      const answer = await give(company, { queryId, chunkId, verdict: 'wrong', note });
      assert.equal(answer.statusCode, 201, answer.body);
      given = answer.json<Feedback>();
    });
    const { id, createdAt, ...rest } = given!;
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
    assert.deepEqual(
      events.map(({ kind, subjectType, subjectId, detail }) => [kind, subjectType, subjectId, detail]),
      [['memory.feedback', 'source', source.id, { queryId, chunkId, verdict: 'wrong' }]],
    );
    assert.doesNotMatch(text, /gull|heron/);
  });

  test('masks a credential in the note, or refuses it, as the Team has set', async () => {
    const company = await service.company();
    const { queryId, chunkId } = await found(company);
    const body = { queryId, chunkId, verdict: 'wrong', note: 'It is password=Gr33nT0ner now.' };
    const setMode = (redaction: string) => company.ask.changeSelectedTeam({ redaction });
    await setMode('redact');
    const { note, redactions } = (await give(company, body)).json<GivenFeedback>();
    assert.equal(note, 'It is password=[redacted: password] now.');
    assert.deepEqual(
      redactions.map(({ path }) => path),
      ['/note'],
    );
    await setMode('refuse');
    await recordsNothing(service, company, async () => {
      assert.equal(outcome(await give(company, body)), '422 secret_detected');
    });
  });

  test('names the memory whose text the hit is', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', { content: 'The heron rule.' });
    const { feedback } = await questionBest(company, 'heron');
    assert.deepEqual([feedback.memoryId, feedback.sourceId], [memory.id, memory.sourceId]);
  });

  test('replaces the verdict by a second one, and repeats the record if nothing changes', async () => {
    const company = await service.company();
    const { queryId, chunkId } = await found(company);
    const first = (await give(company, { queryId, chunkId, verdict: 'wrong', note: 'n' })).json<Feedback>();
    await recordsNothing(service, company, async () => {
      const again = await give(company, { queryId, chunkId, verdict: 'wrong', note: 'n' });
      assert.equal(again.statusCode, 201);
      assert.deepEqual(again.json(), first);
    });
    const second = (await give(company, { queryId, chunkId, verdict: 'useful' })).json<Feedback>();
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
      const answer = await give(company, { queryId: grouped.queryId, chunkId, verdict: 'useful' });
      assert.equal(answer.statusCode, 201, answer.body);
    }
    const near = await searchByWords(company, 'heron', { topK: 1, neighbours: 1 });
    const [hit] = near.hits;
    const neighbour = [...(hit?.before ?? []), ...(hit?.after ?? [])][0];
    assert.ok(neighbour);
    const answer = await give(company, {
      queryId: near.queryId,
      chunkId: neighbour.chunk_id,
      verdict: 'wrong',
    });
    assert.equal(outcome(answer), '404 not_found');
  });

  test('accepts it of a caller who can only read', async () => {
    const company = await service.company();
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const { queryId, chunkId } = await found(company, reader);
    assert.equal((await give(reader, { queryId, chunkId, verdict: 'outdated' })).statusCode, 201);
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
    assert.equal((await give(member, hitOf(ofClient))).statusCode, 201);
    await database.query('delete from identity.client_grant where user_id = $1', [member.userId]);
    await assertSameRefusal('404 not_found', [
      give(member, own),
      give(company, { ...own, queryId: chunkId }),
      give(company, { ...own, queryId: 'none' }),
      give(company, { ...own, chunkId: queryId }),
      give(company, { ...own, chunkId: 'none' }),
      give(company, { ...own, chunkId: hitOf(ofClient).chunkId }),
      give(company, hitOf(ofGone)),
      give(member, hitOf(ofClient)),
    ]);
    assert.equal((await give(company, own)).statusCode, 201);
    await expireSources(service, source.id);
    assert.equal(outcome(await give(company, { ...own, verdict: 'useful' })), '404 not_found');
  });

  test('is 400 for a malformed body, and 409 in an archived Team', async () => {
    const company = await service.company();
    const { queryId, chunkId } = await found(company);
    const own = { queryId, chunkId, verdict: 'wrong' };
    assertInvalid(await give(company, { ...own, verdict: 'bad' }), '/verdict');
    assertInvalid(await give(company, { ...own, note: 'x'.repeat(1001) }), '/note');
    assertInvalid(await give(company, { ...own, note: ' ' }), '/note');
    assert.equal((await give(company, { ...own, note: 'x'.repeat(1000) })).statusCode, 201);
    await archiveTeam(service, company.teamId);
    assert.equal(outcome(await give(company, own)), '409 team_archived');
    assert.equal(outcome(await give(company, { ...own, chunkId: queryId })), '404 not_found');
  });
});
