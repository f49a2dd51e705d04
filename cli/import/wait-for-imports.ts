import { setTimeout as pause } from 'node:timers/promises';
import { IMPORT_STAGES, type Import } from '../../shared/schemas/imports.ts';
import { Status } from '../../shared/schemas/status.ts';
import { countedOf } from '../terminal/output.ts';
import { failure, type Run } from './run.ts';

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 1000;
/** Reading the state of many imports takes several requests, and the requests of a session are limited per minute. */
const PAUSE_MS_PER_IMPORT = 1.5;
const WORKER_CHECK_INTERVAL_MS = 5000;

export const NO_WORKER = 'no worker is running: files wait until one is started (npm run worker)';

/** The progress of an import, from 0 to 1. Every stage has the same weight. */
function shareDone({ progress }: Import): number {
  if (progress === null) return 0;
  return (IMPORT_STAGES.indexOf(progress.stage) + progress.percent / 100) / IMPORT_STAGES.length;
}

/** Records the results of the imports that have ended, and returns those that are running. */
function recordEnded({ open, outcomes }: Run, found: ReadonlyMap<string, Import>): Import[] {
  const running: Import[] = [];
  for (const [id, name] of open) {
    const item = found.get(id);
    if (item?.state === 'queued') continue;
    if (item?.state === 'running') {
      running.push(item);
      continue;
    }
    open.delete(id);
    if (item === undefined) outcomes.push({ name, state: 'failed', why: 'the import no longer exists' });
    else if (item.state === 'completed') {
      const { sameAs } = item;
      const [similarTo] = item.similarSources;
      const credentials = item.redactions?.length ?? 0;
      outcomes.push({
        name,
        state: 'imported',
        ...(sameAs !== undefined ? { sameAs } : similarTo !== undefined && { similarTo }),
        ...(credentials > 0 && { credentials }),
      });
    } else if (item.state === 'failed') outcomes.push({ name, state: 'failed', why: failure(item) });
    else outcomes.push({ name, state: 'failed', why: 'the import was cancelled' });
  }
  return running;
}

function show({ open, progress }: Run, total: number, running: readonly Import[]): void {
  const done = total - open.size;
  const under = running.reduce((sum, item) => sum + shareDone(item), 0);
  // Small files have no progress to show.
  const large = running.find((item) => shareDone(item) > 0);
  const now =
    large?.progress == null ? '' : `, ${large.filename}: ${large.progress.stage} ${large.progress.percent} %`;
  progress.show({
    label: 'reading',
    share: (done + under) / total,
    text: `${countedOf(done, total, 'file')}${now}`,
  });
}

/** Waits until every import of the run has ended, and shows the progress. */
export async function waitForImports(run: Run): Promise<void> {
  const { target, open, progress } = run;
  const total = open.size;
  if (total === 0) return;
  let wait = FIRST_PAUSE_MS;
  let workerCheckedAt = performance.now();
  for (;;) {
    const before = open.size;
    const running = recordEnded(run, await target.records.find(new Set(open.keys())));
    show(run, total, running);
    if (open.size === 0) return;
    if (open.size < before || running.length > 0) {
      progress.note(null);
    } else if (performance.now() - workerCheckedAt > WORKER_CHECK_INTERVAL_MS) {
      const { health } = await target.service.get('/v1/memory/status', Status);
      progress.note(health.worker ? null : NO_WORKER);
      workerCheckedAt = performance.now();
    }
    await pause(Math.max(wait, open.size * PAUSE_MS_PER_IMPORT));
    wait = Math.min(wait * 1.5, MAX_PAUSE_MS);
  }
}
