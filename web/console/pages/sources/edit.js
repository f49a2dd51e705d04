import { html, useRef, useState } from '../../html.js';
import { useKnown } from '../../parts/all.js';
import { CloseButton, Dialog } from '../../parts/dialog.js';

/** The service accepts no more tags of a source, and no longer ones. */
const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 50;

/**
 * A time as a field shows it: in the time zone of the user, to the minute.
 * @param {string | null} at
 */
function toField(at) {
  if (at === null) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param {string} tag */
const fold = (tag) => tag.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();

/**
 * Edits the title, the tags and the expiry of a source. Sends only what was changed.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {import('./labels.js').SourceText} props.source
 * @param {boolean} props.tagsOnly whether the rest belongs to a workspace file
 * @param {(change: object) => Promise<void>} props.act
 * @param {import('../../html.js').Children} props.problem
 * @param {boolean} props.busy
 * @param {() => void} props.close
 */
export function Edit({ ask, source, tagsOnly, act, problem, busy, close }) {
  const [title, setTitle] = useState(source.title);
  const [tags, setTags] = useState(/** @type {readonly string[]} */ (source.tags));
  const [tag, setTag] = useState('');
  const [expires, setExpires] = useState(() => toField(source.expiresAt));
  const [fault, setFault] = useState('');
  const tagField = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** What the dialog was opened with, which someone else can change in the meantime. */
  const before = useRef(source).current;
  /** @type {readonly { tag: string }[] | null} */
  const known = useKnown(ask, 'memory/tags');

  /** The tags with the one that is typed; null if it cannot be added, and why is said. */
  function withTyped() {
    const added = fold(tag);
    if (added === '' || tags.includes(added)) return tags;
    if (tags.length >= MAX_TAGS) {
      setFault(`A source has at most ${MAX_TAGS} tags. Remove one first.`);
      return null;
    }
    return [...tags, added];
  }

  function add() {
    const next = withTyped();
    if (next === null) return;
    setTags(next);
    setTag('');
    setFault('');
    tagField.current?.focus();
  }

  /** @param {string} removed */
  function remove(removed) {
    setTags(tags.filter((one) => one !== removed));
    setFault('');
    tagField.current?.focus();
  }

  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    const next = withTyped();
    if (next === null) return;
    const isSame = next.length === before.tags.length && next.every((one) => before.tags.includes(one));
    const expiresAt = expires === '' ? null : new Date(expires);
    const isExpiryChanged = expires !== toField(before.expiresAt);
    if (!tagsOnly && title.trim() === '') return setFault('Enter a title.');
    if (isExpiryChanged && expiresAt !== null && !(expiresAt.getTime() > Date.now())) {
      return setFault('Choose a time in the future, or let it never expire.');
    }
    setFault('');
    const change = {
      ...(title.trim() !== before.title && { title: title.trim() }),
      ...(!isSame && { tags: next }),
      ...(isExpiryChanged && { expiresAt: expiresAt === null ? null : expiresAt.toISOString() }),
    };
    if (Object.keys(change).length === 0) close();
    else void act(change);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.key !== 'Enter' || tag.trim() === '') return;
    event.preventDefault();
    add();
  }

  /** @typedef {Event & { currentTarget: HTMLInputElement }} Typed */
  return html`
    <${Dialog} heading=${tagsOnly ? 'Edit the tags' : 'Edit this source'} busy=${busy} close=${close}>
      <form class="source-form" novalidate onSubmit=${submit}>
        ${
          !tagsOnly &&
          html`<label for="edit-title">Title</label>
            <input
              id="edit-title"
              maxlength="300"
              autocomplete="off"
              value=${title}
              onInput=${(/** @type {Typed} */ event) => setTitle(event.currentTarget.value)}
            />`
        }
        <label for="edit-tag">Tags</label>
        ${
          tags.length > 0 &&
          html`<ul class="source-tags">
            ${tags.map(
              (one) => html`<li key=${one} class="tag">
                <bdi>${one}</bdi>
                <button type="button" class="source-remove" onClick=${() => remove(one)}>
                  <span aria-hidden="true">×</span><span class="unseen">Remove the tag <bdi>${one}</bdi></span>
                </button>
              </li>`,
            )}
          </ul>`
        }
        <div class="source-add">
          <input
            id="edit-tag"
            ref=${tagField}
            maxlength=${MAX_TAG_LENGTH}
            list="edit-tags"
            autocomplete="off"
            value=${tag}
            onInput=${(/** @type {Typed} */ event) => setTag(event.currentTarget.value)}
            onKeyDown=${key}
          />
          <button type="button" class="small" onClick=${add}>Add tag</button>
        </div>
        <datalist id="edit-tags">
          ${known?.map((one) => html`<option key=${one.tag} value=${one.tag}></option>`)}
        </datalist>
        ${
          !tagsOnly &&
          html`<label for="edit-expires">Expires (your time)</label>
            <div class="source-add">
              <input
                id="edit-expires"
                type="datetime-local"
                aria-describedby="edit-expires-hint"
                value=${expires}
                onInput=${(/** @type {Typed} */ event) => setExpires(event.currentTarget.value)}
              />
              ${expires !== '' && html`<button type="button" class="small" onClick=${() => setExpires('')}>Never</button>`}
            </div>
            <p id="edit-expires-hint">
              From then on searches do not find it, and its text is deleted. Without a time, it never expires.
            </p>`
        }
        <p role="alert">${fault === '' ? problem : fault}</p>
        <div class="actions">
          <${CloseButton} busy=${busy} close=${close} />
          <button type="submit" class="small primary" aria-busy=${busy ? 'true' : undefined}>Save</button>
        </div>
      </form>
    <//>
  `;
}
