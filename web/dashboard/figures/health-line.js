import { byId, element, mark, put } from '../element.js';
import { counted, showMoment } from '../words.js';

let before = null;

/** The worst problem: a state for the colour, a line that is read out, and a hint about the consequences. */
function judge({ health: { ok, database, queue, worker }, imports, workers, embedder }) {
  if (!database) return ['bad', 'The database does not answer.', ''];
  if (!queue) return ['bad', 'The queue does not answer: imports wait.', ''];
  if (!worker) {
    const waiting = imports.queued + imports.running;
    const what =
      waiting === 0
        ? 'None of this Team waits yet.'
        : `${counted(waiting, 'import of this Team waits', 'imports of this Team wait')}.`;
    return [
      'bad',
      'No worker is running: imports wait.',
      `${what} Nothing is lost: imports continue when a worker is started.`,
    ];
  }
  if (!ok) return ['bad', 'The service reports a problem.', ''];
  const many = workers.length > 1;
  const running = many ? `${counted(workers.length, 'worker')} are running.` : 'A worker is running.';
  const { problem } = embedder;
  return [
    'good',
    running,
    problem === undefined ? '' : `${problem}. Until this is solved, searches use only keywords.`,
  ];
}

/**
 * Shows the state of the service, and announces changes to screen readers.
 * @returns the state in a few words, for the title
 */
export function drawHealth(status) {
  const [state, text, more] = judge(status);
  mark(byId('health'), 'data-state', state);
  put(byId('health-line'), text);
  put(byId('health-hint'), more);
  showMoment(byId('updated'), Date.now());
  endSilence();
  const { queued, running, failed } = status.imports;
  showNews({ failed, open: queued + running });
  const faults = [state === 'bad' ? 'Fault' : '', failed > 0 ? `${failed} failed` : ''].filter(Boolean);
  return faults.join(', ') || 'All well';
}

function showNews(now) {
  if (before !== null) {
    const more = now.failed - before.failed;
    const words = [
      ...(more > 0 ? [more === 1 ? 'An import has failed.' : `${more} more imports have failed.`] : []),
      ...(before.open > 0 && now.open === 0 ? ['No import is waiting or running now.'] : []),
    ];
    if (words.length > 0) byId('news').textContent = words.join(' ');
  }
  before = now;
}

/** Shows since when there are no new figures, and that the last ones are still shown. Changes once, not per attempt. */
export function drawSilence({ status }, since, next) {
  const kind = status === 429 ? `held ${next}` : `${status === 0 ? 'silent' : 'failing'} ${since}`;
  byId('figures').classList.add('stale');
  const silence = byId('silence');
  if (silence.dataset.kind === kind) return;
  silence.dataset.kind = kind;
  const time = element('time');
  showMoment(time, status === 429 ? next : since);
  silence.replaceChildren(...describe(status, time));
}

function describe(status, time) {
  if (status === 429)
    return ['Too many requests: the service asks to wait. The next figures come at ', time, '.'];
  const what = status === 0 ? 'No answer since ' : `No figures since `;
  const why = status === 0 ? '' : status === 503 ? ': the service is busy' : ': the service failed';
  return [what, time, `${why}. The figures below are from before. The page keeps trying.`];
}

function endSilence() {
  byId('figures').classList.remove('stale');
  const silence = byId('silence');
  if (silence.dataset.kind === undefined) return;
  delete silence.dataset.kind;
  silence.replaceChildren();
}

/** Forgets what was shown of another Team. */
export function clearHealth() {
  before = null;
}
