import { leavesPart, useLeaveQuestion } from '../../address.js';
import { useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone, problemOf } from '../../parts/ask.js';
import { count } from '../../parts/words.js';

/**
 * @typedef {import('../../../../shared/schemas/people.ts').ClientGrant} ClientGrant
 * @typedef {{ userId: string, name: string }} Person
 * @typedef {{ id: string, name: string }} Named
 */

/**
 * @param {string} userId
 * @param {string} clientId
 */
export const cellKey = (userId, clientId) => `${userId} ${clientId}`;

/** @type {Readonly<Record<string, string>>} */
const MEANS = { '': 'has no access to', read: 'can read', write: 'can read and write' };

/**
 * The grants for clients. A change is shown at once and sent at once; of several changes of one cell, the last one is
 * sent after the one that is on its way. What the service refuses is shown as it was before.
 * @param {import('../../parts/ask.js').Ask} ask
 * @param {readonly ClientGrant[]} grants as they were read
 * @param {() => void} reload is called if a member or a client is gone
 */
export function useGrants(ask, grants, reload) {
  const [, setTurn] = useState(0);
  const [outcome, setOutcome] = useState('');
  const [problem, setProblem] = useState('');
  /** What the service has. */
  const stored = useRef(/** @type {Map<string, string>} */ (new Map()));
  /** What the user chose and the service does not have yet. */
  const wished = useRef(/** @type {Map<string, string>} */ (new Map()));
  const sending = useRef(/** @type {Set<string>} */ (new Set()));
  const draw = () => setTurn((turn) => turn + 1);

  useLayoutEffect(() => {
    stored.current = new Map(
      grants.map(({ userId, clientId, access }) => [cellKey(userId, clientId), access]),
    );
    draw();
  }, [grants]);

  /** @param {string} key */
  const storedAt = (key) => stored.current.get(key) ?? '';

  /** @param {Person} person @param {Named} client @param {string} access */
  async function send({ userId, name }, client, access) {
    const path = `team/grants/${userId}/${client.id}`;
    const reply = access === '' ? await ask('DELETE', path) : await ask('PUT', path, { access });
    // 404 to DELETE: somebody else has revoked it.
    if (isDone(reply) || (access === '' && reply.status === 404)) {
      stored.current.set(cellKey(userId, client.id), access);
      setOutcome(`${name} ${MEANS[access]} ${client.name}.`);
      return true;
    }
    setOutcome('');
    if (reply.status === 404) {
      setProblem(
        `Not changed: ${name} is no longer in the Team, or ${client.name} is archived. The table was read again.`,
      );
      reload();
    } else {
      setProblem(`Not changed: ${name}, client ${client.name}. ${problemOf(reply)}`);
    }
    return false;
  }

  /** @param {Person} person @param {Named} client @param {string} access '' to revoke it */
  async function set(person, client, access) {
    const key = cellKey(person.userId, client.id);
    wished.current.set(key, access);
    setProblem('');
    draw();
    if (sending.current.has(key)) return;
    sending.current.add(key);
    for (;;) {
      const next = wished.current.get(key);
      if (next === undefined || next === storedAt(key)) break;
      if (!(await send(person, client, next))) break;
    }
    sending.current.delete(key);
    wished.current.delete(key);
    draw();
  }

  const unsent = [...wished.current].filter(([key, access]) => access !== storedAt(key)).length;
  useLeaveQuestion(
    unsent === 0
      ? ''
      : `${count(unsent, 'change')} of access ${unsent === 1 ? 'is' : 'are'} not saved yet. Leave all the same?`,
    leavesPart,
  );

  return {
    /** @param {string} key */
    accessOf: (key) => wished.current.get(key) ?? storedAt(key),
    set,
    outcome,
    problem,
  };
}
