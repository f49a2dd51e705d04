import { askService } from '../shared/ask-service.js';
import { setClock } from './clock.js';
import { byId } from './element.js';
import { clearFigures, drawFigures } from './figures/figures.js';
import { clearHealth, drawHealth, drawSilence } from './figures/health-line.js';
import { clearQueues, drawQueues } from './figures/queues.js';
import { clearWorkers, drawWorkers } from './figures/workers.js';
import { openFailed, readFailed } from './imports/failed-imports.js';
import { clearRunning, drawRunning, RUNNING_SHOWN } from './imports/running-imports.js';
import { startPolling } from './polling.js';

/** A Team may be archived, or an access changed, while the page is open. */
const SESSION_EVERY_MS = 60_000;

/**
 * Shows a Team, and keeps what is shown up to date until it is closed.
 * @param watched.token of the session
 * @param watched.user who looks
 * @param watched.team as the session tells of it
 * @param on.session hears of the session, read again; gives the Team as it is now, or null where it is gone
 * @param on.ended hears of an answer by which there is nothing more to see
 * @returns `close`
 */
export function openBoard({ token, user, team: first }, on) {
  let team = first;
  let answeredAt = Date.now();
  let sessionAt = performance.now();
  const ask = (method, path, options) => askService(method, path, { token, team: team.id, ...options });

  async function readSession(signal) {
    const reply = await askService('GET', 'v1/auth/session', { token, signal });
    if (reply.status !== 200 || signal.aborted) return reply;
    const now = on.session(reply.answer);
    if (now === null) return { status: 403 };
    sessionAt = performance.now();
    team = now;
    showState();
    return null;
  }

  /** One look: all that is shown, in the order of its weight. The first answer that will not do ends it. */
  async function look(signal) {
    if (performance.now() - sessionAt > SESSION_EVERY_MS) {
      const refused = await readSession(signal);
      if (refused !== null) return refused;
    }
    const reply = await ask('GET', 'v1/memory/status', { signal });
    if (reply.status !== 200 || signal.aborted) return reply;
    const status = reply.answer;
    setClock(reply.answeredAt);
    drawHealth(status, team.name);
    drawFigures(status);
    drawQueues(status.jobs);
    drawWorkers(status.workers, status.jobs.length > 0);
    return (await readRunning(status, signal)) ?? (await readFailed(status, signal)) ?? reply;
  }

  async function readRunning({ imports }, signal) {
    if (imports.running === 0) {
      drawRunning([], 0);
      return null;
    }
    const path = `v1/memory/imports?state=running&limit=${RUNNING_SHOWN}`;
    const reply = await ask('GET', path, { signal });
    if (signal.aborted || reply.status !== 200) return reply;
    drawRunning(reply.answer.items, imports.running);
    return null;
  }

  function showState() {
    byId('archived').hidden = team.state !== 'archived';
  }

  function decided({ status, answer }) {
    // Something is otherwise than the page believes: who the reader is, or what the Team is.
    if (status === 403 || answer?.code === 'team_archived') sessionAt = -Infinity;
    polling.now();
  }

  clearHealth();
  clearFigures();
  clearRunning();
  clearQueues();
  clearWorkers();
  openFailed({
    ask,
    mayDecide: ({ createdBy }) =>
      team.state === 'active' && (team.access === 'full' || createdBy === user.id),
    mayRetry: () => ({ some: team.state === 'active', all: team.access === 'full' }),
    decided,
  });
  showState();
  const polling = startPolling({
    look,
    answered: () => {
      answeredAt = Date.now();
    },
    unanswered: (reply, next) => drawSilence(reply, answeredAt, next),
    ended: on.ended,
  });
  return { close: () => polling.stop() };
}
