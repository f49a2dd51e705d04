import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCommand } from '../../core/access/run-command.ts';
import {
  type Database,
  type Opening,
  type Queryable,
  type Replica,
  readOnce,
} from '../../db/driver/database.ts';
import { resolveCaller } from '../../db/queries/accounts/sessions.ts';
import { BehindError, followReplica, later, readFromReplica } from '../../db/replica/follow-replica.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger, type Logger } from '../../shared/logger.ts';
import { companyScope } from '../../shared/scope.ts';
import { hashToken } from '../../shared/tokens.ts';
import { openTestApp } from '../support/app.ts';
import { ownerScope } from '../support/scopes.ts';
import { addPerson } from '../support/team.ts';

const service = await openTestApp();
const logger = createLogger('silent', 'test');
const MAX_LAG_MS = 60_000;

/** An error of the database with this SQLSTATE. */
const fault = (code: string) => Object.assign(new Error(code), { code });

/** A database that answers statements as a test says, and keeps how its transactions begin. */
function fakeDatabase(answer: (text: string) => object[] | Promise<object[]>) {
  const openings: string[] = [];
  const query = (async (text: string) => answer(text)) as Queryable['query'];
  const database = {
    backend: 'postgres',
    query,
    transaction: async <T>(fn: (tx: Queryable) => Promise<T>, opening?: Opening) => {
      openings.push(opening?.text ?? '');
      return fn({ query });
    },
    connections: () => null,
    close: async () => undefined,
  } as unknown as Database;
  return { database, openings };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A primary at a position, with a replica that can be made to fail. */
async function followed(
  t: { after(fn: () => unknown): void },
  { history = 'one 1', isReplica = true, maxLagMs = MAX_LAG_MS } = {},
) {
  const state = {
    fails: null as Error | null,
    hangs: false,
    isBehind: false,
    primaryFails: false,
    comparisons: 0,
  };
  const warnings: unknown[] = [];
  const primary = fakeDatabase(() => {
    if (state.primaryFails) throw new Error('permission denied for function pg_walfile_name');
    return [{ position: '0/10', history: 'one 1' }];
  });
  const copy = fakeDatabase(() => {
    state.comparisons += 1;
    if (state.fails !== null) throw state.fails;
    if (state.hangs) return new Promise(() => undefined);
    return [{ isReplica, hasPosition: !state.isBehind, history }];
  });
  const replica = followReplica({
    primary: primary.database,
    replica: copy.database,
    logger: { ...logger, warn: (detail: unknown) => warnings.push(detail) } as unknown as Logger,
    maxLagMs,
    readTimeoutMs: 20,
  });
  t.after(() => replica.close());
  await turn();
  const database: Database = { ...primary.database, replica };
  return { state, warnings, replica, openings: copy.openings, database };
}

const scope = (lastChange: string | null) =>
  companyScope({ companyId: 'company', userId: 'user', lastChange });

/** How many reads the primary has answered, by the reason. */
const unreadOf = ({ counts }: Replica) =>
  Object.fromEntries(Object.entries(counts.primary).filter(([, count]) => count > 0));

/** Which server has answered a read. */
const readBy = (database: Database, lastChange: string | null = null) =>
  readFromReplica(database, scope(lastChange), async (from) => {
    await readOnce(from, scope(lastChange), (tx) => tx.query('select'));
    return from === database ? 'primary' : 'replica';
  });

test('positions in the log are compared as numbers', () => {
  for (const [one, other, expected] of [
    ['0/F', '0/10', '0/10'],
    ['1/0', '0/FFFFFFFF', '1/0'],
    ['A/0', '9/FF', 'A/0'],
  ] as const)
    assert.equal(later(one, other), expected);
});

describe('a read that a replica can answer', () => {
  test('goes to it, and asks for the later one of the last change and the longest lag', async (t) => {
    const { database, openings, replica } = await followed(t);
    assert.equal(await readBy(database), 'replica');
    assert.equal(await readBy(database, '0/F'), 'replica');
    assert.equal(await readBy(database, '0/11'), 'replica');
    const asked = openings.map((text) => /require_replayed\('([^']+)'\)/.exec(text)?.[1]);
    assert.deepEqual(asked, ['0/10', '0/10', '0/11']);
    assert.equal(replica.counts.replica, 3);
    assert.deepEqual(unreadOf(replica), {});
  });

  for (const [name, fails, reason, staysUsable, server = {}] of [
    ['the replica has not replayed enough', fault('RB001'), 'behind', true],
    ['the replica does not have a function yet', fault('42883'), 'cannot_run', true],
    ['the replica removes rows that the read needs', fault('40001'), 'conflict', true],
    [
      'the replica has no free connection',
      new Error('timeout exceeded when trying to connect'),
      'busy',
      true,
    ],
    ['the replica cannot be reached', fault('ECONNREFUSED'), 'gone', false],
    ['the replica shuts down', fault('57P01'), 'gone', false],
    ['the replica has the history of another primary', null, 'wrong_server', false, { history: 'another 1' }],
    ['the replica follows an earlier timeline', null, 'wrong_server', false, { history: 'one 0' }],
    ['the server is no replica', null, 'wrong_server', false, { isReplica: false }],
  ] as const) {
    test(`goes to the primary if ${name}`, async (t) => {
      const { database, state, replica } = await followed(t, server);
      state.fails = fails;
      assert.equal(await readBy(database), 'primary');
      assert.equal(replica.isUsable(), staysUsable);
      assert.deepEqual(unreadOf(replica), { [reason]: 1 });
    });
  }

  for (const error of [fault('57014'), fault('22P02')]) {
    test(`fails with the error that the primary would have too: ${error.message}`, async (t) => {
      const { database, state } = await followed(t);
      state.fails = error;
      await assert.rejects(readBy(database), error);
    });
  }

  test('goes to the primary if the replica does not answer in time, and so do the next ones until it answers', async (t) => {
    const { database, state, replica } = await followed(t);
    state.hangs = true;
    assert.equal(await readBy(database), 'primary');
    assert.ok(!replica.isUsable());
    assert.equal(await readBy(database), 'primary');
    assert.deepEqual(unreadOf(replica), { no_answer: 2 });
  });

  test('goes to the primary if the replica lags at two comparisons in a row, until it does not', async (t) => {
    const { database, state, replica } = await followed(t, { maxLagMs: 100 });
    const compared = async () => {
      const { comparisons } = state;
      while (state.comparisons === comparisons) await turn();
      await turn();
      return replica.isUsable();
    };
    state.isBehind = true;
    assert.equal(await compared(), true);
    assert.equal(await compared(), false);
    assert.equal(await readBy(database), 'primary');
    assert.deepEqual(unreadOf(replica), { behind: 1 });
    state.isBehind = false;
    assert.equal(await compared(), true);
  });

  test('does not go to a replica of another primary while its own does not answer', async (t) => {
    const { state, replica } = await followed(t, { history: 'one 0', maxLagMs: 1000 });
    state.primaryFails = true;
    const { comparisons } = state;
    while (state.comparisons < comparisons + 2) {
      await turn();
      assert.ok(!replica.isUsable());
    }
  });

  test('goes to the primary if it does not show its log, and the service logs why', async (t) => {
    const { state, replica, warnings } = await followed(t, { maxLagMs: 100 });
    state.primaryFails = true;
    while (replica.isUsable()) await turn();
    const reason = 'the primary does not show its position: permission denied for function pg_walfile_name';
    assert.deepEqual(warnings, [{ reason }]);
  });

  test('goes to the primary for what the replica does not have, and for nothing that a caller may not', async (t) => {
    const { database, replica } = await followed(t);
    const refused = (error: Error) => (from: Database) => {
      if (from === database) return Promise.resolve('primary');
      return Promise.reject(error);
    };
    for (const error of [new BehindError(), new ServiceError('not_found')])
      assert.equal(await readFromReplica(database, scope(null), refused(error)), 'primary');
    assert.deepEqual(unreadOf(replica), { missing: 2 });
    const forbidden = new ServiceError('scope_forbidden');
    await assert.rejects(readFromReplica(database, scope(null), refused(forbidden)), forbidden);
  });

  test('goes to the primary until the replica was compared with it, and always without a replica', async (t) => {
    const { database, replica, state } = await followed(t);
    state.fails = fault('ECONNREFUSED');
    const late = followReplica({
      primary: database,
      replica: fakeDatabase(() => {
        throw fault('ECONNREFUSED');
      }).database,
      logger,
      maxLagMs: MAX_LAG_MS,
    });
    t.after(() => late.close());
    await turn();
    assert.ok(!late.isUsable());
    assert.equal(await readBy({ ...database, replica: late }), 'primary');
    assert.deepEqual(unreadOf(late), { gone: 1 });
    const { replica: _, ...alone } = database;
    assert.equal(await readBy(alone), 'primary');
    assert.ok(replica.isUsable());
  });
});

describe('the position of a change', () => {
  /** What a lookup of a caller says that a replica must have replayed. */
  async function needed(token: string, teamId: string | null = null) {
    const lookup = { lookupId: null, teamId, address: '', windowMs: null, tokenHash: hashToken(token) };
    const found = await resolveCaller(service.database, lookup, service.config);
    assert.ok(typeof found === 'object');
    return found.identity.lastChange;
  }

  test('is noted after each command, and every lookup of the caller has the latest one', async () => {
    const company = await service.company();
    const { database } = service;
    const caller = { companyId: company.companyId, userId: company.ownerId };
    const notes: unknown[] = [];
    const noting = {
      ...database,
      replica: { noteChange: async (...noted: unknown[]) => notes.push(noted) },
    } as unknown as Database;
    const command = { lock: async () => {}, apply: async () => ({ result: 'done', audit: [] }) };
    assert.equal(await runCommand(noting, companyScope(caller), command), 'done');
    assert.deepEqual(notes, [[companyScope(caller), false]]);
    // A position of another server, from which the database was restored, goes away.
    await database.query(
      `insert into identity.caller_change (company_id, user_id, position) values ($1, $2, 'FFFF/0')`,
      [caller.companyId, caller.userId],
    );
    await database.query('select identity.note_change($1, $2)', [caller.companyId, caller.userId]);
    const noted = (await needed(company.token)) ?? '';
    assert.match(noted, /^[0-9A-F]+\/[0-9A-F]+$/);
    assert.equal(later(noted, 'FFFF/0'), 'FFFF/0');
    assert.notEqual(noted, 'FFFF/0');
  });

  test('is noted for all callers of a Team after a change that withdraws something from it', async (t) => {
    const company = await service.company();
    const { database } = service;
    const member = await addPerson(service, company, { teamRole: 'member' });
    const following = followReplica({
      primary: database,
      replica: fakeDatabase(() => []).database,
      logger,
      maxLagMs: MAX_LAG_MS,
    });
    t.after(() => following.close());
    const withReplica = { ...database, replica: following };
    const scope = ownerScope(company);
    const ofMember = () => needed(member.token, company.teamId);
    const subject = { subjectType: 'source', subjectId: newId(), clientId: null } as const;
    const run = (kind: 'memory.ingest' | 'memory.move') =>
      runCommand(withReplica, scope, {
        lock: async () => {},
        apply: async () => ({ result: kind, audit: [{ kind, ...subject }] }),
      });
    const before = await ofMember();
    await run('memory.ingest');
    assert.equal(await ofMember(), before);
    await run('memory.move');
    const after = await ofMember();
    assert.ok(after !== null && after !== before);
    await run('memory.ingest');
    assert.equal(await ofMember(), after);
    await run('memory.move');
    assert.equal(later((await ofMember()) ?? '', after), await ofMember());
    assert.notEqual(await ofMember(), after);
  });

  test('is not required if it is of another server, from which the database was restored', async () => {
    const company = await service.company();
    const { database } = service;
    const { companyId, ownerId, teamId } = company;
    for (const [table, column, id] of [
      ['caller_change', 'user_id', ownerId],
      ['team_withdrawal', 'team_id', teamId],
    ]) {
      await database.query(
        `insert into identity.${table} (company_id, ${column}, position) values ($1, $2, 'FFFF/0')`,
        [companyId, id],
      );
      assert.equal(await needed(company.token, teamId), null, table);
      await database.query(`update identity.${table} set position = '0/1' where ${column} = $1`, [id]);
      assert.equal(await needed(company.token, teamId), '0/1', table);
      await database.query(`delete from identity.${table} where ${column} = $1`, [id]);
    }
  });

  test('is never reached on a server that is no replica', async () => {
    await assert.rejects(service.database.query(`select identity.require_replayed('0/0')`), {
      code: 'RB001',
    });
  });
});
