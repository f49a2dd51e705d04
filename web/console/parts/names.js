import { useLayoutEffect, useState } from '../html.js';
import { isDone, withQuery } from './ask.js';

/** @typedef {ReadonlyMap<string, string>} Names names by id */

/** The names of the people that the user can see, by the id of their account. */
export function usePeople(
  /** @type {import('./ask.js').Ask} */ ask,
  /** @type {Pick<import('../section.d.ts').Session, 'user' | 'company'>} */ { user, company },
) {
  const path = company.role === 'member' ? 'team/members' : 'company/members';
  return useNames(ask, path, 'userId', new Map([[user.id, user.name]]));
}

/** The names of the clients of the Team that the user can reach. */
export const useClients = (/** @type {import('./ask.js').Ask} */ ask) =>
  useNames(ask, 'team/clients', 'id', new Map());

/**
 * Reads the names in a list, all pages of it. A name that cannot be read is left out.
 * @param {import('./ask.js').Ask} ask
 * @param {string} path
 * @param {string} id the field with the id
 * @param {Names} known
 * @returns {Names}
 */
function useNames(ask, path, id, known) {
  const [names, setNames] = useState(known);
  async function read() {
    let cursor = null;
    do {
      const reply = await ask('GET', withQuery(path, { limit: 200, cursor }));
      if (!isDone(reply)) return;
      /** @type {({ name: string } & Record<string, string>)[]} */
      const items = reply.answer.items;
      setNames(
        (before) =>
          new Map([...before, ...items.map((item) => /** @type {const} */ ([item[id] ?? '', item.name]))]),
      );
      cursor = reply.answer.nextCursor;
    } while (cursor !== null);
  }
  useLayoutEffect(() => void read(), [ask, path]);
  return names;
}
