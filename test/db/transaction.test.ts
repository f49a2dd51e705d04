import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { type Database, type Queryable, transaction, withoutScope } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { insertAuditEvents } from '../../db/queries/identity/audit.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/logger.ts';
import { createTestCompany, databaseUrl, openTestDatabase } from '../support/database.ts';
import { ownerScope } from '../support/scopes.ts';

const database = await openTestDatabase();
const DIVISION_BY_ZERO = '22012';
const ABORTED = '25P02';

/** A database that notes when each statement leaves (`>`) and when it is answered (`<`), by its first words. */
function noting(inner: Database, notes: string[]): Database {
  const noted = (to: Queryable): Queryable => ({
    ...to,
    query: async (text, values) => {
      const words = text.split(' ').slice(0, 2).join(' ');
      notes.push(`> ${words}`);
      const rows = await to.query(text, values);
      notes.push(`< ${words}`);
      return rows as never;
    },
  });
  return {
    ...inner,
    transaction: (fn, opening) => inner.transaction((tx) => fn(noted(tx)), opening),
  };
}

async function recorded(subjectId: string): Promise<boolean> {
  const found = await database.query('select from memory.audit_event where subject_id = $1', [subjectId]);
  return found.length > 0;
}

/** An event that tells of nothing. */
function event() {
  return { kind: 'memory.delete', subjectType: 'memory', subjectId: newId(), layer: null } as const;
}

describe('a transaction within a scope', () => {
  test('sets its claims before anything else', async () => {
    const notes: string[] = [];
    const scope = ownerScope(await createTestCompany(database));
    await transaction(noting(database, notes), scope, (tx) => tx.query('select 1'));
    assert.deepEqual(notes, [
      "> select set_config('role',",
      "< select set_config('role',",
      '> select 1',
      '< select 1',
    ]);
  });

  test('sends its first read together with its claims, and the claims apply to that read', async () => {
    const notes: string[] = [];
    const scope = ownerScope(await createTestCompany(database));
    const read = `select current_user::text as role, current_setting('app.team') as team`;
    const rows = await transaction(noting(database, notes), scope, (tx) => tx.query(read), {
      readsFirst: true,
    });
    assert.deepEqual(rows, [{ role: 'memory_service', team: scope.teamId }]);
    assert.deepEqual(notes.slice(0, 2), ["> select set_config('role',", '> select current_user::text']);
  });

  for (const readsFirst of [false, true]) {
    test(`fails if its claims fail, ${readsFirst ? 'with' : 'without'} a first read`, async () => {
      const spoilt: Database = {
        ...database,
        transaction: (fn, opening) =>
          database.transaction(
            (tx) =>
              fn({
                ...tx,
                query: (text, values) =>
                  text.includes('app.team') ? tx.query('select 1 / 0') : tx.query(text, values),
              }),
            opening,
          ),
      };
      const scope = ownerScope(await createTestCompany(database));
      const failed = transaction(spoilt, scope, (tx) => tx.query('select 1'), { readsFirst });
      await assert.rejects(failed, { code: DIVISION_BY_ZERO });
    });
  }

  test('commits a statement that it sent without waiting', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const entry = event();
    await transaction(database, scope, async (tx) => insertAuditEvents(tx, [entry]));
    assert.ok(await recorded(entry.subjectId));
  });

  test('fails and rolls back if a statement that it sent without waiting fails', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const entry = event();
    const failed = transaction(database, scope, async (tx) => {
      insertAuditEvents(tx, [entry]);
      tx.send('select 1 / 0', []);
    });
    await assert.rejects(failed, { code: DIVISION_BY_ZERO });
    assert.ok(!(await recorded(entry.subjectId)));
  });

  test('throws the error of the first failed query, not of a query that failed because of it', async () => {
    const scope = ownerScope(await createTestCompany(database));
    let heard: unknown;
    const failed = transaction(database, scope, async (tx) => {
      tx.send('select 1 / 0', []);
      await tx.query('select 1').catch((error: Error) => {
        heard = error;
        throw error;
      });
    });
    await assert.rejects(failed, { code: DIVISION_BY_ZERO });
    assert.equal((heard as { code: string }).code, ABORTED);
  });

  test('throws the error of its function while statements are in flight', async () => {
    const scope = ownerScope(await createTestCompany(database));
    const fault = new Error('of the function');
    const entry = event();
    const failed = transaction(database, scope, async (tx) => {
      insertAuditEvents(tx, [entry]);
      throw fault;
    });
    await assert.rejects(failed, (error) => error === fault);
    assert.ok(!(await recorded(entry.subjectId)));
  });
});

describe('a transaction on PostgreSQL', { skip: databaseUrl === undefined && 'needs PostgreSQL' }, () => {
  const one =
    databaseUrl === undefined ? null : openPostgres(databaseUrl, createLogger('fatal', 'test'), { max: 1 });
  after(() => one?.close());

  /** Has the driver send something else for `begin`, and notes what goes over the wire and what is answered. */
  function driver(t: TestContext, begin: string): string[] {
    const notes: string[] = [];
    const first = (text: unknown) => String(text).split(' ')[0];
    const { Client, Connection } = pg as unknown as {
      Client: { prototype: { query: (this: unknown, ...given: unknown[]) => Promise<unknown> | undefined } };
      Connection: {
        prototype: {
          query: (this: unknown, text: string) => void;
          parse: (this: unknown, statement: { text: string }) => void;
        };
      };
    };
    const { query } = Client.prototype;
    const wire = { query: Connection.prototype.query, parse: Connection.prototype.parse };
    t.mock.method(Client.prototype, 'query', function (this: unknown, text: unknown, ...rest: unknown[]) {
      const result = query.call(this, text === 'begin' ? begin : text, ...rest);
      result?.then(() => notes.push(`< ${first(text)}`)).catch(() => undefined);
      return result;
    });
    t.mock.method(Connection.prototype, 'query', function (this: unknown, text: string) {
      notes.push(`> ${first(text)}`);
      wire.query.call(this, text);
    });
    t.mock.method(Connection.prototype, 'parse', function (this: unknown, statement: { text: string }) {
      notes.push(`> ${first(statement.text)}`);
      wire.parse.call(this, statement);
    });
    return notes;
  }

  test('sends begin, the claims and a first read before the first answer', async (t) => {
    const scope = ownerScope(await createTestCompany(database));
    const notes = driver(t, 'begin');
    await transaction(one as Database, scope, (tx) => tx.query('table pg_am'), { readsFirst: true });
    assert.deepEqual(notes.slice(0, 4), ['> begin', '> select', '> table', '< begin']);
    notes.length = 0;
    await withoutScope(one as Database, (tx) => tx.query('table pg_am'));
    assert.deepEqual(notes.slice(0, 4), ['> begin', '> select', '< begin', '< select']);
  });

  test('sends an audit event together with the commit', async (t) => {
    const scope = ownerScope(await createTestCompany(database));
    const notes = driver(t, 'begin');
    await transaction(one as Database, scope, async (tx) => insertAuditEvents(tx, [event()]));
    assert.deepEqual(notes.slice(-4), ['> insert', '> commit', '< insert', '< commit']);
  });

  for (const readsFirst of [false, true]) {
    test(`runs nothing if only begin fails, ${readsFirst ? 'with' : 'without'} a first read`, async (t) => {
      const scope = ownerScope(await createTestCompany(database));
      const notes = driver(t, 'begin otherwise');
      const entry = event();
      let wentOn = false;
      const failed = transaction(
        one as Database,
        scope,
        async (tx) => {
          await tx.query('select 1');
          wentOn = true;
          insertAuditEvents(tx, [entry]);
        },
        { readsFirst },
      );
      await assert.rejects(failed, { code: '42601' });
      assert.ok(!wentOn);
      assert.ok(!notes.includes('> insert'));
      assert.ok(!(await recorded(entry.subjectId)));
      t.mock.restoreAll();
      const rows = await transaction(one as Database, scope, (tx) =>
        tx.query('select current_user::text as role'),
      );
      assert.deepEqual(rows, [{ role: 'memory_service' }]);
    });
  }

  test('runs no later statement if only begin fails and the function ignores the error', async (t) => {
    const notes = driver(t, 'begin otherwise');
    const failed = (one as Database).transaction(async (tx) => {
      await tx.query('select 1').catch(() => []);
      await tx.query('create table memory.never ()').catch(() => []);
      return 'done';
    }, 'together');
    await assert.rejects(failed, { code: '42601' });
    assert.ok(!notes.includes('> create'));
  });

  test('fails if only begin fails and the function runs no statement', async (t) => {
    driver(t, 'begin otherwise');
    await assert.rejects(
      (one as Database).transaction(async () => 'done', 'together'),
      { code: '42601' },
    );
  });
});
