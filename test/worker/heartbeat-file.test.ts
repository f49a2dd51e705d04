import assert from 'node:assert/strict';
import { readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createLogger } from '../../shared/logger.ts';
import { checkHeartbeatFiles, heartbeatFile, startHeartbeat } from '../../worker/heartbeat.ts';
import { spawnSync } from '../support/needs/command.ts';
import { endProcesses, temporaryFolder } from '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';

after(endProcesses);

const logger = createLogger('silent', 'test');

const own = `team-memory-worker-${process.pid}`;

describe('the health of a worker', () => {
  test('is good while its heartbeats are fresh, and bad before the first and after it has stopped', async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, own), 'of an earlier process with the same id');
    const file = heartbeatFile(logger, folder);
    assert.equal(checkHeartbeatFiles(folder).isHealthy, false);
    file.beat();
    file.beat();
    assert.deepEqual(checkHeartbeatFiles(folder).isHealthy, true);
    const late = checkHeartbeatFiles(folder, Date.now() + 31_000);
    assert.equal(late.isHealthy, false);
    assert.match(
      late.text,
      new RegExp(`^no heartbeat for 30 seconds: the last was of process ${process.pid}, `),
    );
    file.remove();
    assert.deepEqual(readdirSync(folder), []);
  });

  test('ignores what ended processes and strangers have left, and follows no link', async () => {
    const folder = await temporaryFolder();
    for (const name of ['team-memory-worker-2147483646', 'team-memory-worker-x', 'team-memory-worker-']) {
      writeFileSync(join(folder, name), '');
    }
    assert.equal(checkHeartbeatFiles(folder).isHealthy, false);
    const warnings: string[] = [];
    const file = heartbeatFile(
      { warn: (_: unknown, text: string) => void warnings.push(text) } as never,
      folder,
    );
    symlinkSync(join(folder, 'target'), join(folder, own));
    file.beat();
    file.beat();
    assert.ok(!readdirSync(folder).includes('target'));
    assert.deepEqual(warnings, ['the health check of the worker fails: its file cannot be written']);
  });

  test('is told by a command with one line and its exit code, which needs no setting', async () => {
    const TMPDIR = await temporaryFolder();
    const healthy = () =>
      spawnSync(process.execPath, [join(ROOT, 'worker/healthy.ts')], { env: { TMPDIR }, encoding: 'utf8' });
    const bad = healthy();
    assert.deepEqual([bad.status, bad.stderr], [1, '']);
    assert.match(bad.stdout, /^no worker .*\n$/);
    heartbeatFile(logger, TMPDIR).beat();
    const good = healthy();
    assert.deepEqual([good.status, good.stderr], [0, '']);
    assert.match(good.stdout, /^healthy: .*\n$/);
    utimesSync(join(TMPDIR, own), 0, 0);
    assert.equal(healthy().status, 1);
  });

  test('becomes bad while the database or the queue does not answer', async () => {
    let beats = 0;
    let fault: Error | null = null;
    const answer = async () => {
      if (fault !== null) throw fault;
      return [];
    };
    const heartbeat = await startHeartbeat({
      database: { query: answer, transaction: answer } as never,
      queue: { check: async () => undefined },
      logger,
      id: 'a worker',
      queues: [],
      tally: { drain: () => [], restore: () => undefined } as never,
      embedder: () => null,
      childBytes: () => 0,
      recorded: () => {
        beats += 1;
      },
    });
    assert.equal(beats, 1);
    fault = new Error('the database is gone');
    heartbeat.beat();
    await heartbeat.stop();
    assert.equal(beats, 1);
  });
});
