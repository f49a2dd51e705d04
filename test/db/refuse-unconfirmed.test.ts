import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Opening, Queryable } from '../../db/driver/database.ts';
import { refuseUnconfirmedChanges } from '../../db/replica/refuse-unconfirmed.ts';
import { createLogger } from '../../shared/logger.ts';

const LOOK_AFTER_MS = 5;

/** A database whose transactions end when a test lets them, beside another connection that tells its state. */
function service(t: { after(fn: () => unknown): void }) {
  const state = { obstacle: null as string | null, looks: 0, holds: null as Promise<void> | null };
  const openings: (string | undefined)[] = [];
  const database = {
    backend: 'postgres',
    query: async () => [],
    transaction: async <T>(fn: (tx: Queryable) => Promise<T>, opening?: Opening) => {
      openings.push(opening?.text);
      await state.holds;
      return fn({ query: async () => [] });
    },
    canWrite: () => true,
    close: async () => undefined,
  } as unknown as Database;
  const watched = {
    query: async () => {
      state.looks += 1;
      return [{ obstacle: state.obstacle }];
    },
    close: async () => undefined,
  } as unknown as Database;
  const logger = createLogger('silent', 'test');
  const refusing = refuseUnconfirmedChanges({ database, watched, logger, lookAfterMs: LOOK_AFTER_MS });
  t.after(() => refusing.close());
  return { state, openings, database: refusing };
}

const until = async (met: () => boolean) => {
  while (!met()) await sleep(1);
};
const nothing = async () => undefined;

test('changes are refused from when one waits for a replica until they are confirmed again', async (t) => {
  const { state, openings, database } = service(t);
  await database.transaction(nothing, { text: 'set local role a' });
  assert.deepEqual([openings, database.canWrite()], [['set local role a'], true]);

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
  const readOnly = 'set transaction read only';
  assert.deepEqual(openings, [readOnly, `${readOnly}; set local role a`, readOnly]);

  state.obstacle = null;
  await until(() => database.canWrite());
  openings.length = 0;
  await database.transaction(nothing);
  assert.deepEqual(openings, [undefined]);
});

test('the state is looked up once at a time, however many changes wait', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { state, database } = service(t);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1) {
      t.mock.timers.tick(1);
      await settled();
    }
  };
  const held = Promise.withResolvers<void>();
  state.holds = held.promise;
  state.obstacle = 'no_synchronous_replica';
  const waiting: Promise<void>[] = [];
  for (let begun = 0; begun < LOOK_AFTER_MS - 1; begun += 1) {
    waiting.push(database.transaction(nothing));
    await pass(1);
  }
  await pass(2 * LOOK_AFTER_MS);
  assert.ok(!database.canWrite());
  held.resolve();
  await Promise.all(waiting);
  const before = state.looks;
  await pass(3 * LOOK_AFTER_MS);
  assert.equal(state.looks - before, 3);
});

test('the state is not looked up while transactions are short', async (t) => {
  const { state, database } = service(t);
  for (let times = 0; times < 20; times += 1) {
    await database.transaction(nothing);
    await database.query('select 1');
  }
  await sleep(4 * LOOK_AFTER_MS);
  assert.equal(state.looks, 0);
});
