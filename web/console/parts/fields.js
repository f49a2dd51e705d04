import { html, useRef, useState } from '../html.js';
import { count } from './words.js';

/** The service accepts no more tags of a record, and no longer ones. */
const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 50;

/** A tag as the service stores it. @param {string} tag */
const fold = (tag) => tag.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase().replaceAll('ß', 'ss');

/**
 * The tags that a form edits, and the one that is typed.
 * @param {readonly string[]} [start]
 */
export function useTags(start = []) {
  const [tags, setTags] = useState(start);
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState('');

  /** The tags with the typed one; null if it cannot be added, and the field says why. */
  function all() {
    const added = fold(typed);
    if (added === '' || tags.includes(added)) return tags;
    const full = tags.length >= MAX_TAGS;
    if (full) setFault(`There are at most ${MAX_TAGS} tags. Remove one first.`);
    else if (Array.from(added).length <= MAX_TAG_LENGTH) return [...tags, added];
    else setFault(`A tag has at most ${MAX_TAG_LENGTH} characters.`);
    return null;
  }

  return {
    tags,
    typed,
    fault,
    all,
    /** Adds the typed tag. */
    add: () => {
      const next = all();
      if (next === null) return;
      setTags(next);
      setTyped('');
      setFault('');
    },
    remove: (/** @type {string} */ tag) => {
      setTags(tags.filter((one) => one !== tag));
      setFault('');
    },
    type: (/** @type {string} */ text) => {
      setTyped(text);
      setFault('');
    },
  };
}

/**
 * The tags of a record. They are added one by one, because a tag can contain a comma.
 * @param {object} props
 * @param {string} props.id
 * @param {ReturnType<typeof useTags>} props.field
 * @param {readonly { tag: string }[] | null} [props.known] what is suggested
 */
export function TagField({ id, field, known = null }) {
  const { tags, typed, fault, add, remove, type } = field;
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** The button that was used can be gone. @param {() => void} change */
  function then(change) {
    change();
    input.current?.focus();
  }
  /** @param {KeyboardEvent} event */
  function key(event) {
    // Enter also ends the input of a character that is composed of several keys.
    if (event.key !== 'Enter' || event.isComposing || typed.trim() === '') return;
    event.preventDefault();
    add();
  }
  return html`
    <label for=${id}>Tags</label>
    ${
      tags.length > 0 &&
      html`<ul class="field-tags">
        ${tags.map(
          (tag) => html`<li key=${tag} class="tag">
            <bdi>${tag}</bdi>
            <button type="button" class="field-remove" onClick=${() => then(() => remove(tag))}>
              <span aria-hidden="true">×</span><span class="unseen">Remove the tag <bdi>${tag}</bdi></span>
            </button>
          </li>`,
        )}
      </ul>`
    }
    <div class="field-line">
      <input
        id=${id}
        ref=${input}
        dir="auto"
        list=${known === null ? undefined : `${id}-known`}
        autocomplete="off"
        aria-describedby=${`${id}-hint ${id}-problem`}
        aria-invalid=${fault === '' ? undefined : 'true'}
        value=${typed}
        onInput=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ event) => type(event.currentTarget.value)}
        onKeyDown=${key}
      />
      <button type="button" class="small" onClick=${() => then(add)}>Add tag</button>
    </div>
    <p id=${`${id}-hint`} class="quiet field-hint">One at a time: press Enter after each tag.</p>
    <p id=${`${id}-problem`} role="alert">${fault}</p>
    ${
      known !== null &&
      html`<datalist id=${`${id}-known`}>
        ${known.map(({ tag }) => html`<option key=${tag} value=${tag}></option>`)}
      </datalist>`
    }
  `;
}

/**
 * A time as a field of the kind `datetime-local` shows it: in the time zone of the user, to the minute.
 * @param {Date | string | null} at
 */
export function fieldTime(at) {
  if (at === null) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * @param {number} days
 * @param {string | Date} [at] counted from here in place of now
 */
export function daysFrom(days, at = new Date()) {
  const time = new Date(at);
  time.setDate(time.getDate() + days);
  return time;
}

/** After how many days a record expires, to choose from. */
const EXPIRIES = [30, 90, 365];

/**
 * The time at which a record expires.
 * @param {object} props
 * @param {string} props.id
 * @param {string} props.value as `fieldTime` gives it; '' if it never expires
 * @param {(value: string) => void} props.change
 * @param {string} props.hint what it means
 * @param {string} [props.fault]
 */
export const ExpiryField = ({ id, value, change, hint, fault = '' }) => html`
  <label for=${id}>Expires (your time)</label>
  <input
    id=${id}
    type="datetime-local"
    aria-describedby=${`${id}-hint ${id}-problem`}
    aria-invalid=${fault === '' ? undefined : 'true'}
    value=${value}
    onInput=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ event) => change(event.currentTarget.value)}
  />
  <div class="actions field-presets">
    ${EXPIRIES.map(
      (
        days,
      ) => html`<button key=${days} type="button" class="small" onClick=${() => change(fieldTime(daysFrom(days)))}>
        In ${days === 365 ? 'a year' : `${days} days`}
      </button>`,
    )}
    <button type="button" class="small" onClick=${() => change('')}>Never</button>
  </div>
  <p id=${`${id}-hint`} class="quiet field-hint">${hint} Without a time, it never expires.</p>
  <p id=${`${id}-problem`} role="alert">${fault}</p>
`;

/** For how many hours the link of an invite works, to choose from. */
export const INVITE_HOURS = [24, 168, 720];

/**
 * How long a link works.
 * @param {object} props
 * @param {string} props.id
 * @param {string} [props.name]
 * @param {readonly number[]} props.hours to choose from
 * @param {number} props.start the hours that are chosen at first
 */
export const LinkTime = ({ id, name = id, hours, start }) => html`
  <label for=${id}>The link works for</label>
  <select id=${id} name=${name}>
    ${hours.map(
      (n) =>
        html`<option key=${n} value=${n} selected=${n === start}>${n < 24 ? count(n, 'hour') : count(n / 24, 'day')}</option>`,
    )}
  </select>
`;
