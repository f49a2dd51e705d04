import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { Moment } from '../../parts/words.js';
import { Beside } from './beside.js';
import { KeyButton } from './keys.js';

/**
 * @typedef {import('./queue.js').Item} Item
 *
 * @typedef {object} OwnProps
 * @property {{ current: HTMLElement | null }} heading
 * @property {ReadonlyMap<string, string>} clients
 * @property {Readonly<Record<string, () => void>>} acts what the keys do
 * @property {readonly import('./beside.js').Similar[]} replaceable
 * @property {boolean} isEditing
 * @property {() => void} stopEditing
 * @property {() => void} changed is called after a change of the drafts
 *
 * @typedef {import('./beside.js').BesideProps & OwnProps} ItemProps
 */

const VERDICTS = { wrong: 'Wrong', outdated: 'Outdated', useful: 'Useful' };

/**
 * The current item: its text, what can be decided, and what helps to decide.
 * @param {ItemProps} props
 */
export function CurrentItem(props) {
  const { item, heading, queue, acts, isEditing, stopEditing, changed } = props;
  const draft = queue.drafts.get(item.id);
  const { title, content } = draft ?? item;
  const index = queue.items?.findIndex(({ id }) => id === item.id) ?? 0;

  /** @param {{ title: string, content: string }} text */
  function keep(text) {
    if (text.title === item.title && text.content === item.content) queue.drafts.delete(item.id);
    else queue.drafts.set(item.id, { ...text, version: draft?.version ?? item.version });
    changed();
  }
  function forget() {
    queue.drafts.delete(item.id);
    stopEditing();
    changed();
  }

  return html`
    <article class="card review-item" aria-labelledby="item-heading">
      <div class="review-bar">
        <p class="quiet">${index + 1} of ${queue.items?.length}${queue.next !== null && ' and more'}</p>
        <div class="actions">
          <${KeyButton} keys="k" act=${acts.k}>Previous<//>
          <${KeyButton} keys="j" act=${acts.j}>Next<//>
        </div>
      </div>
      <h2 id="item-heading" tabindex="-1" ref=${heading}><bdi>${title}</bdi></h2>
      <${Facts} ...${props} isEdited=${draft !== undefined} />
      ${queue.gone.has(item.id) && html`<p class="review-gone">Someone else has decided on this item. It leaves the list when you go on.</p>`}
      <${Why} item=${item} />
      ${
        isEditing
          ? html`<${EditForm}
              text=${{ title, content }}
              isPublished=${item.state === 'published'}
              keep=${keep}
              send=${acts.p}
              close=${stopEditing}
              forget=${forget}
            />`
          : html`
              <p class="text review-text" dir="auto">${content}</p>
              <${Actions} item=${item} acts=${acts} isEdited=${draft !== undefined} canReplace=${props.replaceable.length > 0} forget=${forget} />
            `
      }
    </article>
    <${Beside} ...${props} text=${content} />
  `;
}

/**
 * What is known of the item, apart from its text.
 * @param {ItemProps & { isEdited: boolean }} props
 */
function Facts({ item, clients, isEdited, link, leave }) {
  const { subject, id, clientId, createdAt, createdWith, tags, expiresAt } = item;
  const path = subject === 'source' ? `/sources/${id}` : `/memories/${id}`;
  return html`
    <ul class="facts">
      <li>${clientId === null ? 'Team layer' : html`Client <bdi>${clients.get(clientId) ?? 'without a name here'}</bdi>`}</li>
      <li><${Moment} at=${createdAt} /></li>
      ${createdWith !== null && html`<li>by the agent <bdi>${createdWith.name}</bdi></li>`}
      ${expiresAt !== null && html`<li>expires <${Moment} at=${expiresAt} /></li>`}
      ${tags.map((tag) => html`<li key=${tag}><bdi class="tag">${tag}</bdi></li>`)}
      ${isEdited && html`<li><span class="tag">edited by you</span></li>`}
      <li>
        <a href=${link(path)} onClick=${leave}>Open the ${subject}</a>
      </li>
    </ul>
  `;
}

/**
 * Why a published text is here.
 * @param {object} props
 * @param {Item} props.item
 */
const Why = ({ item: { feedback = [] } }) =>
  feedback.length > 0 &&
  html`
    <section class="review-why" aria-labelledby="why-heading">
      <h3 id="why-heading">Published, with feedback</h3>
      <ul>
        ${feedback.map(
          ({ verdict, note, createdAt, chunkId, text }) => html`
            <li key=${`${chunkId} ${createdAt}`}>
              <strong>${VERDICTS[verdict]}</strong> <span class="quiet"><${Moment} at=${createdAt} /></span>
              ${note !== null && html`<p class="text" dir="auto">${note}</p>`}
              ${text !== '' && html`<details><summary>The text that was found</summary><p class="text" dir="auto">${text}</p></details>`}
            </li>
          `,
        )}
      </ul>
    </section>
  `;

/**
 * What can be decided. Each button names its key.
 * @param {object} props
 * @param {Item} props.item
 * @param {Readonly<Record<string, () => void>>} props.acts
 * @param {boolean} props.isEdited
 * @param {boolean} props.canReplace
 * @param {() => void} props.forget
 */
function Actions({ item, acts, isEdited, canReplace, forget }) {
  if (acts.p === undefined) return null;
  const isPublished = item.state === 'published';
  const main = isPublished ? (isEdited ? 'Save the changes' : 'Keep') : 'Publish';
  return html`
    <div class="actions review-actions">
      <${KeyButton} keys="p" act=${acts.p} look="review-main">${main}<//>
      ${canReplace && html`<${KeyButton} keys="s" act=${acts.s}>Supersede<//>`}
      ${acts.e !== undefined && html`<${KeyButton} keys="e" act=${acts.e}>Edit<//>`}
      ${isEdited && html`<button type="button" class="small" onClick=${forget}>Forget the edits</button>`}
      <${KeyButton} keys="d" act=${acts.d} look="small danger">${isPublished ? 'Delete' : 'Discard'}<//>
    </div>
  `;
}

/**
 * Changes the text in place. What is typed is kept until the page is left.
 * @param {object} props
 * @param {{ title: string, content: string }} props.text
 * @param {boolean} props.isPublished
 * @param {(text: { title: string, content: string }) => void} props.keep
 * @param {(() => void) | undefined} props.send
 * @param {() => void} props.close
 * @param {() => void} props.forget
 */
function EditForm({ text, isPublished, keep, send, close, forget }) {
  const [problem, setProblem] = useState('');
  const first = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useLayoutEffect(() => first.current?.focus(), []);

  function submit(/** @type {Event} */ event) {
    event.preventDefault();
    const missing = text.title.trim() === '' ? 'title' : text.content.trim() === '' ? 'text' : null;
    if (missing === null) send?.();
    else setProblem(`Write a ${missing}.`);
  }
  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      close();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      submit(event);
    }
  }
  /** @param {'title' | 'content'} field */
  const typed =
    (field) =>
    (/** @type {Event} */ { currentTarget }) => {
      if (currentTarget instanceof HTMLInputElement || currentTarget instanceof HTMLTextAreaElement)
        keep({ ...text, [field]: currentTarget.value });
    };
  return html`
    <form class="review-edit" onSubmit=${submit} onKeyDown=${press}>
      <label for="edit-title">Title</label>
      <input id="edit-title" name="title" dir="auto" autocomplete="off" value=${text.title} onInput=${typed('title')} />
      <label for="edit-content">Text</label>
      <textarea
        id="edit-content"
        name="content"
        dir="auto"
        rows=${Math.min(24, Math.max(8, Math.ceil(text.content.length / 60)))}
        ref=${first}
        value=${text.content}
        onInput=${typed('content')}
      ></textarea>
      <p role="alert">${problem}</p>
      <div class="actions">
        <button type="submit" class="review-main" aria-keyshortcuts="Control+Enter">
          ${isPublished ? 'Save the changes' : 'Publish'} <kbd aria-hidden="true">Ctrl Enter</kbd>
        </button>
        <button type="button" class="small" aria-keyshortcuts="Escape" onClick=${close}>
          Close the form <kbd aria-hidden="true">Esc</kbd>
        </button>
        <button type="button" class="small" onClick=${forget}>Forget the edits</button>
      </div>
      <p class="quiet">The edited text is kept here until it is sent or you leave the page.</p>
    </form>
  `;
}
