import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Opening, Queryable } from '../../db/driver/database.ts';
import { refuseUnconfirmedChanges } from '../../db/replica/refuse-unconfirmed.ts';
import { createLogger } from '../../shared/logger.ts';

const LOOK_AFTER_MS = 5;

/** A database whose transactions end when a test lets them, beside another connection that tells its state. */
function service(t: { after(fn: () => unknown): void }) {
  const state = {
    obstacle: null as string | null,
    looks: 0,
    holds: null as Promise<void> | null,
    isBusy: false,
    isLookFailing: false,
  };
  const openings: (Opening | undefined)[] = [];
  const elsewhere: (Opening | undefined)[] = [];
  const database = {
    backend: 'postgres',
    query: async () => [],
    transaction: async <T>(fn: (tx: Queryable) => Promise<T>, opening?: Opening) => {
      openings.push(opening);
      await state.holds;
      return fn({ query: async () => [] });
    },
    connections: () => ({ max: 1, open: 1, idle: state.isBusy ? 0 : 1, waiting: 0 }),
    canWrite: () => true,
    close: async () => undefined,
  } as unknown as Database;
  const beside = {
    transaction: async <T>(fn: (tx: Queryable) => Promise<T>, opening?: Opening) => {
      elsewhere.push(opening);
      return fn({ query: async () => [] });
    },
    query: async () => {
      state.looks += 1;
      if (state.isLookFailing) throw new Error('timeout exceeded when trying to connect');
      return [{ obstacle: state.obstacle }];
    },
    close: async () => undefined,
  } as unknown as Database;
  const logger = createLogger('silent', 'test');
  const refusing = refuseUnconfirmedChanges({ database, beside, logger, lookAfterMs: LOOK_AFTER_MS });
  t.after(() => refusing.close());
  return { state, openings, elsewhere, database: refusing };
}

const until = async (met: () => boolean) => {
  while (!met()) await sleep(1);
};
const nothing = async () => undefined;

test('changes are refused from when one waits for a replica until they are confirmed again', async (t) => {
  const { state, openings, database } = service(t);
  await database.transaction(nothing, { text: 'set local role a' });
  assert.deepEqual([openings, database.canWrite()], [[{ text: 'set local role a' }], true]);

  const held = Promise.withResolvers<void>();
  state.holds = held.promise;
  const waiting = database.transaction(nothing);
  // A slow transaction alone is no reason.
  await until(() => state.looks > 1);
  assert.ok(database.canWrite());
  state.obstacle = 'no_synchronous_replica';
  await until(() => !database.canWrite());
  held.resolve();
  await waiting;

  openings.length = 0;
  await database.transaction(nothing);
  await database.transaction(nothing, { text: 'set local role a' });
  await database.query('select 1');
  const isReadOnly = true;
  assert.deepEqual(openings, [
    { text: '', isReadOnly },
    { text: 'set local role a', isReadOnly },
    { text: '', isReadOnly, isSentWithFirstRead: true },
  ]);

  // A look that fails tells nothing.
  state.isLookFailing = true;
  const looks = state.looks;
  await until(() => state.looks > looks + 1);
  assert.ok(!database.canWrite());
  state.isLookFailing = false;

  state.obstacle = null;
  await until(() => database.canWrite());
  openings.length = 0;
  await database.transaction(nothing);
  assert.deepEqual(openings, [undefined]);
});

test('what waits for a connection, or finds none, only reads by another one', {
  timeout: 10_000,
}, async (t) => {
  const { state, elsewhere, database } = service(t);
  const held = Promise.withResolvers<void>();
  Object.assign(state, { obstacle: 'no_synchronous_replica', holds: held.promise, isBusy: true });
  let runs = 0;
  const run = async () => {
    runs += 1;
    return runs;
  };
  const isReadOnly = true;
  assert.equal(await database.transaction(run, { text: 'set local role a' }), 1);
  assert.deepEqual(elsewhere, [{ text: 'set local role a', isReadOnly }]);
  assert.deepEqual([await database.query('select 1'), await database.transaction(run)], [[], 2]);
  assert.equal(elsewhere.length, 3);
  // What has waited gets its connection now, and must not run a second time.
  held.resolve();
  await sleep(1);
  assert.equal(runs, 2);
  state.isBusy = false;
  assert.equal(await database.transaction(run), 3);
  assert.equal(elsewhere.length, 3);
});
