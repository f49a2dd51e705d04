import { byId, mark, put } from '../element.js';
import { count, counted, duration, rate, share } from '../words.js';
import { measureBacklog } from './backlog.js';

/** The figure of the status for each element, by the element's id. */
const PLACES = {
  'imports-queued': ({ imports }) => imports.queued,
  'imports-running': ({ imports }) => imports.running,
  'imports-completed': ({ imports }) => imports.completed,
  'imports-failed': ({ imports }) => imports.failed,
  'captures-staged': ({ captures }) => captures.staged,
  'captures-claimed': ({ captures }) => captures.claimed,
  'captures-completed': ({ captures }) => captures.completed,
  'memories-review': ({ memories }) => memories.review,
  'memories-published': ({ memories }) => memories.published,
};
const EMBEDDER = {
  server: 'The service makes them itself',
  'client-provided': 'Programs that call the API make them, while one is running',
};

const backlog = measureBacklog();

/** Shows the figures of a status. */
export function drawFigures(status) {
  for (const [id, of] of Object.entries(PLACES)) put(byId(id), count(of(status)));
  byId('imports-failed-tile').classList.toggle('bad', status.imports.failed > 0);
  drawBacklog(status.chunks);
  put(byId('embedder'), embedderLine(status));
  drawOutdated(status.terms.outdated);
}

/** Clears the figures before another Team is shown. */
export function clearFigures() {
  for (const id of [...Object.keys(PLACES), 'backlog-line', 'backlog-rate', 'backlog-left'])
    put(byId(id), '–');
  byId('imports-failed-tile').classList.remove('bad');
  put(byId('embedder'), '');
  drawOutdated(0);
  backlog.forget();
}

/** A line about who makes embeddings, the rate of the workers if known, and the problem if there is one. */
function embedderLine({ embedder: { mode, model, problem }, workers }) {
  const made = workers.reduce((sum, { embedder }) => sum + (embedder?.chunksPerMinute ?? 0), 0);
  return [
    `${EMBEDDER[mode] ?? mode}. Model: ${model}`,
    ...(made > 0 ? [`. All workers: ${rate(made)} a minute`] : []),
    ...(problem === undefined ? [] : [`. ${problem}`]),
  ].join('');
}

/** Passages whose words a job takes up again, because the rules or the title changed. */
function drawOutdated(outdated) {
  const line = `Words: ${counted(outdated, 'passage')} to index again. Until then, searches find their earlier words.`;
  put(byId('outdated'), outdated === 0 ? '' : line);
  byId('outdated').hidden = outdated === 0;
}

function drawBacklog({ total, embedded, pending }) {
  backlog.add({ at: performance.now(), done: embedded, pending });
  const [speed, left] = describeBacklog(pending, backlog.read());
  put(byId('backlog-line'), lineOf({ total, pending }));
  put(byId('backlog-rate'), speed);
  put(byId('backlog-left'), left);
  const bar = byId('embedded');
  mark(bar, 'value', total === 0 ? 0 : embedded / total);
  mark(bar, 'aria-valuetext', share(total === 0 ? 0 : embedded / total));
}

function lineOf({ total, pending }) {
  if (total === 0) return 'There are no passages yet.';
  if (pending === 0)
    return `${total === 1 ? 'The only passage has its' : `All ${count(total)} passages have an`} embedding.`;
  return `${count(pending)} of ${counted(total, 'passage')} ${pending === 1 ? 'waits' : 'wait'} for an embedding.`;
}

/** The rate and the time left, in words. */
function describeBacklog(pending, measured) {
  if (pending === 0) return ['–', 'nothing waits'];
  if (measured === null) return ['measuring', 'measuring'];
  const speed = `${rate(measured.done)} a minute`;
  if (measured.done === 0) return [speed, 'no progress'];
  if (measured.shrinks === 0) return [speed, 'unknown: new passages arrive as fast as they are processed'];
  return [speed, `about ${duration((pending / measured.shrinks) * 60)}`];
}
