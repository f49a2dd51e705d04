import { askService } from '../shared/ask-service.js';
import { isHidden, startPolling } from '../shared/polling.js';
import { setClock } from './clock.js';
import { byId } from './element.js';
import { clearFigures, drawFigures } from './figures/figures.js';
import { clearHealth, drawHealth, drawSilence } from './figures/health-line.js';
import { drawQueues, openQueues } from './figures/queues.js';
import { clearWorkers, drawWorkers } from './figures/workers.js';
import { openFailed, readFailed } from './imports/failed-imports.js';
import { clearRunning, drawRunning, RUNNING_SHOWN } from './imports/running-imports.js';

/** The session is read again after this: a Team can be archived, or access can change, while the page is open. */
const SESSION_EVERY_MS = 60_000;

/**
 * Shows a Team, and keeps what is shown up to date until it is closed.
 * @param watched.token of the session
 * @param watched.user the signed-in user
 * @param watched.team the Team, from the session
 * @param on.title is called with what is shown, in a few words
 * @param on.session is called with the session when it was read again; returns the Team, or null without access to it
 * @param on.ended is called with an answer after which the Team cannot be shown any longer
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

  /**
   * Reads everything that is shown, the most important first. The first failed answer ends it.
   * @param pace is awaited before each further request
   */
  async function look(signal, pace) {
    if (sessionAt === -Infinity) {
      const refused = await readSession(signal);
      if (refused !== null) return refused;
      await pace();
    }
    const reply = await ask('GET', 'v1/memory/status', { signal });
    if (reply.status !== 200 || signal.aborted) return reply;
    const status = reply.answer;
    setClock(reply.answeredAt);
    on.title(drawHealth(status));
    drawFigures(status);
    drawQueues(status.jobs);
    drawWorkers(status.workers, status.jobs.length > 0);
    // Of a hidden page only the title is seen.
    if (isHidden()) return reply;
    for (const read of [readRunning, readFailed]) {
      const refused = await read(status, signal, pace);
      if (refused !== null || signal.aborted) return refused ?? reply;
    }
    if (performance.now() - sessionAt <= SESSION_EVERY_MS) return reply;
    await pace();
    return (await readSession(signal)) ?? reply;
  }

  async function readRunning({ imports }, signal, pace) {
    if (imports.running === 0) {
      drawRunning([], 0);
      return null;
    }
    await pace();
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
    // The page's data about the user or the Team is out of date, so the session is read again at once.
    if (status === 403 || answer?.code === 'team_archived') sessionAt = -Infinity;
    polling.now();
  }

  clearHealth();
  clearFigures();
  clearRunning();
  openQueues();
  clearWorkers();
  openFailed({
    ask,
    canDecide: ({ createdBy }) =>
      team.state === 'active' && (team.access === 'full' || createdBy === user.id),
    retryRights: () => ({ some: team.state === 'active', all: team.access === 'full' }),
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
