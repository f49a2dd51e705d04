import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completeImport, stageImport } from '../../../core/imports/run.ts';
import { commitSource, stageSource } from '../../../core/sources/store.ts';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { lockOwnCapture } from '../../../db/queries/captures.ts';
import { lockConsolidationBatch } from '../../../db/queries/consolidation.ts';
import { lockMemories } from '../../../db/queries/memories.ts';
import { attachOriginal } from '../../../db/queries/sources/lists.ts';
import { lockSimilarMemories } from '../../../db/queries/sources/removal.ts';
import { insertAnswer } from '../../../db/queries/upkeep.ts';
import { newId } from '../../../shared/ids.ts';
import { jobScope } from '../../../shared/scope.ts';
import { contentHash } from '../../../shared/text/content-hash.ts';
import { fieldsNow, prepareChunksNow } from '../../../shared/text/prepared-chunks.ts';
import type { SignedIn } from '../../support/app.ts';
import { sendAndWait } from '../../support/blocked-request.ts';
import { sendCapture } from '../../support/captures.ts';
import { via } from '../../support/client/client.ts';
import { column } from '../../support/columns.ts';
import { claimAll, completed, lend } from '../../support/consolidation.ts';
import { readImport, upload } from '../../support/import-records.ts';
import { addMemory, decide } from '../../support/memories.ts';
import { databaseUrl } from '../../support/needs/database.ts';
import { download, giveOriginal, sha256Of } from '../../support/originals.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { ownerScope } from '../../support/scopes.ts';
import { openSecondApp } from '../../support/second-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, listSources } from '../../support/source-library.ts';
import { draftOf } from '../../support/sources.ts';
import type { Caller } from '../../support/team.ts';
import { tablesWith, tracesOf } from '../../support/traces.ts';

// The tests look for what is left in all rows, which are many in the database that files share.
const service = await openOwnTestApp();
const ROUNDS = 6;
type Asked = Pick<typeof service, 'app'>;

const purge = (app: Asked, caller: Caller, id: string) => via(app, caller).ask.purgeSource(id);
const PROSE = 'The pump in hall four lost pressure again, so the crew closed valve nine and went home.';

/** An import of a file whose text was cut, and whose job is about to complete. */
async function stagedImport(company: SignedIn, filename: string, text: string) {
  const [item] = await upload(company, [{ filename, text }]);
  assert.ok(item);
  const { companyId, teamId, ownerId: userId } = company;
  const data = { companyId, teamId, userId, layerId: teamId, tokenId: null, importId: item.id };
  const scope = jobScope(data);
  const document = {
    title: null,
    date: null,
    indexedAs: fieldsNow(filename),
    contentHash: contentHash({ text }),
    chunks: prepareChunksNow(teamId, { text }),
    unread: [],
    encoding: null,
  };
  const staged = await stageImport(
    service,
    scope,
    teamId,
    { ...item, tags: [], expiresAt: null },
    document,
    () => undefined,
  );
  const queue = { ...service.queue, complete: async () => undefined } as typeof service.queue;
  const job = { id: newId(), retryCount: 0, data };
  const file = { mediaType: item.mediaType, redaction: 'off' } as const;
  const complete = () =>
    completeImport({ ...service, queue }, scope, job, file, {
      staged,
      unread: [],
      encoding: null,
      redactions: [],
      hasRawCredentials: false,
    });
  return { id: item.id, complete };
}

describe('a purge at the same time as other work', () => {
  test('of the source of a file, while the same file is imported again, leaves the new import a source of its own', async () => {
    const company = await service.company();
    const text = `${PROSE} ${newId()}`;
    const first = await stagedImport(company, 'a.txt', text);
    await first.complete();
    const { sourceId } = await readImport(company, first.id);
    const second = await stagedImport(company, 'a.txt', text);
    assert.equal(outcome(await purge(service, company, sourceId ?? '')), '204');
    await second.complete();
    const again = await readImport(company, second.id);
    assert.equal(again.state, 'completed');
    assert.notEqual(again.sourceId, sourceId);
    assert.deepEqual(await tablesWith(service, sourceId ?? ''), ['memory.audit_event']);
    assert.deepEqual(column(await listSources(company), 'id'), [again.sourceId]);
  });

  test('and an import that completes leave no import that names a purged source', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service, service.url);
    for (let round = 0; round < ROUNDS; round++) {
      const text = `${PROSE} ${newId()}`;
      const first = await stagedImport(company, 'a.txt', text);
      await first.complete();
      const { sourceId } = await readImport(company, first.id);
      const running = await stagedImport(company, 'a.txt', text);
      const [purged] = await Promise.all([purge(second, company, sourceId ?? ''), running.complete()]);
      assert.equal(outcome(purged), '204');
      assert.deepEqual(await tablesWith(service, sourceId ?? ''), ['memory.audit_event']);
    }
  });

  const onPostgres = {
    skip: databaseUrl === undefined && 'needs PostgreSQL: the embedded database has one connection',
  };

  /**
   * Sends a purge in the middle of a transaction, and stores an answer once the purge waits for it or is done.
   * @param next what the transaction does after that
   */
  async function purgedAmid(
    company: SignedIn,
    url: string,
    answer: (tx: TeamTransaction) => Promise<unknown>,
    next: (tx: TeamTransaction) => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    const { database } = service;
    const key = { route: 'test', keyHash: Buffer.from(newId()), bodyHash: Buffer.from('x') };
    const { purged } = await transaction(database, ownerScope(company), async (tx) => {
      const response = await answer(tx);
      const { sent } = await sendAndWait(service, tx, () => company.send('POST', url));
      await next(tx);
      await insertAnswer(tx, key, { bodyHash: key.bodyHash, status: 201, response });
      return { purged: sent };
    });
    assert.equal(outcome(await purged), '204');
  }

  test(
    'of a source waits for an ingest whose answer names it, and deletes the answer',
    onPostgres,
    async () => {
      const company = await service.company();
      const title = `quokka${newId()}`;
      const { id } = await addSource(company, { title, text: PROSE });
      await purgedAmid(company, `/v1/memory/sources/${id}/purge`, async (tx) => {
        const draft = { layer: null, externalId: 'near', chunks: [{ text: PROSE.toUpperCase() }] };
        const staged = await stageSource(service.database, tx.scope, draftOf(company.teamId, draft));
        const { similarSources } = await commitSource(tx, staged);
        assert.equal(similarSources[0]?.title, title);
        return { similarSources };
      });
      assert.deepEqual(await tracesOf(service, title), []);
    },
  );

  test(
    'of a memory waits for a completion whose results name it, and deletes the answer',
    onPostgres,
    async () => {
      const company = await service.company();
      const title = `quokka${newId()}`;
      const { id: memoryId } = await addMemory(company, 'published', { title });
      await purgedAmid(company, `/v1/memory/memories/${memoryId}/purge`, async (tx) => {
        const found = {
          memoryId,
          title,
          excerpt: title,
          similarity: 1,
          basis: 'words' as const,
          state: 'published' as const,
        };
        const similar = await lockSimilarMemories(tx, [found]);
        assert.equal(similar.length, 1);
        return { results: [{ similar }] };
      });
      assert.deepEqual(await tracesOf(service, title), []);
    },
  );

  test(
    'of a memory waits for a completion that is repeated with another key, and deletes the answer',
    onPostgres,
    async () => {
      const company = await service.company();
      const title = `quokka${newId()}`;
      const old = await addMemory(company, 'published', { content: 'The old fact.' });
      const first = await addMemory(company, 'published', {
        title,
        content: PROSE,
        supersedes: old.id,
      });
      const { batchId, captureIds } = await lend(company);
      const items = [{ captureIds, action: 'publish' as const, title: 'Again', content: PROSE }];
      const [result] = await completed(company, batchId, items);
      assert.equal(result?.similar[0]?.title, title);
      await purgedAmid(
        company,
        `/v1/memory/memories/${first.id}/purge`,
        async (tx) => (await lockConsolidationBatch(tx, batchId))?.completion?.results,
        // As a completion does after it has locked its batch. The purge must not have locked the memory yet.
        (tx) => lockMemories(tx, [old.id]),
      );
      assert.deepEqual(await tracesOf(service, title), []);
    },
  );

  test('of a memory waits for a repeated capture, and deletes the answer', onPostgres, async () => {
    const company = await service.company();
    const summary = `quokka${newId()}`;
    const own = { sessionId: summary, sequence: 1 };
    await sendCapture(company, { ...own, summary });
    const { batchId, captureIds } = await claimAll(company);
    const items = [{ captureIds, action: 'publish' as const, title: 'A', content: 'A fact.' }];
    const [made] = await completed(company, batchId, items);
    await purgedAmid(company, `/v1/memory/memories/${made?.memoryId}/purge`, async (tx) => {
      const capture = await lockOwnCapture(tx, own);
      assert.equal(capture?.id, captureIds[0]);
      return { capture };
    });
    assert.deepEqual(await tracesOf(service, summary), []);
  });

  test('of a source waits for a source that gets the same original, which keeps it', onPostgres, async () => {
    const company = await service.company();
    const content = Buffer.from(newId());
    const [first, second] = [await addSource(company), await addSource(company)];
    await giveOriginal(service.database, ownerScope(company), first.id, content);
    await service.database.query(`update memory.source set kind = 'import' where id = $1`, [second.id]);
    const original = { sha256: sha256Of(content), bytes: content.length, mediaType: 'text/plain' };
    await purgedAmid(company, `/v1/memory/sources/${first.id}/purge`, (tx) =>
      attachOriginal(tx, second.id, original),
    );
    assert.deepEqual((await download(service, company, second.id)).rawPayload, content);
  });

  test('of a source locks imports in the order of their ids', onPostgres, async () => {
    const company = await service.company();
    const text = `${PROSE} ${newId()}`;
    const first = await stagedImport(company, 'a.txt', text.toUpperCase());
    const second = await stagedImport(company, 'b.txt', text);
    assert.ok(first.id < second.id);
    await second.complete();
    await first.complete();
    const { sourceId } = await readImport(company, second.id);
    const named = (await readImport(company, first.id)).similarSources;
    assert.deepEqual([named.length, named[0]?.sourceId], [1, sourceId]);
    const locked = (tx: TeamTransaction, id: string) =>
      tx.query('select id from memory.import where team_id = $1 and id = $2 for update', [
        company.teamId,
        id,
      ]);
    await purgedAmid(
      company,
      `/v1/memory/sources/${sourceId}/purge`,
      (tx) => locked(tx, first.id),
      (tx) => locked(tx, second.id),
    );
    assert.deepEqual((await readImport(company, first.id)).similarSources, []);
  });

  test('and a decision on the memory take effect one after the other', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service, service.url);
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await addMemory(company, 'review', { content: `Fact ${newId()}.` });
      const [purged, decision] = await Promise.all([
        via(second, company).ask.purgeMemory(id),
        decide(company, { action: 'publish', memoryId: id }),
      ]);
      assert.equal(outcome(purged), '204');
      assert.match(outcome(decision), /^(200|404 not_found)$/);
      assert.deepEqual(await tablesWith(service, id), ['memory.audit_event']);
    }
    assert.deepEqual(await listSources(company), []);
  });
});
