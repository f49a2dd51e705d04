import { describeFailure } from '../../shared/ask-service.js';
import { byId, element, named, put } from '../element.js';
import { ageOf, count, counted, duration, showAge, size } from '../words.js';
import { confirmForget, openForgetDialog } from './forget-dialog.js';
import { cell, syncRows } from './rows.js';

const FIRST_SHOWN = 20;
const SHOWN_MORE = 100;
/** The largest page size of the service. */
const PAGE = 200;
/** The list is read when its count or its newest entries change, and otherwise this often. */
const READ_EVERY_MS = 30_000;

/** The elements of the page that is shown. */
let [heading, rows, outcome, more, retryAll] = [];

/** The list that is shown, with the user's permissions and the items that were read. */
let list = null;

/**
 * Opens the list of a Team's failed imports.
 * @param context.ask sends a request about the Team
 * @param context.canDecide returns whether the user can retry and forget an import
 * @param context.retryRights returns whether the user can retry some imports, and whether they can retry all
 * @param context.decided is called with the answer after an action
 */
export function openFailed(context) {
  list = { ...context, items: [], total: 0, wanted: FIRST_SHOWN, sign: null, readAt: -Infinity };
  [heading, rows, outcome, more, retryAll] = [
    'failed-heading',
    'failed-rows',
    'outcome',
    'more',
    'retry-all',
  ].map(byId);
  rows.addEventListener('click', decideOne);
  retryAll.addEventListener('click', decideAll);
  more.addEventListener('click', showMore);
  openForgetDialog();
  draw();
  put(byId('failed-none'), '–');
}

/**
 * Reads the list again if it may have changed, and shows it.
 * @param pace is awaited before each request
 * @returns the answer, if the list could not be read
 */
export async function readFailed({ imports }, signal, pace) {
  const mine = list;
  const { failed, recentFailures } = imports;
  const sign = JSON.stringify([failed, ...recentFailures.map(({ id, updatedAt }) => [id, updatedAt])]);
  if (sign !== mine.sign || performance.now() - mine.readAt > READ_EVERY_MS) {
    const items = [];
    let cursor = null;
    while (failed > 0 && items.length < mine.wanted) {
      const limit = Math.min(PAGE, mine.wanted - items.length);
      const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      await pace();
      if (list !== mine) return null;
      const reply = await mine.ask('GET', `v1/memory/imports?state=failed&limit=${limit}${after}`, {
        signal,
      });
      if (list !== mine) return null;
      if (reply.status !== 200) return reply;
      items.push(...reply.answer.items);
      cursor = reply.answer.nextCursor;
      if (cursor === null) break;
    }
    Object.assign(mine, { items, total: failed, sign, readAt: performance.now() });
  }
  draw();
  return null;
}

function draw() {
  const { items, total, retryRights } = list;
  byId('failed-table').hidden = items.length === 0;
  syncRows(rows, items, { keyOf: ({ id }) => id, make: makeRow, focus: moveFocus });
  put(byId('failed-none'), items.length === 0 ? 'No import has failed.' : '');
  const rest = Math.max(0, total - items.length);
  put(
    byId('failed-shown'),
    rest > 0 ? `${count(items.length)} of ${count(total)} are shown, the newest first.` : '',
  );
  hide(more, rest === 0, list.resume ?? heading);
  const { some, all } = retryRights();
  put(retryAll, all ? 'Retry all' : 'Retry all of mine');
  // One of the imports that are not shown can be the user's own.
  const any = rest > 0 || items.some((item) => item.payloadPrunedAt === null && list.canDecide(item));
  hide(retryAll, !some || !any, heading);
}

/** Hides a button. If it had the focus, moves the focus. */
function hide(button, hidden, next) {
  if (hidden && document.activeElement === button) next.focus();
  button.hidden = hidden;
}

/** Moves the focus from a removed row to its neighbour: to the row and not its buttons, so that a key does nothing. */
function moveFocus(neighbour) {
  (neighbour?.querySelector('th') ?? heading).focus();
}

function makeRow({ id, filename, mediaType, bytes }) {
  const [message, attempts, file] = [element('span'), element('span'), element('span')];
  const code = element('code');
  const failedAt = element('time');
  const head = cell('th', 'File', '', named(filename), element('small', {}, `${mediaType}, ${size(bytes)}`));
  head.tabIndex = -1;
  const [retry, forget] = ['Retry', 'Forget'].map((words) =>
    element(
      'button',
      { type: 'button', class: 'small', 'data-decision': words.toLowerCase(), 'data-import': id },
      words,
      element('span', { class: 'unseen' }, ' ', named(filename)),
    ),
  );
  const nothing = element('span', { class: 'quiet' }, 'Only for its author, or with Full access');
  const node = element(
    'tr',
    { role: 'row' },
    head,
    cell('td', 'Reason', 'reason', message, ' ', code),
    cell('td', 'Attempts', 'number', attempts),
    cell('td', 'Failed', '', failedAt),
    cell('td', 'File kept', '', file),
    cell('td', '', 'decisions', retry, forget, nothing),
  );
  const update = (item) => {
    put(message, item.error?.message ?? 'No reason is known.');
    put(code, item.error?.code ?? '');
    put(attempts, count(item.attempts));
    showAge(failedAt, item.updatedAt);
    const gone = item.payloadPrunedAt;
    put(file, gone === null ? 'Yes' : `No, deleted ${duration(ageOf(gone))} ago: import it again`);
    const canDecide = list.canDecide(item);
    retry.hidden = !canDecide || gone !== null;
    forget.hidden = !canDecide;
    nothing.hidden = canDecide || !list.retryRights().some;
  };
  return { node, update };
}

/** Performs the action of a button, and shows the outcome. The button keeps the focus in the meantime. */
async function decide(button, { ask, subject, done, not }) {
  const mine = list;
  if (button.hasAttribute('aria-busy')) return;
  button.setAttribute('aria-busy', 'true');
  outcome.replaceChildren();
  const reply = await ask();
  button.removeAttribute('aria-busy');
  if (list !== mine) return;
  const worked = reply.status === 202 || reply.status === 204;
  outcome.replaceChildren(...(worked ? done(reply.answer) : [...subject, ...refusal(not, reply)]));
  // The list can be out of date after the action or its refusal, so it must be read again.
  mine.sign = null;
  mine.decided(reply);
}

/** The reason why an action was refused, as the end of a sentence. */
function refusal(not, reply) {
  const { status, answer } = reply;
  if (status === 401) return [` ${not}: your session has ended.`];
  if (status === 403)
    return [` ${not}: that takes Full access, or being its author and still writing there.`];
  if (status === 404) return [' no longer exists.'];
  if (status === 409 && answer?.code === 'team_archived') return [` ${not}: the Team is archived.`];
  if (status === 409) return [` ${not}: `, named(answer?.detail ?? 'it has changed since then'), '.'];
  return [` ${not}. ${describeFailure(reply)}`];
}

function retryOne(button, { id, filename }) {
  const subject = [named(filename)];
  return decide(button, {
    ask: () => list.ask('POST', `v1/memory/imports/${id}/retry`),
    subject,
    done: () => [...subject, ' is queued again.'],
    not: 'was not retried',
  });
}

async function forgetOne(button, { id, filename }) {
  const mine = list;
  if (!(await confirmForget(filename)) || list !== mine) return;
  const subject = [named(filename)];
  await decide(button, {
    ask: () => list.ask('DELETE', `v1/memory/imports/${id}`),
    subject,
    done: () => [...subject, ' is forgotten.'],
    not: 'was not forgotten',
  });
}

function decideOne({ target }) {
  const button = target.closest('button[data-decision]');
  const item = list?.items.find(({ id }) => id === button?.dataset.import);
  if (item === undefined) return;
  void (button.dataset.decision === 'retry' ? retryOne : forgetOne)(button, item);
}

function decideAll() {
  void decide(retryAll, {
    ask: () => list.ask('POST', 'v1/memory/imports/retry', { body: { all: true } }),
    subject: ['The imports'],
    done: ({ imports }) => [
      imports.length === 0
        ? 'There was nothing to retry.'
        : `${counted(imports.length, 'import')} ${imports.length === 1 ? 'is' : 'are'} queued again.`,
    ],
    not: 'were not retried',
  });
}

function showMore() {
  // The button disappears when everything is shown. The focus then moves to the first new row.
  list.resume = rows.lastElementChild?.querySelector('th');
  list.wanted += SHOWN_MORE;
  list.sign = null;
  list.decided({ status: 200 });
}
