import { labelOf } from '../../../../shared/queue-labels.ts';
import type { Status } from '../../../../shared/schemas/status.ts';

/*
 * What needs somebody. The limits are those of the alerts in docs/operations/monitoring/alerts.yml, as far as the status of
 * a Team has their figures.
 */

const count = (n: number, one: string) => `${n.toLocaleString('en')} ${n === 1 ? one : `${one}s`}`;

interface Need {
  isBad: boolean;
  text: string;
  /** What it means, and what to do. */
  hint: string;
  /** The page where it is done. */
  to?: '/imports' | '/settings' | undefined;
}

/** TeamMemoryJobsWait: how long the oldest job of a queue can be ready. */
const WAITS_SECONDS = 300;
/** TeamMemoryJobsFail: how many jobs of a queue can fail in an hour. */
const FAILS_AN_HOUR = 3;
/** Queues whose jobs can wait for hours behind a long one of the same kind. */
const PATIENT: ReadonlySet<string> = new Set(['embed.chunks', 'graphs.build', 'terms.renew']);

/** What needs somebody, the worst first; empty if everything is fine. */
export function needsOf({ health, imports, embedder, jobs, usage, quota }: Status): Need[] {
  const needs: Need[] = [];
  const bad = (text: string, hint: string) => needs.push({ isBad: true, text, hint });
  const warn = (text: string, hint: string, to?: Need['to']) => needs.push({ isBad: false, text, hint, to });
  if (!health.database) {
    bad('The database does not answer.', 'Those who operate the service have to look.');
    return needs;
  }
  const waiting = imports.queued + imports.running;
  if (!health.worker) {
    const what = waiting === 0 ? 'new imports' : count(waiting, 'import');
    bad('No worker is running.', `Until one is started, ${what} will wait. Nothing is lost.`);
  } else if (!health.queue)
    bad('The queue does not move.', 'Jobs are ready, and none runs: restart the workers.');
  else if (!health.ok) bad('The service reports a problem.', 'Look at its log.');
  if (embedder.problem !== undefined)
    warn(`${embedder.problem}.`, 'Until this is solved, searches use only keywords.');
  for (const { queue, oldestReadyAgeSeconds, history } of jobs) {
    const failed = history.reduce((sum, point) => sum + point.failed, 0);
    const age = oldestReadyAgeSeconds ?? 0;
    const minutes = count(Math.round(age / 60), 'minute');
    const name = labelOf(queue);
    if (!PATIENT.has(queue) && age > WAITS_SECONDS)
      warn(`${name}: a job waits for ${minutes}.`, 'More workers, or a faster database, would help.');
    if (failed > FAILS_AN_HOUR)
      warn(`${name}: ${count(failed, 'job')} failed in the last hour.`, 'The log of the workers says why.');
  }
  const what = ['chunks', 'bytes'] as const;
  if (what.some((one) => (usage?.[one] ?? 0) >= (quota?.[one] ?? Number.POSITIVE_INFINITY)))
    warn('The Team has used all of its quota.', 'Nothing can be added.', '/settings');
  if (imports.failed > 0)
    warn(
      `${count(imports.failed, 'import')} failed.`,
      'Who imported them, or has Full access, can try again or delete them.',
      '/imports',
    );
  return needs;
}
