import { byId, element, mark, put } from '../element.js';
import { counted, showMoment } from '../words.js';

const [health, line, hint, silence, updated, news] = [
  'health',
  'health-line',
  'health-hint',
  'silence',
  'updated',
  'news',
].map(byId);

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

/** Shows the state of the service, and announces changes to screen readers. */
export function drawHealth(status, teamName) {
  const [state, text, more] = judge(status);
  mark(health, 'data-state', state);
  put(line, text);
  put(hint, more);
  showMoment(updated, Date.now());
  endSilence();
  const { queued, running, failed } = status.imports;
  document.title = `${[state === 'bad' ? 'Fault' : '', failed > 0 ? `${failed} failed` : ''].filter(Boolean).join(', ') || 'All well'} · ${teamName}`;
  showNews({ failed, open: queued + running });
}

function showNews(now) {
  if (before !== null) {
    const more = now.failed - before.failed;
    const words = [
      ...(more > 0 ? [more === 1 ? 'An import has failed.' : `${more} more imports have failed.`] : []),
      ...(before.open > 0 && now.open === 0 ? ['No import is waiting or running now.'] : []),
    ];
    if (words.length > 0) news.textContent = words.join(' ');
  }
  before = now;
}

/** Shows since when there are no new figures, and that the last ones are still shown. Changes once, not per attempt. */
export function drawSilence({ status }, since, next) {
  const kind = status === 429 ? `held ${next}` : `${status === 0 ? 'silent' : 'failing'} ${since}`;
  byId('board').classList.add('stale');
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
  byId('board').classList.remove('stale');
  if (silence.dataset.kind === undefined) return;
  delete silence.dataset.kind;
  silence.replaceChildren();
}

/** Clears the line before another Team is shown. */
export function clearHealth() {
  before = null;
  mark(health, 'data-state', 'unknown');
  for (const node of [line, hint, news]) put(node, '');
  put(updated, '…');
  updated.removeAttribute('datetime');
  endSilence();
}
