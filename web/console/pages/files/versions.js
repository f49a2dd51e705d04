import { html, useLayoutEffect, useMemo, useRef, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { saveAs, withQuery } from '../../parts/ask.js';
import { ListEnd, useList } from '../../parts/list.js';
import { Moment, size } from '../../parts/words.js';
import { nameOf } from './shape.js';
import { Person } from './tree.js';

/**
 * @typedef {import('../../../../shared/schemas/workspace.ts').FileVersion} Version
 * @typedef {import('../../../../shared/schemas/workspace.ts').PullResponse} PullResponse
 */

/** The largest content that is shown as text, in bytes. */
const MAX_SHOWN = 200_000;

/**
 * The versions of a file, read again when it gets a newer one.
 * @param {import('../../parts/ask.js').Ask} ask
 * @param {string} path
 * @param {number | null} version the current one
 */
export function useVersions(ask, path, version) {
  const [missing, setMissing] = useState(false);
  const asked = useMemo(
    () =>
      /** @type {import('../../parts/ask.js').Ask} */
      async (...request) => {
        const reply = await ask(...request);
        // A path that no file can have is 400.
        setMissing(reply.status === 404 || reply.status === 400);
        return reply;
      },
    [ask],
  );
  /** @type {import('../../parts/list.js').List<Version>} */
  const versions = useList(asked, withQuery('workspace/versions', { path, limit: 20 }));
  const first = useRef(version);
  useLayoutEffect(() => {
    // The list was on its way already when the manifest told the first one.
    if (first.current !== null && version !== first.current) void versions.reload();
    first.current = version;
  }, [version]);
  return { versions, missing };
}

/**
 * The versions of a file, to read and to download.
 * @param {object} props
 * @param {import('../../parts/list.js').List<Version>} props.list
 * @param {string} props.path
 * @param {Version | null} props.current
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {import('./shape.js').Known} props.known
 */
export function Versions({ list, path, current, ask, known }) {
  const { send, problem, busy } = useAction(ask);
  const [done, setDone] = useState('');
  const [shown, setShown] = useState(/** @type {{ version: number, text: string } | null} */ (null));
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => heading.current?.focus(), [shown]);

  /** The content of a version; null if it could not be read. @param {number} version */
  async function pull(version) {
    setDone('');
    const reply = await send('POST', 'workspace/pull', { files: [{ path, version }] });
    if (reply === null) return null;
    /** @type {PullResponse} */
    const { files } = reply.answer;
    const [found] = files;
    if (found !== undefined) {
      return Uint8Array.from(atob(found.contentBase64), (character) => character.charCodeAt(0));
    }
    setDone(`Version ${version} is no longer stored.`);
    void list.reload();
    return null;
  }

  /** @param {number} version */
  async function download(version) {
    const content = await pull(version);
    if (content === null) return;
    saveAs(version === current?.version ? nameOf(path) : versionName(nameOf(path), version), content);
    setDone(`Version ${version} was downloaded.`);
  }

  /** @param {number} version */
  async function read(version) {
    const content = await pull(version);
    if (content === null) return;
    const text = textOf(content);
    setShown(text === null ? null : { version, text });
    if (text === null) setDone(`Version ${version} is not a text. Download it to open it.`);
  }

  /** @param {number} version */
  function close(version) {
    setShown(null);
    document.getElementById(readId(version))?.focus();
  }

  /** @param {Version} version */
  function row({ version, deleted, bytes, updatedAt, updatedBy }) {
    const button = (
      /** @type {string} */ text,
      /** @type {(version: number) => Promise<void>} */ act,
      /** @type {string} */ id,
    ) => html`
      <button type="button" class="small" id=${id} aria-busy=${busy ? 'true' : undefined} onClick=${() => act(version)}>
        ${text}<span class="unseen">${` version ${version}`}</span>
      </button>
    `;
    return html`
      <li key=${version}>
        <div class="bar">
          <div>
            <strong>Version ${version}</strong>
            ${version === current?.version && !deleted && html`${' '}<span class="tag">current</span>`}
            <ul class="facts">
              <li>${deleted ? 'deleted' : size(bytes)}</li>
              <li><${Moment} at=${updatedAt} /></li>
              ${known.people !== null && html`<li><${Person} id=${updatedBy} known=${known} /></li>`}
            </ul>
          </div>
          ${
            !deleted &&
            html`<div class="actions">
              ${bytes <= MAX_SHOWN && button('Read', read, readId(version))} ${button('Download', download, `download-version-${version}`)}
            </div>`
          }
        </div>
      </li>
    `;
  }

  const isOld = (list.items?.length ?? 0) > 1 || current?.deleted === true;
  return html`
    <h3>Versions</h3>
    <p role="alert">${problem}</p>
    <p class="quiet" role="status">${done}</p>
    <ol class="records versions">${list.items?.map(row)}</ol>
    <${ListEnd} list=${list} one="version" />
    ${
      known.canWrite &&
      isOld &&
      html`<p class="quiet">To bring back an old version, download it, put it in place of the file in your folder, and sync.</p>`
    }
    ${
      shown !== null &&
      html`<section class="version-text" aria-labelledby="text-heading">
        <div class="bar">
          <h3 id="text-heading" tabindex="-1" ref=${heading}>Text of version ${shown.version}</h3>
          <button type="button" class="small" onClick=${() => close(shown.version)}>Close</button>
        </div>
        ${shown.text === '' ? html`<p class="quiet">It is empty.</p>` : html`<p class="text" dir="auto">${shown.text}</p>`}
      </section>`
    }
  `;
}

/** The id of the button that shows a version. @param {number} version */
const readId = (version) => `read-version-${version}`;

/**
 * The text of a content; null if it is not a text.
 * @param {Uint8Array} content
 */
function textOf(content) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/**
 * The name of an old version, so that it does not look like the current one.
 * @param {string} name
 * @param {number} version
 */
function versionName(name, version) {
  const at = name.lastIndexOf('.');
  const end = at > 0 ? at : name.length;
  return `${name.slice(0, end)} (version ${version})${name.slice(end)}`;
}
