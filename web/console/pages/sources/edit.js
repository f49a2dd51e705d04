import { html, useRef, useState } from '../../html.js';
import { useKnown } from '../../parts/all.js';
import { CloseButton, Dialog } from '../../parts/dialog.js';
import { ExpiryField, fieldTime, TagField, useTags } from '../../parts/fields.js';

/** Moves the focus to a field that must be corrected. @param {string} id */
const focus = (id) => document.getElementById(id)?.focus();

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
  const tags = useTags(source.tags);
  const [expires, setExpires] = useState(() => fieldTime(source.expiresAt));
  const [faults, setFaults] = useState({ title: '', expires: '' });
  /** What the dialog was opened with, which someone else can change in the meantime. */
  const before = useRef(source).current;
  /** @type {readonly { tag: string }[] | null} */
  const known = useKnown(ask, 'memory/tags');

  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    const next = tags.all();
    if (next === null) return focus('edit-tag');
    const isSame = next.length === before.tags.length && next.every((one) => before.tags.includes(one));
    const expiresAt = expires === '' ? null : new Date(expires);
    const isExpiryChanged = expires !== fieldTime(before.expiresAt);
    const isOver = isExpiryChanged && expiresAt !== null && !(expiresAt.getTime() > Date.now());
    const found = {
      title: !tagsOnly && title.trim() === '' ? 'Enter a title.' : '',
      expires: isOver ? 'Choose a time in the future, or let it never expire.' : '',
    };
    setFaults(found);
    if (found.title !== '') return focus('edit-title');
    if (found.expires !== '') return focus('edit-expires');
    const change = {
      ...(title.trim() !== before.title && { title: title.trim() }),
      ...(!isSame && { tags: next }),
      ...(isExpiryChanged && { expiresAt: expiresAt === null ? null : expiresAt.toISOString() }),
    };
    if (Object.keys(change).length === 0) close();
    else void act(change);
    return undefined;
  }

  /** @typedef {Event & { currentTarget: HTMLInputElement }} Typed */
  return html`
    <${Dialog} heading=${tagsOnly ? 'Edit the tags' : 'Edit this source'} busy=${busy} close=${close}>
      <form class="source-form" novalidate onSubmit=${submit}>
        ${
          !tagsOnly &&
          html`<label for="edit-title">Title</label>
            <p id="edit-title-problem" role="alert">${faults.title}</p>
            <input
              id="edit-title"
              aria-describedby="edit-title-problem"
              aria-invalid=${faults.title === '' ? undefined : 'true'}
              maxlength="300"
              autocomplete="off"
              value=${title}
              onInput=${(/** @type {Typed} */ event) => setTitle(event.currentTarget.value)}
            />`
        }
        <${TagField} id="edit-tag" field=${tags} known=${known} />
        ${
          !tagsOnly &&
          html`<${ExpiryField} id="edit-expires" value=${expires} change=${setExpires} fault=${faults.expires}
            hint="From then on searches do not find it, and its text is deleted." />`
        }
        <p role="alert">${problem}</p>
        <div class="actions">
          <${CloseButton} busy=${busy} close=${close} />
          <button type="submit" class="small primary" aria-busy=${busy ? 'true' : undefined}>Save</button>
        </div>
      </form>
    <//>
  `;
}
