import { byId, element, mark, named, put } from '../element.js';
import { counted, share } from '../words.js';
import { syncRows } from './rows.js';

/** The most running imports that are listed. */
export const RUNNING_SHOWN = 10;
/** The stages of a run, in order, by their names in `progress.stage`. */
const STAGES = { reading: 'Reading', cutting: 'Cutting into passages', storing: 'Storing' };

/**
 * Shows the running imports.
 * @param items the newest ones
 * @param total the number of all running imports
 */
export function drawRunning(items, total) {
  syncRows(byId('running'), items, { keyOf: ({ id }) => id, make: makeRun });
  const rest = total - items.length;
  put(byId('running-rest'), restOf(items.length, rest));
}

/** Clears the list before another Team is shown. */
export function clearRunning() {
  drawRunning([], 0);
  put(byId('running-rest'), '–');
}

function restOf(shown, rest) {
  if (shown === 0 && rest <= 0) return 'No import is running.';
  return rest > 0
    ? `${shown === 0 ? '' : 'And '}${counted(rest, shown === 0 ? 'import' : 'more import')}.`
    : '';
}

function makeRun({ id, filename }) {
  const bar = element('progress', { 'aria-labelledby': `run-${id}`, 'aria-describedby': `stage-${id}` });
  const stage = element('span', { id: `stage-${id}`, class: 'quiet' });
  const name = named(filename);
  name.id = `run-${id}`;
  return {
    node: element('li', {}, name, bar, stage),
    update: ({ progress }) => showProgress(bar, stage, progress),
  };
}

/** The bar shows the progress of the whole run, so that it never goes back. The text names the stage. */
function showProgress(bar, words, progress) {
  const names = Object.keys(STAGES);
  const place = names.indexOf(progress?.stage);
  mark(bar, 'max', names.length);
  mark(bar, 'value', place < 0 ? 0 : place + progress.percent / 100);
  put(
    words,
    place < 0
      ? 'Starting'
      : `${STAGES[progress.stage]}, ${share(progress.percent / 100)} · step ${place + 1} of ${names.length}`,
  );
}
