import { html } from '../html.js';

/**
 * A number with the word for what is counted.
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export const count = (n, one, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

const UNITS = ['kB', 'MB', 'GB', 'TB'];

/**
 * A size that people can read.
 * @param {number} bytes
 */
export function size(bytes) {
  if (bytes < 1000) return count(bytes, 'byte');
  let [value, unit] = [bytes / 1000, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${UNITS[unit]}`;
}

/**
 * A name within a text that can have no elements, such as an option: with the characters that isolate its direction.
 * @param {string} name
 */
export const isolated = (name) => `\u2068${name}\u2069`;

/** What kinds of sources are called. @type {Readonly<Record<import('../../../shared/schemas/sources.ts').Source['kind'], string>>} */
export const KINDS = {
  ingest: 'Stored text',
  import: 'Imported file',
  memory: 'Memory',
  file: 'Workspace file',
};

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/**
 * A time, in the time zone of the user.
 * @param {object} props
 * @param {string} props.at as the service sends it
 */
export const Moment = ({ at }) => html`<time datetime=${at}>${MOMENT.format(new Date(at))}</time>`;

/**
 * The address of a source as a link, if a browser can follow it safely; otherwise as text.
 * @param {object} props
 * @param {string} props.uri
 */
export function Uri({ uri }) {
  const text = html`<bdi>${uri}</bdi>`;
  const { protocol } = URL.canParse(uri) ? new URL(uri) : { protocol: '' };
  if (protocol !== 'http:' && protocol !== 'https:') return text;
  return html`<a href=${uri} target="_blank" rel="noopener noreferrer">${text}</a>`;
}
