import { askService, describeFailure } from '../../shared/ask-service.js';
import { useLayoutEffect, useMemo, useRef } from '../html.js';

/**
 * @typedef {import('../../shared/ask-service.js').Reply} Reply
 *
 * Sends a request of a page, as the user and in the Team that the page shows.
 * @callback Ask
 * @param {string} method
 * @param {string} path below /v1, without a slash at its start
 * @param {object} [body] is sent as JSON
 * @returns {Promise<Reply>} never settles once the page has been left
 */

/** Never settles. */
const NEVER = new Promise(() => {});

/**
 * Requests of a page. What comes after the page was left is dropped; a change that was sent is made all the same.
 * @param {Pick<import('../section.d.ts').PageProps, 'session' | 'lost'> & { team: { id: string } | null }} page
 * @returns {Ask}
 */
export function useAsk({ session, team, lost }) {
  const left = useRef(false);
  const given = useRef(lost);
  given.current = lost;
  useLayoutEffect(
    () => () => {
      left.current = true;
    },
    [],
  );
  return useMemo(
    () => async (method, path, body) => {
      const { token } = session;
      const reply = await askService(method, `v1/${path}`, {
        token,
        ...(team === null ? {} : { team: team.id }),
        ...(body === undefined ? {} : { body }),
      });
      if (left.current) return /** @type {Promise<Reply>} */ (NEVER);
      if (isLost(reply)) given.current(reply);
      return reply;
    },
    [session.token, team?.id],
  );
}

/**
 * Whether the session has ended, or the Team is no longer open to the user. A wrong password is 401 too.
 * @param {Reply} reply
 */
const isLost = ({ status, answer }) =>
  (status === 401 && answer?.code !== 'invalid_credentials') ||
  (status === 403 && answer?.code === 'team_forbidden');

/** @param {Reply} reply */
export const isDone = ({ status }) => status >= 200 && status < 300;

/** What the service says of a layer, which users know as a client. */
const NO_CLIENT =
  'There is no such client, or you do not have enough access to it. Ask an Owner or Admin of the Team.';

/**
 * What a failed request means for the user, and what to do.
 * @param {Reply} reply
 * @returns {string}
 */
export function problemOf(reply) {
  const { status, answer } = reply;
  if (answer?.code === 'scope_forbidden') return NO_CLIENT;
  const isRefusal = status >= 400 && status < 500 && status !== 429;
  return isRefusal && typeof answer?.detail === 'string' ? answer.detail : describeFailure(reply);
}

/**
 * A path with a query, which is added to the one that it has already.
 * @param {string} path
 * @param {Readonly<Record<string, string | number | null | undefined>>} query null and '' are left out
 */
export function withQuery(path, query) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') search.append(name, String(value));
  }
  return search.size === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${search}`;
}

/**
 * Saves a content as a file. Its type says nothing, so that no browser opens it as a page.
 * @param {string} name
 * @param {BlobPart} content
 */
export function saveAs(name, content) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  // Some browsers read it only after the click has ended.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
