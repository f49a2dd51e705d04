import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { commitSource, type StagedSource, stageSource } from '../../core/sources/store.ts';
import { asWorker, transaction } from '../../db/driver/database.ts';
import { claimPendingChunks } from '../../db/queries/embeddings.ts';
import { selectNearbyChunks } from '../../db/queries/sources/chunks.ts';
import { archiveSource } from '../../db/queries/sources/removal.ts';
import { prune } from '../../db/queries/upkeep.ts';
import { newId } from '../../shared/ids.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { createTestCompany, databaseUrl, openTestDatabase } from '../support/needs/database.ts';
import { ownerScope } from '../support/scopes.ts';
import { axis, draftOf, type GivenSource, storeDraft } from '../support/sources.ts';
import { searchIn } from './search/search-in.ts';

const database = await openTestDatabase();

const openTeam = async () => ({ scope: ownerScope(await createTestCompany(database)) });

/** More chunks than one transaction writes. */
const LARGE = 270;

/** A text of so many chunks, each with the word. */
const large = (word: string) =>
  Array.from({ length: LARGE }, (_, index) => ({ text: `${word} part${index}`, embedding: axis(index) }));

const small = (word: string) => [{ text: `${word} alone`, embedding: axis(0) }];

/** The sources of a Team as they lie in the database. */
function sourcesOf(scope: TeamScope) {
  return database.query<{ id: string; state: string; chunks: number; said: number }>(
    `select s.id, s.state, s.chunk_count as said,
            (select count(*) from memory.chunk c where c.team_id = s.team_id and c.source_id = s.id) as chunks
       from memory.source s where s.team_id = $1 order by s.id`,
    [scope.teamId],
  );
}

/** What search and expand show of the Team: texts that hold the word, and how many neighbours the first has. */
async function shown(scope: TeamScope, word: string) {
  const [any] = await database.query<{ id: string }>(
    'select id from memory.chunk where team_id = $1 and text like $2 order by id limit 1',
    [scope.teamId, `${word} %`],
  );
  const found = [
    ...(await searchIn(database, scope, word)).hits,
    ...(await searchIn(database, scope, word, { embedding: axis(1) })).hits,
  ].filter((hit) => hit.text.startsWith(`${word} `));
  const nearby =
    any === undefined ? [] : await transaction(database, scope, (tx) => selectNearbyChunks(tx, any.id, 2, 2));
  return found.length + nearby.length;
}

describe('an external id', () => {
  test('ends with the whole text of one caller when many store it at once', async () => {
    const { scope } = await openTeam();
    const stored = await Promise.all(
      ['one', 'two', 'three', 'four'].map((word) =>
        storeDraft(database, scope, {
          layer: null,
          externalId: 'raced',
          chunks: word === 'four' ? large(word) : small(word),
        }),
      ),
    );
    assert.deepEqual(stored.map(({ outcome }) => outcome).sort(), [
      'created',
      'replaced',
      'replaced',
      'replaced',
    ]);
    const [only, ...rest] = await sourcesOf(scope);
    assert.deepEqual(rest, []);
    assert.deepEqual([only?.state, only?.chunks], ['active', only?.said]);
    const words = await database.query<{ word: string }>(
      `select distinct split_part(text, ' ', 1) as word from memory.chunk where team_id = $1`,
      [scope.teamId],
    );
    assert.equal(words.length, 1);
  });

  test('makes a new source if the old one is archived at the same time, and leaves that one unchanged', {
    skip: databaseUrl === undefined && 'needs PostgreSQL: the embedded database has one connection',
  }, async () => {
    const { scope } = await openTeam();
    const given = { layer: null, externalId: 'archived' };
    const { source } = await storeDraft(database, scope, { ...given, chunks: small('old') });
    const archived = await database.transaction(async (tx) => {
      await tx.query(`update memory.source set state = 'archived' where id = $1`, [source.id]);
      await tx.query('delete from memory.chunk where source_id = $1', [source.id]);
      const [self] = await tx.query('select pg_backend_pid() as pid');
      const later = storeDraft(database, scope, { ...given, chunks: small('new') });
      const waits = () =>
        tx.query('select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))', [self?.['pid']]);
      while ((await waits()).length === 0) await pause(5);
      return { later };
    });
    const stored = await archived.later;
    assert.equal(stored.outcome, 'created');
    assert.deepEqual(
      (await sourcesOf(scope)).map(({ id, state, chunks }) => [id, state, chunks]),
      [
        [source.id, 'archived', 0],
        [stored.source.id, 'active', 1],
      ],
    );
  });
});

describe('a large draft', () => {
  test('is invisible until it is committed, also to who makes vectors, and then visible as a whole', async () => {
    const { scope } = await openTeam();
    const chunks = large('huge').map((chunk, n) => (n < 100 ? chunk : { text: chunk.text }));
    const staged = await stageSource(database, scope, draftOf(scope.teamId, { layer: null, chunks }));
    const claim = () =>
      transaction(database, scope, (tx) =>
        claimPendingChunks(tx, { id: newId(), limit: 5, leaseSeconds: 60 }),
      );
    assert.deepEqual(
      (await sourcesOf(scope)).map(({ state, chunks }) => [state, chunks]),
      [['loading', LARGE]],
    );
    assert.equal(await shown(scope, 'huge'), 0);
    assert.equal(await claim(), null);
    const committed = await transaction(database, scope, (tx) => commitSource(tx, staged));
    assert.deepEqual(
      [committed.outcome, committed.source.chunks, committed.embedded],
      ['created', LARGE, 100],
    );
    assert.ok((await shown(scope, 'huge')) > 50);
    assert.equal((await claim())?.chunks.length, 5);
  });

  test('replaces the older text when it is committed and not before', async () => {
    const { scope } = await openTeam();
    const given = { layer: null, externalId: 'book' };
    const { source } = await storeDraft(database, scope, { ...given, chunks: large('first') });
    const draft = draftOf(scope.teamId, { ...given, chunks: large('second') });
    const staged = await stageSource(database, scope, draft);
    assert.ok((await shown(scope, 'first')) > 0);
    assert.equal(await shown(scope, 'second'), 0);
    const committed = await transaction(database, scope, (tx) => commitSource(tx, staged));
    assert.deepEqual([committed.outcome, committed.source.id], ['replaced', source.id]);
    assert.equal(await shown(scope, 'first'), 0);
    assert.ok((await shown(scope, 'second')) > 0);
    assert.equal((await sourcesOf(scope)).length, 1);
  });
});

describe('a draft whose chunks arrive in portions', () => {
  /** A draft of `large`, in portions of these sizes and then the rest. `onRead` is called before each portion. */
  function drawn(
    scope: TeamScope,
    given: GivenSource,
    sizes: number[],
    onRead?: (index: number) => Promise<void>,
  ) {
    const draft = draftOf(scope.teamId, given);
    const all = draft.chunks;
    assert.ok('length' in all);
    const portions = async function* () {
      let start = 0;
      for (const [index, size] of [...sizes, all.length].entries()) {
        await onRead?.(index);
        yield all.slice(start, start + size);
        start += size;
      }
    };
    return { ...draft, chunks: { [Symbol.asyncIterator]: portions } };
  }
  const unreadable = async () => assert.fail('it is read');
  const commit = (scope: TeamScope, staged: StagedSource) =>
    transaction(database, scope, (tx) => commitSource(tx, staged));
  const textsOf = async (scope: TeamScope) => {
    const rows = await database.query<{ text: string }>(
      'select text from memory.chunk where team_id = $1 order by ordinal',
      [scope.teamId],
    );
    return rows.map(({ text }) => text);
  };

  test('is stored whole and in order, whatever the size of the portions', async () => {
    for (const sizes of [[], [0, 1, 0, 99, 1, 140], [100], [50, 50, 50], [250]]) {
      const { scope } = await openTeam();
      const given = { layer: null, chunks: large('portions') };
      const staged = await stageSource(database, scope, drawn(scope, given, sizes));
      assert.ok(staged.written);
      const { outcome, source, embedded } = await commit(scope, staged);
      assert.deepEqual([outcome, source.chunks, embedded], ['created', LARGE, LARGE]);
      assert.deepEqual(
        await textsOf(scope),
        given.chunks.map(({ text }) => text),
      );
    }
  });

  test('leaves nothing if a portion fails', async () => {
    const { scope } = await openTeam();
    const states: string[] = [];
    const failing = drawn(scope, { layer: null, chunks: large('broken') }, [255], async (index) => {
      if (index === 0) return;
      states.push(...(await sourcesOf(scope)).map(({ state }) => state));
      throw new Error('the text is gone');
    });
    await assert.rejects(stageSource(database, scope, failing), /the text is gone/);
    assert.deepEqual(states, ['loading']);
    assert.deepEqual(await sourcesOf(scope), []);
  });

  test('is not read if its text is stored already, and reports the counts of the stored text', async () => {
    const { scope } = await openTeam();
    const given = { layer: null, chunks: large('twice') };
    const { source } = await storeDraft(database, scope, given);
    const staged = await stageSource(database, scope, drawn(scope, given, [], unreadable));
    const again = await commit(scope, staged);
    assert.deepEqual(
      [again.outcome, again.source.id, again.source.chunks, again.embedded],
      ['duplicate', source.id, LARGE, LARGE],
    );
  });

  test('is written by its commit if the stored text is archived after it was found', async () => {
    const { scope } = await openTeam();
    const given = { layer: null, chunks: large('gone') };
    const { source } = await storeDraft(database, scope, given);
    const staged = await stageSource(database, scope, drawn(scope, given, [100]));
    await transaction(database, scope, (tx) => archiveSource(tx, source.id));
    const { outcome, source: stored, embedded } = await commit(scope, staged);
    assert.deepEqual([outcome, stored.chunks, embedded], ['created', LARGE, LARGE]);
    assert.deepEqual(
      await textsOf(scope),
      given.chunks.map(({ text }) => text),
    );
  });

  test('is not read further after its staging was aborted', async () => {
    const { scope } = await openTeam();
    const read: number[] = [];
    const draft = drawn(scope, { layer: null, chunks: large('halted') }, [255], async (index) => {
      read.push(index);
    });
    const halt = (written: number) => {
      throw new Error(`halted at ${written}`);
    };
    await assert.rejects(stageSource(database, scope, draft, halt), /halted at (50|250)$/);
    assert.deepEqual(read, [0]);
  });
});

describe('a draft whose writer died', () => {
  const age = (id: string) =>
    database.query(`update memory.source set updated_at = now() - interval '61 minutes' where id = $1`, [id]);
  const limits = { sessionIdleSeconds: 604_800, sessionMaxSeconds: 2_592_000 };
  const pruneNow = () => asWorker(database, (tx) => prune(tx, limits));

  test('is removed completely by upkeep, which leaves a draft that is still being written', async () => {
    const { scope } = await openTeam();
    const stage = (word: string) =>
      stageSource(database, scope, draftOf(scope.teamId, { layer: null, chunks: large(word) }));
    const dead = await stage('dead');
    const alive = await stage('alive');
    const { source: active } = await storeDraft(database, scope, { layer: null, chunks: small('active') });
    await age(dead.source.id);
    await age(active.id);
    assert.ok((await pruneNow()).loadingSources >= 1);
    const left = (await sourcesOf(scope)).map(({ id }) => id).sort();
    assert.deepEqual(left, [alive.source.id, active.id].sort());
    for (const table of ['chunk', 'chunk_keyword', 'chunk_embedding']) {
      const [row] = await database.query<{ rows: number }>(
        `select count(*) as rows from memory.${table} where team_id = $1`,
        [scope.teamId],
      );
      assert.equal(row?.rows, LARGE + 1, table);
    }
    assert.equal((await transaction(database, scope, (tx) => commitSource(tx, alive))).outcome, 'created');
  });

  test('cannot be committed after it is removed, and leaves the older text unchanged', async () => {
    const { scope } = await openTeam();
    const given = { layer: null, externalId: `kept-${newId()}` };
    await storeDraft(database, scope, { ...given, chunks: small('kept') });
    for (const next of [given, { layer: null }]) {
      const draft = draftOf(scope.teamId, { ...next, chunks: large('late') });
      const staged = await stageSource(database, scope, draft);
      await age(staged.source.id);
      await pruneNow();
      await assert.rejects(transaction(database, scope, (tx) => commitSource(tx, staged)));
    }
    assert.ok((await shown(scope, 'kept')) > 0);
    assert.deepEqual(
      (await sourcesOf(scope)).map(({ state, chunks, said }) => [state, chunks, said]),
      [['active', 1, 1]],
    );
  });
});
