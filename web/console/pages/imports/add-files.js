import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { TagField, useTags } from '../../parts/fields.js';
import { isolated, size } from '../../parts/words.js';
import { chosenIn, droppedIn, EXTENSIONS, MAX_FILE_BYTES } from './chosen-files.js';

/**
 * @typedef {import('../../../../shared/schemas/clients.ts').Client} Client
 * @typedef {import('./sender.js').Target} Target
 */

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
  const tags = useTags();
  const [expiry, setExpiry] = useState('');
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState('');
  const layer = chosenLayer ?? client ?? '';
  const known = clients?.find(({ id }) => id === layer);

  /** @param {readonly import('./chosen-files.js').Chosen[]} chosen */
  function add(chosen) {
    setProblem('');
    if (chosen.length === 0) return setProblem('There are no files in it.');
    if (expiry !== '' && expiry < today()) {
      return setProblem('The files were not added: the day on which they expire is over.');
    }
    const named = tags.all();
    if (named === null) {
      setProblem('The files were not added. Correct the tags first.');
      document.getElementById('tags')?.focus();
      return undefined;
    }
    tags.add();
    // Also if the client is not open to the user: then the service refuses, and nothing is stored elsewhere.
    const target = { clientId: layer === '' ? null : layer, tags: [...named], expiresAt: endOf(expiry) };
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
          <${TagField} id="tags" field=${tags} />
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
