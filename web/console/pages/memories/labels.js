import { html } from '../../html.js';

/**
 * @typedef {import('../../../../shared/schemas/memories.ts').Memory} Memory
 * @typedef {import('../../parts/names.js').Member} Member
 */

/** What each state of a memory is called. @type {Readonly<Record<Memory['state'], string>>} */
export const STATE_NAMES = {
  review: 'In review',
  published: 'Published',
  discarded: 'Discarded',
  archived: 'Archived',
};

/**
 * Who did something.
 * @param {object} props
 * @param {string} props.id
 * @param {string | null} [props.name] if it is known already
 * @param {import('../../section.d.ts').Session} props.session
 * @param {readonly Member[] | null} props.members
 */
export function Person({ id, name, session, members }) {
  if (id === session.user.id) return html`<span>You</span>`;
  // Nothing is said of a person until the names are there.
  if (name == null && members === null) return '';
  const known = name ?? members?.find(({ userId }) => userId === id)?.name;
  return known == null ? html`<span>Someone who is not in this Team</span>` : html`<bdi>${known}</bdi>`;
}

/**
 * The start of a text.
 * @param {string} text
 * @param {number} [length]
 */
export function excerpt(text, length = 280) {
  const all = Array.from(text.slice(0, 2 * length + 2));
  return all.length <= length ? text : `${all.slice(0, length).join('').trimEnd()} …`;
}
