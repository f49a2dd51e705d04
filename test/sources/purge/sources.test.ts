import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SignedIn } from '../../support/app.ts';
import { column } from '../../support/columns.ts';
import { recordedBy, recordsNothing } from '../../support/company.ts';
import { search } from '../../support/consolidation.ts';
import { importNow } from '../../support/import-now.ts';
import { readImport } from '../../support/import-records.ts';
import { addMemory, searchRows } from '../../support/memories.ts';
import { pruneAfter } from '../../support/originals.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, archived, readSource, removeSource } from '../../support/source-library.ts';
import { along, type Caller, CLAIM, readStatus } from '../../support/team.ts';
import { tablesWith, tracesOf } from '../../support/traces.ts';
import { file, workspaceOf } from '../../support/workspace.ts';

/** Every row of every table is searched, so the database has only what these tests write. */
const service = await openOwnTestApp();
const { database } = service;

const purge = (caller: Caller, id: string) => caller.ask.purgeSource(id);
const newWord = () => `quokka${crypto.randomUUID().replaceAll('-', '')}`;
const REPEAT = () => ({ 'idempotency-key': crypto.randomUUID() });
/** More than ten words, so that near duplicates are found. */
const PROSE = 'The pump in hall four lost pressure again, so the crew closed valve nine and went home.';

const ingest = (caller: Caller, body: object) => caller.api.ingestSource({ title: 'x', ...body }, REPEAT());

/** Nothing has the word, and only audit events have the id. */
async function assertGone(word: string, id: string): Promise<void> {
  assert.deepEqual(await tracesOf(service, word), []);
  assert.deepEqual(await tablesWith(service, id), ['memory.audit_event']);
}

/** Imports a file that has the word in every field. */
const imported = (company: SignedIn, filename: string, text: string) =>
  importNow(service, company, { filename, text, title: filename, tags: [text.split(' ')[0]!] }, REPEAT());

describe('a purged source', () => {
  for (const state of ['active', 'archived'] as const) {
    test(`leaves no trace if it is ${state}, except in audit events`, async () => {
      const company = await service.company();
      const word = newWord();
      const given = {
        title: word,
        uri: `https://example.com/${word}`,
        externalId: word,
        metadata: { [word]: word },
        tags: [word.slice(0, 40)],
        chunks: [{ text: `# ${word}\n\n${PROSE} ${word}`, embedding: along(1) }, { text: `${word} again` }],
        ...CLAIM,
      };
      const { source } = await ingest(company, given);
      assert.equal((await ingest(company, given)).duplicate, true);
      const claimed = await company.ask.claimEmbeddings({});
      assert.match(claimed.body, new RegExp(word));
      // Its answer, which is stored, has the title of the source.
      const near = await ingest(company, { text: `${PROSE} ${PROSE}`, externalId: 'near' });
      if (state === 'archived') {
        await archived(company, source.id);
        assert.ok((await tablesWith(service, word)).includes('memory.kept_chunk'));
      }
      assert.ok((await tablesWith(service, word)).includes('memory.idempotency_key'));

      assert.equal(outcome(await purge(company, source.id)), '204');
      await assertGone(word, source.id);
      assert.deepEqual(await searchRows(service, company), {
        chunks: near.chunks,
        terms: 1,
        vectors: 0,
        pending: 1,
      });
      assert.equal(outcome(await company.ask.getSource(source.id)), '404 not_found');
      assert.equal(outcome(await purge(company, source.id)), '404 not_found');
      const { sources, chunks } = await readStatus(company);
      assert.deepEqual([sources.active, sources.archived, chunks.total], [1, 0, 1]);
    });
  }

  test('takes the imports that it was made of with it, and their files', async () => {
    const company = await service.company();
    const word = newWord();
    const letter = Array.from({ length: 300 }, (_, n) => `word${n}`).join(' ');
    const text = `${word} ${letter}`;
    const item = await imported(company, `${word}.txt`, text);
    const again = await imported(company, `${word}.txt`, text);
    assert.equal(again.sourceId, item.sourceId);
    const other = await imported(company, 'other.txt', letter);
    assert.deepEqual(column(other.similarSources, 'sourceId'), [item.sourceId]);

    const { events } = await recordedBy(service, company, () => purge(company, item.sourceId));
    assert.deepEqual(events[0]?.detail['importIds'], [item.id, again.id]);
    // Its original can no longer be read. The bytes wait until no request can be about to refer to them.
    assert.deepEqual(await tablesWith(service, word), ['memory.workspace_blob']);
    await pruneAfter(service, company, 61);
    await assertGone(word, item.sourceId);
    assert.equal(outcome(await company.ask.getImport(item.id)), '404 not_found');
    assert.deepEqual((await readImport(company, other.id)).similarSources, []);
    // The same file is a new import, and a new source.
    assert.notEqual((await imported(company, `${word}.txt`, text)).sourceId, item.sourceId);
  });

  test('leaves other files with its text, and the oldest of them is the first now', async () => {
    const company = await service.company();
    const text = `${newWord()} swims`;
    const first = await imported(company, 'a.txt', text);
    const second = await imported(company, 'b.txt', text);
    const third = await imported(company, 'c.txt', text);
    const gone = await imported(company, 'd.txt', text);
    await archived(company, gone.sourceId);
    assert.equal(outcome(await purge(company, first.sourceId)), '204');
    const sameAs = async (id: string) => (await readSource(company, id)).sameAs;
    assert.equal(await sameAs(second.sourceId), null);
    assert.equal(await sameAs(third.sourceId), second.sourceId);
    assert.equal(await sameAs(gone.sourceId), null);
    const hits = await search(company, text);
    assert.equal(hits.length, 1);
    assert.deepEqual(await tablesWith(service, first.sourceId), ['memory.audit_event']);
  });
});

describe('a source that cannot be purged', () => {
  test('returns 409 for the source of a memory, and names the route of memories', async () => {
    const company = await service.company();
    const { sourceId } = await addMemory(company, 'published');
    await recordsNothing(service, company, async () => {
      const answer = await purge(company, sourceId ?? '');
      assert.equal(outcome(answer), '409 conflict');
      assert.match(answer.body, /\/v1\/memory\/memories\/\{id\}\/purge/);
    });
  });

  test('returns 409 for the source of a workspace file', async () => {
    const company = await service.company();
    await workspaceOf(service.app, company.headers).push([file('team/a.txt', 'the ocelot')]);
    const { id } = await addSource(company);
    await database.query(`update memory.source set kind = 'file' where id = $1`, [id]);
    assert.equal(outcome(await purge(company, id)), '409 conflict');
    assert.equal(outcome(await removeSource(company, id)), '409 conflict');
  });
});
