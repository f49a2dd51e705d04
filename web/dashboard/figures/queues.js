import { byId, element, put } from '../element.js';
import { cell, syncRows } from '../imports/rows.js';
import { count, duration, rate } from '../words.js';
import { makeFigure, makePlot } from './plot.js';
import { QUEUE_LABELS } from './queue-labels.js';

/** The queue with large plots. */
const IMPORTS = 'import.process';

/** The large plots of the page that is shown. */
let depth = null;
let throughput = null;

/** Makes the large plots of a page. */
export function openQueues() {
  depth = makeFigure({
    label: 'Files waiting to be read',
    lines: [
      { name: 'Waiting', of: ({ ready }) => ready },
      { name: 'Being read', of: ({ active }) => active },
    ],
  });
  throughput = makeFigure({
    label: 'Files read a minute',
    lines: [
      { name: 'Done', of: ({ completed }) => completed },
      { name: 'Given up', of: ({ failed }) => failed },
    ],
    ended: true,
  });
  byId('plots').append(depth.node, throughput.node);
  drawQueues([]);
  byId('jobs-none').hidden = true;
}

/** Shows the queues. The list is empty if the user does not have Full access. */
export function drawQueues(jobs) {
  byId('jobs-none').hidden = jobs.length > 0;
  for (const id of ['jobs', 'plots']) byId(id).hidden = jobs.length === 0;
  const order = Object.keys(QUEUE_LABELS);
  const placeOf = ({ queue }) => order.indexOf(queue) + 1 || order.length + 1;
  const sorted = jobs.toSorted((one, other) => placeOf(one) - placeOf(other));
  syncRows(byId('queue-rows'), sorted, { keyOf: ({ queue }) => queue, make: makeQueue });
  const history = jobs.find(({ queue }) => queue === IMPORTS)?.history ?? [];
  depth.draw(history);
  throughput.draw(history);
}

function makeQueue({ queue }) {
  const figures = ['ready', 'deferred', 'active', 'failed', 'done', 'oldest'].map(() => element('span'));
  const [ready, deferred, active, failed, done, oldest] = figures;
  const waiting = makePlot({
    label: `Ready in ${queue}, last hour`,
    lines: [{ name: 'Ready', of: (point) => point.ready }],
  });
  const finished = makePlot({
    label: `Done a minute in ${queue}, last hour`,
    lines: [{ name: 'Done', of: (point) => point.completed }],
    ended: true,
  });
  const task = QUEUE_LABELS[queue];
  const node = element(
    'tr',
    { role: 'row' },
    cell('th', 'Queue', '', element('code', {}, queue), ...(task ? [element('small', {}, task)] : [])),
    cell('td', 'Ready', 'number', ready),
    cell('td', 'Deferred', 'number', deferred),
    cell('td', 'Active', 'number', active),
    cell('td', 'Failed', 'number', failed),
    cell('td', 'Done a minute', 'number', done),
    cell('td', 'Oldest waits', '', oldest),
    cell('td', 'Ready, last hour', 'spark', waiting.node),
    cell('td', 'Done, last hour', 'spark', finished.node),
  );
  const update = (now) => {
    put(ready, count(now.ready));
    put(deferred, count(now.deferred));
    put(active, count(now.active));
    put(failed, count(now.failed));
    failed.classList.toggle('bad', now.failed > 0);
    put(done, rate(now.completedPerMinute));
    put(oldest, now.oldestReadyAgeSeconds === null ? '–' : duration(now.oldestReadyAgeSeconds));
    const { last } = waiting.draw(now.history);
    finished.draw(now.history);
    node.classList.toggle('unplotted', last === undefined);
  };
  return { node, update };
}
