import { KINDS } from '../../parts/words.js';

/**
 * What is searched for, as the address says it. An address can be edited by hand, so what it should not say is left out.
 * @typedef {object} Criteria
 * @property {string} q
 * @property {string} in where: '' everywhere, `team`, or the id of a client
 * @property {string} with `team` if the Team layer is searched together with the client
 * @property {string} kind
 * @property {string} tag
 * @property {string} from a day
 * @property {string} to a day
 * @property {string} top how many passages are shown, '' for the usual number
 */

/** How many passages are shown at first, and how many more each time. */
export const STEP = 10;
/** The service returns no more. */
const MAX_TOP = 50;

/** @type {readonly (keyof Criteria)[]} */
const NAMES = ['q', 'in', 'with', 'kind', 'tag', 'from', 'to', 'top'];

/** Whether there is such a day. @param {string} day */
function isDay(day) {
  const time = new Date(`${day}T00:00Z`);
  // Browsers take 31 February for a day in March.
  return (
    /^[1-9]\d{3}-\d\d-\d\d$/.test(day) && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day)
  );
}

/**
 * @param {URLSearchParams} query
 * @returns {Criteria}
 */
export function readCriteria(query) {
  const given = (/** @type {string} */ name) => (query.get(name) ?? '').trim();
  const place = given('in');
  const isClient = place !== '' && place !== 'team';
  const day = (/** @type {string} */ name) => (isDay(given(name)) ? given(name) : '');
  const top = Math.ceil(Number(given('top')) / STEP) * STEP;
  return {
    q: given('q'),
    in: place,
    with: isClient && given('with') === 'team' ? 'team' : '',
    kind: Object.hasOwn(KINDS, given('kind')) ? given('kind') : '',
    tag: given('tag'),
    from: day('from'),
    to: day('to'),
    top: top > STEP ? String(Math.min(top, MAX_TOP)) : '',
  };
}

/**
 * The criteria as text: equal for equal ones.
 * @param {Criteria} criteria
 */
export const keyOf = (criteria) => JSON.stringify(NAMES.map((name) => criteria[name]));

/**
 * The same for the same search with more passages.
 * @param {Criteria} criteria
 */
export const searchKeyOf = (criteria) => keyOf({ ...criteria, top: '' });

/**
 * How many passages are shown, and how many after these; null if there cannot be more.
 * @param {Criteria} criteria
 */
export function topOf({ top }) {
  const now = top === '' ? STEP : Number(top);
  return { now, next: now < MAX_TOP ? String(now + STEP) : null };
}

/**
 * Whether anything but the query is set.
 * @param {Criteria} criteria
 */
export const isFiltered = ({ in: place, kind, tag, from, to }) =>
  [place, kind, tag, from, to].some((value) => value !== '');

/**
 * The beginning of a day in the time zone of the user.
 * @param {string} day
 * @param {number} later how many days later
 */
function startOf(day, later) {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return start.getTime();
}

/**
 * The body of the search.
 * @param {Criteria} criteria
 */
export function searchBody(criteria) {
  const { q, in: place, kind, tag, from, to } = criteria;
  const scope =
    place === ''
      ? { include: ['team', 'client'] }
      : place === 'team'
        ? {}
        : { clientId: place, include: criteria.with === 'team' ? ['team', 'client'] : ['client'] };
  return {
    query: q,
    embeddingMode: 'auto',
    scope,
    topK: topOf(criteria).now,
    neighbours: 1,
    ...(kind === '' ? {} : { kinds: [kind] }),
    ...(tag === '' ? {} : { tags: [tag] }),
    // The service returns what is later than this, and the day itself is wanted too.
    ...(from === '' ? {} : { createdAfter: new Date(startOf(from, 0) - 1).toISOString() }),
    ...(to === '' ? {} : { createdBefore: new Date(startOf(to, 1)).toISOString() }),
  };
}
