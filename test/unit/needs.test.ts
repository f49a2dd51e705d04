import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { QueueStatus, Status } from '../../shared/schemas/status.ts';
import { needsOf } from '../../web/src/pages/status/needs.ts';

const queue = (name: string, oldestReadyAgeSeconds: number | null, failed: number): QueueStatus => ({
  queue: name,
  ready: 1,
  deferred: 0,
  active: 0,
  failed,
  completedPerMinute: 0,
  oldestReadyAgeSeconds,
  history: [{ at: '2026-01-01T00:00:00.000Z', ready: 1, active: 0, completed: 0, failed }],
});

/** What the page says needs somebody, of a service that is well except for this. */
function needs(changes: Partial<Status>): string[] {
  const fine = {
    health: { ok: true, database: true, queue: true, worker: true },
    imports: { queued: 0, running: 0, completed: 3, failed: 0, recentFailures: [] },
    jobs: [queue('import.process', 300, 3)],
    embedder: { mode: 'server', model: 'm', dim: 1, serverModeEnabled: true },
    usage: { sources: 1, chunks: 5, files: 0, bytes: 10 },
    quota: { chunks: 6, bytes: null },
  } as unknown as Status;
  return needsOf({ ...fine, ...changes }).map(({ text }) => text);
}

describe('what needs somebody on the page of jobs', () => {
  test('is nothing as long as no figure is beyond the limit of its alert', () => {
    assert.deepEqual(needs({}), []);
  });

  test('is a job that waits for over five minutes, except where jobs can wait, and more than three failures', () => {
    const jobs = [queue('file.index', 301, 0), queue('embed.chunks', 9000, 0), queue('audit.seal', null, 4)];
    assert.deepEqual(needs({ jobs }), [
      'Index workspace files: a job waits for 5 minutes.',
      'Seal the audit: 4 jobs failed in the last hour.',
    ]);
  });

  test('is a quota that is used up, and failed imports, behind what is worse', () => {
    const changes = {
      health: { ok: false, database: true, queue: true, worker: false },
      imports: { queued: 1, running: 0, completed: 0, failed: 1, recentFailures: [] },
      quota: { chunks: 5, bytes: null },
    };
    assert.deepEqual(needs(changes), [
      'No worker is running.',
      'The Team has used all of its quota.',
      '1 import failed.',
    ]);
  });
});
