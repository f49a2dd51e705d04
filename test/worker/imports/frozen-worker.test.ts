import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Import } from '../../../shared/schemas/imports.ts';
import { databaseUrl } from '../../support/needs/database.ts';
import { endProcesses, type ServiceProcess, startMain } from '../../support/needs/process.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { childrenOf, until } from '../../support/process-table.ts';
import { importNow, importTexts, isOver, untilImport } from '../../support/running-imports.ts';
import { slowStoring, textOfChunks } from './slow-storing.ts';
import { assertStoredOnce } from './stored-once.ts';

after(endProcesses);

/** Reads "slow 3000" in three seconds, and as another text. A normal worker reads the file unchanged. */
const MISBEHAVING = 'test/worker/imports/misbehaving-service.ts';
const SLOW = 'slow 3000';

/** Stops or continues a process with all that it started, wherever it is. */
function signalGroup({ child }: ServiceProcess, signal: 'SIGSTOP' | 'SIGCONT'): void {
  assert.ok(child.pid);
  process.kill(-child.pid, signal);
}

async function endWell(worker: ServiceProcess): Promise<void> {
  worker.child.kill('SIGTERM');
  assert.equal(await worker.exited, 0, [...worker.stdout, ...worker.stderr].join('\n'));
}

const opened = databaseUrl === undefined ? null : await openOwnTestApp();
const slowed = opened === null ? null : await slowStoring(opened.database, 0);

describe('a worker that is frozen during an import, for longer than its heartbeat', {
  skip: databaseUrl === undefined,
}, () => {
  if (opened === null || slowed === null) return;
  const pace = slowed;
  const service = opened;
  const { database } = service;
  const env = { MEMORY_DATABASE_URL: service.url ?? '' };
  const all: string[] = [];

  /** How many chunks are there of sources that no one sees yet. */
  async function chunksAhead(): Promise<number> {
    const [row] = await database.query<{ n: number }>(
      `select count(*)::int as n from memory.source s join memory.chunk c on c.team_id = s.team_id and c.source_id = s.id
        where s.state = 'loading'`,
    );
    return row?.n ?? 0;
  }

  /** Another takes over what a frozen one had under way and completes it; then the frozen one goes on. */
  async function freezeAndTakeOver(
    signal: AbortSignal,
    text: string,
    underWay: (worker: ServiceProcess, item: Import) => Promise<boolean>,
  ): Promise<void> {
    const company = await service.company();
    const frozen = startMain(MISBEHAVING, { env });
    await frozen.line(/"msg":"working"/);
    const [id = ''] = await importTexts(company, [text]);
    all.push(id);
    await until(signal, async () => underWay(frozen, await importNow(company, id)));
    signalGroup(frozen, 'SIGSTOP');
    // As if it had been silent for long.
    await database.query(
      `update pgboss.job set heartbeat_on = heartbeat_on - interval '1 hour'
        where name = 'import.process' and state = 'active'`,
    );
    await pace.set(0);
    const other = startMain('worker/main.ts', { env });
    const completed = await untilImport(company, id, signal, isOver);
    assert.deepEqual([completed.state, completed.attempts], ['completed', 2]);
    await assertStored(id);

    signalGroup(frozen, 'SIGCONT');
    await frozen.line(new RegExp('"queue":"import.process".*(taken over|job failed)'));
    assert.deepEqual(await importNow(company, id), completed, 'not a word of it is written over');
    await assertStored(id);
    await assertStoredOnce(database, all);
    await Promise.all([endWell(frozen), endWell(other)]);
  }

  /** What the import points at is there, whole, and seen. */
  async function assertStored(id: string): Promise<void> {
    const sources = await database.query<{ state: string }>(
      `select s.state from memory.import i join memory.source s on s.team_id = i.team_id and s.id = i.source_id
        where i.id = $1`,
      [id],
    );
    assert.deepEqual(sources, [{ state: 'active' }]);
  }

  test('writes nothing afterwards if it was frozen before it stored anything', async (t) => {
    await freezeAndTakeOver(
      t.signal,
      SLOW,
      async ({ child }, { state }) => state === 'running' && childrenOf(child.pid ?? 0).length > 0,
    );
  });

  test('leaves none of its chunks visible or stored if it was frozen while it stored them', async (t) => {
    await pace.set(1);
    await freezeAndTakeOver(t.signal, textOfChunks(700), async () => (await chunksAhead()) > 0);
  });
});
