import { byId, element, put } from '../element.js';
import { cell, syncRows } from '../imports/rows.js';
import { ageOf, duration, showAge, size } from '../words.js';

/**
 * Shows the workers.
 * @param full whether the user has Full access; for others, the list is always empty
 */
export function drawWorkers(workers, full) {
  const none = full ? 'No worker is running.' : 'Workers are shown to those with Full access to the Team.';
  put(byId('workers-none'), workers.length === 0 ? none : '');
  byId('workers-table').hidden = workers.length === 0;
  syncRows(byId('worker-rows'), workers, { keyOf: ({ id }) => id, make: makeWorker });
}

/** Clears the workers before another Team is shown. */
export function clearWorkers() {
  drawWorkers([], false);
  put(byId('workers-none'), '–');
}

function makeWorker({ id, startedAt }) {
  const [age, memory, queues] = [element('span'), element('span'), element('span')];
  const seen = element('time');
  const node = element(
    'tr',
    { role: 'row' },
    cell('th', 'Worker', '', element('code', {}, id)),
    cell('td', 'Last heartbeat', '', seen),
    cell('td', 'Running for', '', age),
    cell('td', 'Memory', 'number', memory),
    cell('td', 'Queues', 'queues', queues),
  );
  const update = (now) => {
    showAge(seen, now.lastSeenAt);
    put(age, duration(ageOf(startedAt)));
    put(memory, size(now.rssBytes));
    put(queues, now.queues.join(', '));
  };
  return { node, update };
}
