import { html } from '../../html.js';

/**
 * The name of a person of the Company.
 * @param {readonly { userId: string, name: string }[] | null} members null until they are known
 * @param {string} userId
 */
export function nameIn(members, userId) {
  if (members === null) return '…';
  const found = members.find((member) => member.userId === userId);
  return found === undefined ? 'a person who has left' : html`<bdi>${found.name}</bdi>`;
}

/**
 * The name of a Team of the Company.
 * @param {readonly { id: string, name: string }[] | null} teams null until they are known
 * @param {string} teamId
 */
export function teamIn(teams, teamId) {
  if (teams === null) return '…';
  const found = teams.find(({ id }) => id === teamId);
  return found === undefined ? 'a Team that was deleted' : html`<bdi>${found.name}</bdi>`;
}
