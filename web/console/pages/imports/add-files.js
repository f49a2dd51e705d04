import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { isolated, size } from '../../parts/words.js';
import { chosenIn, droppedIn, EXTENSIONS, MAX_FILE_BYTES } from './chosen-files.js';

/**
 * @typedef {import('../../../../shared/schemas/identity.ts').Client} Client
 * @typedef {import('./sender.js').Target} Target
 */

const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 50;

/** @param {string} text */
const tagsIn = (text) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/**
 * What is wrong with the tags, or ''.
 * @param {readonly string[]} tags
 */
function faultOfTags(tags) {
  if (tags.length > MAX_TAGS) return `A file can have ${MAX_TAGS} tags; these are ${tags.length}.`;
  const long = tags.some(
    (tag) => Array.from(tag.toLowerCase().replaceAll('ß', 'ss')).length > MAX_TAG_LENGTH,
  );
  return long ? `A tag can have ${MAX_TAG_LENGTH} characters. Separate tags with commas.` : '';
}

/** The date of today where the user is. */
const today = () => new Intl.DateTimeFormat('sv').format(new Date());

/**
 * The end of a day where the user is.
 * @param {string} day
 */
const endOf = (day) => (day === '' ? null : new Date(`${day}T23:59:59.999`).toISOString());

/** @param {DragEvent} event */
const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes('Files') === true;

/**
 * Where files are dropped and chosen, and what is stored with them. Files can be dropped anywhere on the page.
 * @param {object} props
 * @param {readonly Client[] | null} props.clients those that the user can write to; null while they are read
 * @param {string | null} props.client the client that the page is about
 * @param {import('./sender.js').Sender} props.sender
 */
export function AddFiles({ clients, client, sender }) {
  const [chosenLayer, setLayer] = useState(/** @type {string | null} */ (null));
  const [tags, setTags] = useState('');
  const [expiry, setExpiry] = useState('');
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState('');
  const tagField = useRef(/** @type {HTMLInputElement | null} */ (null));
  const layer = chosenLayer ?? client ?? '';
  const known = clients?.find(({ id }) => id === layer);
  const fault = faultOfTags(tagsIn(tags));

  /** @param {readonly import('./chosen-files.js').Chosen[]} chosen */
  function add(chosen) {
    setProblem('');
    if (chosen.length === 0) return setProblem('There are no files in it.');
    if (expiry !== '' && expiry < today()) {
      return setProblem('The files were not added: the day on which they expire is over.');
    }
    if (fault !== '') {
      setProblem(`The files were not added. ${fault}`);
      tagField.current?.focus();
      return undefined;
    }
    // Also if the client is not open to the user: then the service refuses, and nothing is stored elsewhere.
    const target = { clientId: layer === '' ? null : layer, tags: tagsIn(tags), expiresAt: endOf(expiry) };
    return sender.add(chosen, target);
  }
  const adding = useRef(add);
  adding.current = add;

  useLayoutEffect(() => {
    let inside = 0;
    /** @param {DragEvent} event */
    function drag(event) {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (event.type === 'dragenter') inside += 1;
      if (event.type === 'dragleave') inside -= 1;
      setOver(inside > 0);
    }
    /** @param {DragEvent} event */
    async function drop(event) {
      if (!hasFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      inside = 0;
      setOver(false);
      const reading = droppedIn(event.dataTransfer);
      const chosen = await reading.catch(() => null);
      if (chosen === null) setProblem('What was dropped cannot be read. Choose the files instead.');
      else adding.current(chosen);
    }
    for (const type of /** @type {const} */ (['dragenter', 'dragover', 'dragleave']))
      addEventListener(type, drag);
    addEventListener('drop', drop);
    return () => {
      for (const type of /** @type {const} */ (['dragenter', 'dragover', 'dragleave']))
        removeEventListener(type, drag);
      removeEventListener('drop', drop);
    };
  }, []);

  /** @param {Event} event */
  function choose({ currentTarget }) {
    if (!(currentTarget instanceof HTMLInputElement)) return;
    const chosen = chosenIn(currentTarget.files ?? []);
    // The same file can be chosen again, after it was corrected.
    currentTarget.value = '';
    add(chosen);
  }

  return html`
    <section class="card" aria-labelledby="add-heading">
      <h2 id="add-heading" tabindex="-1">Add files</h2>
      <form class="filters imports-target" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
        <div class="wide">
          <label for="layer">Store in</label>
          <select id="layer" value=${layer} onChange=${(/** @type {any} */ event) => setLayer(event.target.value)}>
            <option value="">The Team layer</option>
            ${clients?.map(({ id, name }) => html`<option key=${id} value=${id}>${`Client ${isolated(name)}`}</option>`)}
          </select>
        </div>
        <div class="wide">
          <label for="tags">Tags, separated by commas</label>
          <input
            id="tags"
            ref=${tagField}
            value=${tags}
            autocomplete="off"
            aria-invalid=${fault === '' ? undefined : 'true'}
            aria-describedby="tags-fault"
            onInput=${(/** @type {any} */ event) => setTags(event.target.value)}
          />
          <p id="tags-fault" class="imports-fault">${fault}</p>
        </div>
        <div>
          <label for="expiry">Expire at the end of</label>
          <input
            id="expiry"
            type="date"
            min=${today()}
            value=${expiry}
            onInput=${(/** @type {any} */ event) => setExpiry(event.target.value)}
          />
        </div>
      </form>
      <div class="imports-drop" data-over=${over ? 'true' : undefined}>
        <p class="imports-call">
          ${over ? 'Let go to import into ' : 'Drop files or folders here to import them into '}
          <strong>${layer === '' ? 'the Team layer' : known === undefined ? 'the client' : html`<bdi>${known.name}</bdi>`}</strong>
        </p>
        <div class="imports-pick">
          <label>
            Choose files
            <input type="file" multiple accept=${EXTENSIONS.map((one) => `.${one}`).join()} onChange=${choose} />
          </label>
          <label>
            Choose a folder
            <input type="file" multiple webkitdirectory onChange=${choose} />
          </label>
        </div>
        <p class="quiet">
          Text, Markdown, HTML, CSV, JSON, PDF, EPUB, Word, Excel, PowerPoint, OpenDocument, RTF and mail, up to${' '}
          ${size(MAX_FILE_BYTES)} each. They are sent at once, and can be searched as soon as they are read.
        </p>
        <p role="alert">${problem}</p>
      </div>
    </section>
  `;
}
