import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { transaction } from '../../../db/driver/database.ts';
import { recordProgress } from '../../../db/queries/imports.ts';
import { createLogger } from '../../../shared/logger.ts';
import { IMPORT_STAGES, type Import } from '../../../shared/schemas/imports.ts';
import { jobScope } from '../../../shared/scope.ts';
import { type RunningWorker, startWorker } from '../../../worker/worker.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { importTexts, isOver, MISBEHAVE, untilImport } from '../../support/running-imports.ts';
import { slowStoring, textOfChunks } from './slow-storing.ts';

/** A database of its own: another worker would read the files unchanged. */
const service = await openOwnTestApp();
const { database } = service;

/** What an import tells while it runs, each state of it once. */
async function watch(signal: AbortSignal, text: string): Promise<{ seen: Import[]; end: Import }> {
  const company = await service.company();
  const [id] = await importTexts(company, [text]);
  const seen: Import[] = [];
  const end = await untilImport(company, id, signal, (item) => {
    const last = seen.at(-1);
    const same = item.state === last?.state && item.progress?.percent === last.progress?.percent;
    if (!same || item.progress?.stage !== last.progress?.stage) seen.push(item);
    return isOver(item);
  });
  return { seen, end };
}

/** How far a run is, as one number that must never fall. */
function far({ progress }: Import): number {
  assert.ok(progress);
  return IMPORT_STAGES.indexOf(progress.stage) * 1000 + progress.percent;
}

function percentsRead(seen: readonly Import[]): number[] {
  return seen.flatMap(({ progress }) => (progress?.stage === 'reading' ? [progress.percent] : []));
}

function assertForwards(seen: readonly Import[]): void {
  const steps = seen.filter(({ state }) => state === 'running').map(far);
  const sorted = steps.toSorted((a, b) => a - b);
  assert.deepEqual(steps, sorted);
}

describe('the progress of an import', () => {
  let worker: RunningWorker;
  before(async () => {
    worker = await startWorker(
      { ...service, logger: createLogger('silent', 'test') },
      { reading: MISBEHAVE },
    );
  });
  after(() => worker.stop());

  test('shows the stage and the share while it runs, and is null when it has ended', async (t) => {
    const { seen, end } = await watch(t.signal, 'tell 700 0.1 0.25 0.4 0.55 0.9');
    assert.deepEqual([end.state, end.progress], ['completed', null]);
    assertForwards(seen);
    const told = seen.map(({ progress }) => progress?.percent);
    assert.ok(told.includes(25) || told.includes(40) || told.includes(55), String(told));
  });

  test('never goes back and stays within 0 and 100, whatever the reader of the format reports', async (t) => {
    const told = ['-3', 'NaN', '0.6', '0.2', '7'].map((share) => ` ${share}`.repeat(6));
    const { seen, end } = await watch(t.signal, `tell 300${told.join('')}`);
    assert.equal(end.state, 'completed');
    assertForwards(seen);
    assert.deepEqual(percentsRead(seen), [0, 60, 100]);
  });

  test('shows how much is stored while storing takes long', async (t) => {
    await slowStoring(database, 0.3);
    const { seen, end } = await watch(t.signal, textOfChunks(900));
    assert.equal(end.state, 'completed');
    assertForwards(seen);
    const stored = seen.filter(({ progress }) => progress?.stage === 'storing');
    assert.ok(stored.length > 1, JSON.stringify(seen.map(({ progress }) => progress)));
  });
});

test('is not recorded from a run that another worker has taken over', async () => {
  const company = await service.company();
  const [id = ''] = await importTexts(company, ['waiting']);
  const { companyId, teamId, ownerId: userId } = company;
  const scope = jobScope({ companyId, teamId, userId, layerId: teamId });
  await database.query(
    `update memory.import set state = 'running', attempts = 2, progress_stage = 'reading', progress_percent = 7
      where id = $1`,
    [id],
  );
  const told = async (attempt: number) => {
    await transaction(database, scope, (tx) =>
      recordProgress(tx, id, { stage: 'storing', percent: 90, attempt }),
    );
    const [row] = await database.query<{ stage: string; percent: number }>(
      'select progress_stage as stage, progress_percent as percent from memory.import where id = $1',
      [id],
    );
    return [row?.stage, row?.percent];
  };
  assert.deepEqual(await told(1), ['reading', 7]);
  assert.deepEqual(await told(2), ['storing', 90]);
  await database.query(
    `update memory.import set state = 'queued', progress_stage = null, progress_percent = null where id = $1`,
    [id],
  );
  assert.deepEqual(await told(2), [null, null]);
});
