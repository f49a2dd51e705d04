import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { EmbeddedDatabase } from '../../../db/driver/embedded.ts';
import { execFile } from '../../support/needs/command.ts';
import { databaseUrl } from '../../support/needs/database.ts';
import { openEmbedded } from '../../support/needs/own-database.ts';

const MIB = 2 ** 20;
/** Less than the 64 MiB of a service, for more checkpoints in less time. */
const CHECKPOINT_BYTES = 8 * MIB;
/** What a checkpoint leaves, what is written before the next one, and the two files of 16 MiB that these are in. */
const MOST = 64 * MIB + CHECKPOINT_BYTES + 2 * 16 * MIB;

/** The bytes of all files of the log. */
function logBytes(folder: string): number {
  const log = join(folder, 'postgres', 'pg_wal');
  return readdirSync(log).reduce((sum, name) => {
    const file = statSync(join(log, name), { throwIfNoEntry: false });
    return sum + (file?.isFile() === true ? file.size : 0);
  }, 0);
}

/** Where the log was written to, in bytes since the database was made. */
async function writtenBytes(database: EmbeddedDatabase): Promise<number> {
  const [row] = await database.query<{ bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
  );
  return row?.bytes ?? 0;
}

/** The file with PostgreSQL's `ControlFileData`. */
const controlFile = (folder: string) => readFileSync(join(folder, 'postgres', 'global', 'pg_control'));

/** Where the last checkpoint is in the log: `checkPoint`. */
const lastCheckpoint = (folder: string) => controlFile(folder).readBigUInt64LE(32);

/** The value of `state` after a checkpoint at the end, so that nothing of the log is read at the next start. */
const SHUT_DOWN = 1;

/** Each writes about 2 MiB to the log. */
const CHANGES = {
  insert: `insert into note (text) select repeat('i', 1900) from generate_series(1, 1000)`,
  update: `update note set text = repeat('u', 1900) where id in (select id from note order by id desc limit 1000)`,
  delete: 'delete from note where id in (select id from note order by id limit 900)',
};
const ROUNDS = 12;

describe('the log of the embedded database', { skip: databaseUrl !== undefined && 'PostgreSQL' }, () => {
  let folder: string;
  let database: EmbeddedDatabase;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'team-memory-log-'));
    database = await openEmbedded({ dataDir: folder, checkpointBytes: CHECKPOINT_BYTES });
    await database.query('create table note (id bigint generated always as identity primary key, text text)');
    await database.query('alter table note alter text set storage plain');
    await database.query('create role writer');
    await database.query('grant all on note to writer');
  });
  after(async () => {
    await database.close();
    assert.ok(logBytes(folder) <= MOST, 'after the end');
    assert.equal(controlFile(folder).readInt32LE(16), SHUT_DOWN);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Makes changes and looks at the files of the log while they are made. Returns how many checkpoints were made. */
  async function countCheckpoints(makeChanges: (changed: () => void) => Promise<void>): Promise<number> {
    let most = 0;
    const look = () => {
      most = Math.max(most, logBytes(folder));
      checkpoints.add(lastCheckpoint(folder));
    };
    const checkpoints = new Set<bigint>();
    look();
    const from = await writtenBytes(database);
    const timer = setInterval(look, 5);
    try {
      await makeChanges(() => {
        look();
        assert.ok(most <= MOST, `${most} bytes`);
      });
    } finally {
      clearInterval(timer);
    }
    look();
    const written = (await writtenBytes(database)) - from;
    assert.ok(written >= 4 * CHECKPOINT_BYTES, `only ${written} bytes were written`);
    return checkpoints.size - 1;
  }

  test('has a checkpoint each time when enough was written by a mixed load', async () => {
    const checkpoints = await countCheckpoints(async (changed) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await database.query(CHANGES.insert);
        await database.queueDatabase.executeSql(CHANGES.update);
        await database.transaction((tx) => tx.query(CHANGES.delete), { text: 'set local role writer' });
        await assert.rejects(database.transaction((tx) => tx.query(`${CHANGES.insert} returning 1 / 0`)));
        changed();
      }
    });
    assert.ok(checkpoints >= 4, `${checkpoints} checkpoints`);
  });

  test('has checkpoints in a long transaction, which goes on with its role and can be rolled back', async () => {
    const rows = () => database.query('select count(*) as n, max(id) as last from note');
    const before = await rows();
    const checkpoints = await countCheckpoints(async (changed) => {
      const long = database.transaction(
        async (tx) => {
          await tx.query('declare notes cursor for select text from note');
          for (let round = 0; round < 2 * ROUNDS; round += 1) {
            await tx.query(CHANGES.insert);
            await tx.query(CHANGES.delete);
            changed();
          }
          assert.deepEqual(await tx.query('select current_user as role'), [{ role: 'writer' }]);
          assert.equal((await tx.query('fetch 1 from notes')).length, 1);
          await tx.query('select 1 / 0');
        },
        { text: 'set local role writer' },
      );
      await assert.rejects(long, { code: '22012' });
    });
    assert.ok(checkpoints >= 4, `${checkpoints} checkpoints`);
    assert.deepEqual(await rows(), before);
  });

  test('is short after the start that follows kill -9, also if it was long', async () => {
    const killed = await mkdtemp(join(tmpdir(), 'team-memory-log-'));
    const args = [join(import.meta.dirname, 'killed-log.ts'), killed];
    const ended = await new Promise<{ signal: unknown; stdout: string }>((resolve) => {
      execFile(process.execPath, args, (error, stdout) => resolve({ signal: error?.signal, stdout }));
    });
    assert.equal(ended.signal, 'SIGKILL');
    const long = logBytes(killed);
    assert.ok(long > MOST, `${long} bytes`);
    const reopened = await openEmbedded({ dataDir: killed });
    try {
      assert.ok(logBytes(killed) <= MOST, `${logBytes(killed)} bytes`);
      assert.deepEqual(await reopened.query('select count(*) as n from note'), [{ n: Number(ended.stdout) }]);
    } finally {
      await reopened.close();
      await rm(killed, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
