import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import {
  type Database,
  type Opening,
  prepared,
  type Queryable,
  readOnce,
  transaction,
  transactionWithFirstRead,
  withoutScope,
} from '../../db/driver/database.ts';
import { databaseFault } from '../../db/driver/faults.ts';
import { openPostgres, queryWithin } from '../../db/driver/postgres.ts';
import { newServers } from '../../db/driver/servers/known-servers.ts';
import { checkEachBegin, sendBegin } from '../../db/driver/servers/server-choice.ts';
import { insertAuditEvents } from '../../db/queries/audit.ts';
import type { ListPart } from '../../db/queries/common.ts';
import { readList } from '../../db/queries/query-list.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/logger.ts';
import { createTestCompany, databaseUrl, openTestDatabase } from '../support/needs/database.ts';
import { ownerScope } from '../support/scopes.ts';

const database = await openTestDatabase();
const DIVISION_BY_ZERO = '22012';
const ABORTED = '25P02';

async function recorded(subjectId: string): Promise<boolean> {
  const found = await database.query('select from memory.audit_event where subject_id = $1', [subjectId]);
  return found.length > 0;
}

/** An event that tells of nothing. */
function event() {
  return { kind: 'memory.delete', subjectType: 'memory', subjectId: newId(), layer: null } as const;
}

describe('a transaction within a scope', () => {
  test('has its role and its claims from its first statement on', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const read = `select current_user::text as role, current_setting('app.team') as team`;
    const rows = await transaction(database, scope, (tx) => tx.query(read));
    assert.deepEqual(rows, [{ role: 'memory_service', team: scope.teamId }]);
    const [after] = await database.query<{ role: string; team: string | null }>(
      `select current_user::text as role, nullif(current_setting('app.team', true), '') as team`,
    );
    assert.notEqual(after?.role, 'memory_service');
    assert.equal(after?.team, null, 'no claim outlives its transaction');
  });

  test('fails if its claims fail, and does not call its function', async () => {
    let called = false;
    const failed = database.transaction(
      async () => {
        called = true;
      },
      { text: 'select 1 / 0' },
    );
    await assert.rejects(failed, { code: DIVISION_BY_ZERO });
    assert.ok(!called);
  });

  test('commits a statement that it sent without waiting', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const entry = event();
    await transaction(database, scope, async (tx) => insertAuditEvents(tx, [entry]));
    assert.ok(await recorded(entry.subjectId));
  });

  test('throws the error of the first failed query, not of a query that failed because of it', async () => {
    const scope = ownerScope(await createTestCompany(database));
    let heard: unknown;
    const failed = transaction(database, scope, async (tx) => {
      tx.query('select 1 / 0').catch(() => undefined);
      await tx.query('select 1').catch((error: Error) => {
        heard = error;
        throw error;
      });
    });
    await assert.rejects(failed, { code: DIVISION_BY_ZERO });
    assert.equal((heard as { code: string }).code, ABORTED);
  });

  const fault = new Error('of the function');
  for (const [what, act, expected] of [
    [
      'a statement that it sent without waiting fails',
      (tx) => tx.query('select 1 / 0'),
      { code: DIVISION_BY_ZERO },
    ],
    ['its function throws while statements are in flight', () => Promise.reject(fault), fault],
    [
      'a statement that nobody waits for cannot be sent',
      (tx) => tx.query('select $1::timestamptz', [new Date(Number.NaN)]),
      Error,
    ],
  ] as const satisfies [string, (tx: Queryable) => Promise<unknown>, object][]) {
    test(`fails and rolls back if ${what}`, async () => {
      const scope = ownerScope(await createTestCompany(database));
      const entry = event();
      const failed = transaction(database, scope, async (tx) => {
        insertAuditEvents(tx, [entry]);
        const acted = act(tx);
        if (expected === fault) await acted;
        else acted.catch(() => undefined);
      });
      await assert.rejects(failed, expected);
      assert.ok(!(await recorded(entry.subjectId)));
    });
  }

  for (const [how, end] of [
    ['has ended', async () => undefined],
    ['threw at once', () => assert.fail('at once')],
  ] as const) {
    test(`refuses a statement that is sent after its function ${how}`, async () => {
      const scope = ownerScope(await createTestCompany(database));
      let late: Queryable['query'] | undefined;
      await transaction(database, scope, (tx): Promise<undefined> => {
        late = tx.query;
        return end();
      }).catch(({ message }: Error) => assert.equal(message, 'at once'));
      await assert.rejects(late?.('select 1') ?? Promise.resolve(), /the transaction has ended/);
    });
  }
});

describe('a transaction whose first read is sent with begin', () => {
  const READ = `select current_user::text as role, coalesce(current_setting('app.team', true), '') as team`;

  test('has its role and its claims in the read and after it', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const rows = await transactionWithFirstRead(database, scope, async (tx) => [
      ...(await tx.query(READ)),
      ...(await tx.query(READ)),
    ]);
    const expected = { role: 'memory_service', team: scope.teamId };
    assert.deepEqual(rows, [expected, expected]);
  });

  test('commits what it changes after the read, and rolls it back if a later statement fails', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const [kept, lost] = [event(), event()];
    await transactionWithFirstRead(database, scope, async (tx) => {
      await tx.query(READ);
      insertAuditEvents(tx, [kept]);
    });
    const failed = transactionWithFirstRead(database, scope, async (tx) => {
      await tx.query(READ);
      insertAuditEvents(tx, [lost]);
      await tx.query('select 1 / 0');
    });
    await assert.rejects(failed, { code: DIVISION_BY_ZERO });
    assert.deepEqual([await recorded(kept.subjectId), await recorded(lost.subjectId)], [true, false]);
  });

  test('commits statements that it sends before the read is answered, in their order', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const entry = event();
    const seen = await transactionWithFirstRead(database, scope, async (tx) => {
      void tx.query(READ);
      insertAuditEvents(tx, [entry]);
      return { late: tx.query('select from memory.audit_event where subject_id = $1', [entry.subjectId]) };
    });
    assert.equal((await seen.late).length, 1);
    assert.ok(await recorded(entry.subjectId));
  });

  test('fails with the error of its claims, returns no rows, and leaves the connection usable', async () => {
    let rows: unknown = null;
    const failed = database.transaction(
      async (tx) => {
        rows = await tx.query('select 1');
      },
      { text: 'select 1 / 0', isSentWithFirstRead: true },
    );
    await assert.rejects(failed, { code: DIVISION_BY_ZERO });
    assert.equal(rows, null);
    assert.equal((await database.query<{ team: string }>(READ))[0]?.team, '');
  });

  test('fails with the error of its read, and leaves the connection usable', async () => {
    const scope = ownerScope(await createTestCompany(database));
    for (const text of ['select 1 / 0', prepared('select 1 / 0 as prepared')]) {
      const failed = transactionWithFirstRead(database, scope, (tx) => tx.query(text));
      await assert.rejects(failed, { code: DIVISION_BY_ZERO });
      await assert.rejects(
        readOnce(database, scope, (tx) => tx.query(text)),
        { code: DIVISION_BY_ZERO },
      );
    }
    assert.equal((await database.query<{ team: string }>(READ))[0]?.team, '');
  });

  test('with nothing else returns the rows of the read, and refuses another statement', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const rows = await readOnce(database, scope, (tx) => tx.query(READ));
    assert.deepEqual(rows, [{ role: 'memory_service', team: scope.teamId }]);
    const late = readOnce(database, scope, async (tx) => {
      await tx.query('select 1');
      await tx.query('select 2');
    });
    await assert.rejects(late, /the transaction has ended/);
  });
});

describe('a transaction on PostgreSQL', { skip: databaseUrl === undefined && 'needs PostgreSQL' }, () => {
  const one =
    databaseUrl === undefined ? null : openPostgres(databaseUrl, createLogger('fatal', 'test'), { max: 1 });
  // A new connection is verified by a statement of its own.
  before(() => one?.query('select'));
  after(() => one?.close());

  /** Has the driver send something else for `begin`, and notes what goes over the wire and what is answered. */
  function driver(t: TestContext, begin: string): string[] {
    const notes: string[] = [];
    const first = (text: unknown) => /^\w+/.exec(String(text))?.[0];
    const { Client, Query } = pg as unknown as {
      Client: { prototype: { query: (this: unknown, ...given: unknown[]) => Promise<unknown> | undefined } };
      Query: { prototype: { submit: (this: { text: string }, connection: unknown) => unknown } };
    };
    const { query } = Client.prototype;
    const { submit } = Query.prototype;
    t.mock.method(Client.prototype, 'query', function (this: unknown, given: unknown, ...rest: unknown[]) {
      const sent = typeof given === 'string' ? given.replace(/^begin\b/, begin) : given;
      const result = query.call(this, sent, ...rest);
      const text = typeof given === 'string' ? given : (given as { text: string }).text;
      result?.then(() => notes.push(`< ${first(text)}`)).catch(() => undefined);
      return result;
    });
    t.mock.method(Query.prototype, 'submit', function (this: { text: string }, connection: unknown) {
      notes.push(`> ${first(this.text)}`);
      return submit.call(this, connection);
    });
    return notes;
  }

  test('is refused by a server whose timeline is older than one that was seen, and notes a newer one', async (t) => {
    const client = new pg.Client({ connectionString: databaseUrl, pipeline: true });
    await client.connect();
    t.after(() => client.end());
    const { primaries } = newServers(databaseUrl ?? '');
    checkEachBegin(client, primaries);
    const create = () => queryWithin(client, 'begin', () => client.query('create table public.never ()'));
    primaries.newest = 'FFFFFFFF';
    await assert.rejects(create, { name: 'WrongServerError', code: '57P03' });
    primaries.newest = '00000000';
    await sendBegin(client, 'begin isolation level repeatable read; set local jit = off');
    const level = await client.query('show transaction_isolation');
    assert.deepEqual(level.rows, [{ transaction_isolation: 'repeatable read' }]);
    await client.query('rollback');
    primaries.newest = '00000000';
    await sendBegin(client, '\n BEGIN');
    assert.match(primaries.newest, /^0000000[1-9A-F]$/);
    const { rows } = await client.query(`select to_regclass('public.never') as found`);
    assert.deepEqual(rows, [{ found: null }]);
    await client.query('rollback');
  });

  test('sees one moment where a page of a list is read with its count', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const level = (part: Pick<ListPart, 'count'>) =>
      readList(one as Database, scope, part, (tx) => tx.query('show transaction_isolation'));
    assert.deepEqual(await level({}), [{ transaction_isolation: 'read committed' }]);
    assert.deepEqual(await level({ count: () => undefined }), [{ transaction_isolation: 'repeatable read' }]);
  });

  test('keeps its connection if it refuses changes, and loses it if the server does', async () => {
    const pid = async () => (await one?.query('select pg_backend_pid() as pid'))?.[0]?.['pid'];
    const change = (opening: Opening) => one?.transaction((tx) => tx.query('create table never ()'), opening);
    const before = await pid();
    await assert.rejects(async () => change({ text: '', isReadOnly: true }), { code: '25006' });
    assert.equal(await pid(), before);
    await assert.rejects(async () => one?.transaction((tx) => tx.query('select 1 / 0')), {
      code: DIVISION_BY_ZERO,
    });
    assert.equal(await pid(), before);
    await assert.rejects(async () => change({ text: 'set transaction read only' }), { code: '25006' });
    assert.notEqual(await pid(), before);
  });

  test('sends together what need not wait for an answer', async (t) => {
    const scope = ownerScope(await createTestCompany(database));
    const own = one as Database;
    const notes = driver(t, 'begin');
    const sent = async (run: () => Promise<unknown>) => {
      notes.length = 0;
      await run();
      return notes.join(' ');
    };
    const read = (tx: Queryable) => tx.query('table pg_am');
    const afterBegin = /^> begin < begin > table/;
    assert.match(await sent(() => transaction(own, scope, read)), afterBegin);
    assert.match(await sent(() => withoutScope(own, read)), afterBegin);
    assert.equal(
      await sent(() => transactionWithFirstRead(own, scope, read)),
      '> begin > table < begin < table > commit < commit',
    );
    assert.match(await sent(() => readOnce(own, scope, read)), /^> begin > table > commit/);
    const recording = () => transaction(own, scope, async (tx) => insertAuditEvents(tx, [event()]));
    assert.match(await sent(recording), /> insert > commit < insert < commit$/);
  });

  test('returns no rows and sends nothing more if only begin fails', async (t) => {
    const scope = ownerScope(await createTestCompany(database));
    const notes = driver(t, 'begin otherwise');
    let rows: unknown = null;
    const entry = event();
    const failed = transactionWithFirstRead(one as Database, scope, async (tx) => {
      const read = tx.query('table pg_am');
      insertAuditEvents(tx, [entry]);
      rows = await read;
    });
    await assert.rejects(failed, { code: '42601' });
    assert.equal(rows, null);
    assert.deepEqual(
      notes.filter((note) => note.startsWith('>')),
      ['> begin', '> table', '> rollback'],
    );
    t.mock.restoreAll();
    assert.ok(!(await recorded(entry.subjectId)));
  });

  test('prepares a statement again on another connection when a migration has changed its columns', async () => {
    const table = `public.changed_${newId().replaceAll('-', '')}`;
    await database.query(`create table ${table} (value int)`);
    const read = prepared(`select value from ${table}`);
    const ask = () => (one as Database).transaction((tx) => tx.query(read));
    await ask();
    await database.query(`alter table ${table} alter value type text`);
    await assert.rejects(ask(), (error) => databaseFault(error) === 'unavailable');
    assert.deepEqual(await ask(), []);
    await database.query(`drop table ${table}`);
  });
});
