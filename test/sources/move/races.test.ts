import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { deletePendingMarks } from '../../../db/queries/embeddings.ts';
import { moveSource } from '../../../db/queries/sources/changes.ts';
import { insertEmbeddings } from '../../../db/queries/sources/chunks.ts';
import { newId } from '../../../shared/ids.ts';
import type { IngestResponse } from '../../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { sendAndWait } from '../../support/blocked-request.ts';
import { via } from '../../support/client/client.ts';
import { doJob } from '../../support/do-job.ts';
import { databaseUrl, TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { ownerScope } from '../../support/scopes.ts';
import { openSecondApp } from '../../support/second-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, listSources, readSource, removeSource } from '../../support/source-library.ts';
import { axis } from '../../support/sources.ts';
import { addClient, addPerson, along, CLAIM, readStatus } from '../../support/team.ts';
import { countRows } from '../../teams/counted-figures.ts';
import { move } from './moving.ts';

const service = await openTestApp();
const { database } = service;
const ROUNDS = 6;

/** Asserts that all rows of each source are in its layer, and that the figures of the status match. */
async function assertInStep(company: SignedIn, clients: readonly string[]): Promise<void> {
  const strays = await database.query(
    `select s.id, r.name from memory.source s
       cross join lateral (
         select 'chunk' as name, c.layer_id from memory.chunk c where c.team_id = s.team_id and c.source_id = s.id
         union all
         select 'terms', k.layer_id from memory.chunk c join memory.chunk_keyword k on k.team_id = c.team_id and k.chunk_id = c.id
          where c.team_id = s.team_id and c.source_id = s.id
         union all
         select 'vector', e.layer_id from memory.chunk c join memory.chunk_embedding e on e.team_id = c.team_id and e.chunk_id = c.id
          where c.team_id = s.team_id and c.source_id = s.id
         union all
         select 'mark', p.layer_id from memory.chunk c join memory.embedding_pending p on p.team_id = c.team_id and p.chunk_id = c.id
          where c.team_id = s.team_id and c.source_id = s.id
         union all
         select 'sketch', k.layer_id from memory.source_sketch k where k.team_id = s.team_id and k.source_id = s.id) r
      where s.team_id = $1 and r.layer_id is distinct from s.layer_id`,
    [company.teamId],
  );
  assert.deepEqual(strays, []);
  const { sources, chunks } = await countRows(database, company, [null, ...clients]);
  const status = await readStatus(company);
  assert.deepEqual({ sources: status.sources, chunks: status.chunks }, { sources, chunks });
}

describe('a move at the same time as other work', () => {
  test('and an ingest of the same text into the target leave it there once', async (t) => {
    const company = await service.company();
    const a = await addClient(service, company);
    const second = await openSecondApp(t, service);
    for (let round = 0; round < ROUNDS; round++) {
      const body = { title: 'x', text: `A text of ${newId()}` };
      const { id } = await addSource(company, body);
      const [answer, ingest] = await Promise.all([
        move(company, id, a),
        via(second, company).ask.ingestSource({ ...body, scope: { clientId: a } }),
      ]);
      const { source, duplicate } = ingest.json<IngestResponse>();
      const expected = duplicate ? '200' : '409 conflict';
      assert.deepEqual([outcome(answer), duplicate], [expected, source.id === id]);
    }
    const there = await listSources(company, `?clientId=${a}`);
    assert.equal(there.filter(({ clientId }) => clientId === a).length, ROUNDS);
    await assertInStep(company, [a]);
  });

  test('and others of the same source, its end, or the end of the client leave all of it in one layer', async (t) => {
    const company = await service.company();
    const a = await addClient(service, company);
    const second = await openSecondApp(t, service);
    for (let round = 0; round < ROUNDS; round++) {
      const b = await addClient(service, company);
      const chunks = Array.from({ length: 5 }, (_, n) => ({
        text: `${n} ${newId()}`,
        ...(n % 2 === 0 ? { embedding: along(1, n + 1) } : {}),
      }));
      const [one, two, three] = await Promise.all(
        [0, 1, 2].map((n) => addSource(company, { chunks: chunks.slice(n), ...CLAIM })),
      );
      const answers = await Promise.all([
        move(company, one!.id, a),
        move(via(second, company), one!.id, b),
        move(company, two!.id, a),
        removeSource(via(second, company), two!.id),
        move(company, three!.id, b),
        via(second, company).ask.purgeSource(three!.id),
        via(second, company).ask.archiveClient(b),
      ]);
      for (const answer of answers) {
        assert.match(outcome(answer), /^(200|204|403 scope_forbidden|404 not_found|409 conflict)$/);
      }
      await database.query(`update identity.client set state = 'active' where id = $1`, [b]);
      await assertInStep(company, [a, b]);
      await database.query(`update identity.client set state = 'archived' where id = $1`, [b]);
    }
  });

  test('and vectors and terms of its chunks that are stored leave all of it in one layer', async (t) => {
    const company = await service.company();
    const { companyId, teamId, ownerId: userId } = company;
    const a = await addClient(service, company);
    const second = await openSecondApp(t, service);
    const { id } = await addSource(company, { chunks: [{ text: 'one' }, { text: 'two' }] });
    for (let round = 0; round < ROUNDS; round++) {
      const claimed = await company.ask.claimEmbeddings({});
      const { batch } = claimed.json<{ batch: { id: string; chunks: { chunkId: string }[] } | null }>();
      const embeddings = (batch?.chunks ?? []).map(({ chunkId }) => ({ chunkId, embedding: along(1) }));
      const to = round % 2 === 0 ? a : null;
      const [answer, completed] = await Promise.all([
        move(company, id, to, { title: `Title ${round}` }),
        via(second, company).ask.completeEmbeddings({ batchId: batch?.id, ...CLAIM, embeddings }),
        doJob(second.database, 'terms.renew', { companyId, teamId, userId }),
      ]);
      assert.deepEqual([outcome(answer), outcome(completed)], ['200', '200']);
      const { embedded } = completed.json<{ embedded: number }>();
      const { chunks } = await readStatus(company);
      assert.equal(chunks.embedded, embedded, 'what is not stored waits for a vector');
      await assertInStep(company, [a]);
      await database.query('delete from memory.chunk_embedding where team_id = $1', [teamId]);
      await database.query(
        `insert into memory.embedding_pending (team_id, layer_id, chunk_id)
         select team_id, layer_id, id from memory.chunk where team_id = $1 on conflict do nothing`,
        [teamId],
      );
    }
  });

  const onPostgres = {
    skip: databaseUrl === undefined && 'needs PostgreSQL: the embedded database has one connection',
  };
  test('waits for a vector that is being stored, and takes it along', onPostgres, async () => {
    const company = await service.company();
    const a = await addClient(service, company);
    const { id } = await addSource(company, { chunks: [{ text: 'one' }, { text: 'two' }] });
    const claimed = await company.ask.claimEmbeddings({});
    const { batch } = claimed.json<{ batch: { id: string; chunks: { chunkId: string }[] } }>();
    const { sent } = await transaction(database, ownerScope(company), async (tx) => {
      const [chunk] = batch.chunks;
      const marks = await deletePendingMarks(tx, batch.id, [chunk?.chunkId ?? '']);
      const request = await sendAndWait(service, tx, () => move(company, id, a));
      assert.equal(marks.length, 1);
      await insertEmbeddings(
        tx,
        TEST_MODEL_NAME,
        marks.map((mark) => ({ ...mark, embedding: axis(1) })),
      );
      return request;
    });
    assert.equal(outcome(await sent), '200');
    assert.equal((await readStatus(company)).chunks.embedded, 1);
    await assertInStep(company, [a]);
  });

  test(
    'is refused if its text is replaced or it goes where the caller cannot write while it waits',
    onPostgres,
    async () => {
      const company = await service.company();
      const a = await addClient(service, company);
      const b = await addClient(service, company);
      const member = await addPerson(service, company, {
        teamRole: 'member',
        clients: { [a]: 'write', [b]: 'write' },
      });
      const changes: [string, (tx: TeamTransaction, id: string) => Promise<unknown>, expected: string][] = [
        [
          'its text',
          (tx, id) => tx.query(`update memory.source set content_hash = sha256('new') where id = $1`, [id]),
          '409 conflict',
        ],
        [
          'its layer, and the right to write there',
          async (tx, id) => {
            await moveSource(tx, id, b);
            await tx.query(
              `update identity.client_grant set access = 'read'
                where team_id = $1 and client_id = $2 and user_id = $3`,
              [company.teamId, b, member.userId],
            );
          },
          '403 forbidden',
        ],
      ];
      for (const [what, change, expected] of changes) {
        const { id } = await addSource(member);
        const scope = ownerScope(company, [b]);
        const { sent } = await transaction(database, scope, async (tx) => {
          await change(tx, id);
          return sendAndWait(service, tx, () => move(member, id, a));
        });
        assert.equal(outcome(await sent), expected, what);
      }
      await assertInStep(company, [a, b]);
    },
  );

  test(
    'leaves the third of three copies as the first, however the first one leaves',
    onPostgres,
    async () => {
      const company = await service.company();
      const a = await addClient(service, company);
      const leave: Record<string, (id: string) => PromiseLike<{ statusCode: number }>> = {
        moved: (id) => move(company, id, a),
        archived: (id) => removeSource(company, id),
        purged: (id) => company.ask.purgeSource(id),
      };
      for (const [how, leaves] of Object.entries(leave)) {
        const ids: string[] = [];
        for (let n = 0; n < 3; n++) ids.push((await addSource(company)).id);
        const [first, second, third] = ids as [string, string, string];
        await database.query(
          `update memory.source set kind = 'import', same_as = case when id <> $1 then $1::uuid end where id = any ($2::uuid[])`,
          [first, ids],
        );
        const { sent } = await transaction(database, ownerScope(company, [a]), async (tx) => {
          await moveSource(tx, second, a);
          return sendAndWait(service, tx, () => leaves(first));
        });
        assert.match(String((await sent).statusCode), /^20[04]$/);
        for (const id of [second, third]) assert.equal((await readSource(company, id)).sameAs, null, how);
      }
    },
  );
});
