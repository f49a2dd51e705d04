import { linkTo } from '../../address.js';
import { html, useLayoutEffect, useMemo, useRef } from '../../html.js';
import { toHeading } from '../../parts/action.js';
import { useAsk } from '../../parts/ask.js';
import { CommandLine } from '../../parts/copy.js';
import { SearchField } from '../../parts/list.js';
import { useClientNames, usePeopleNames } from '../../parts/names.js';
import { count, size } from '../../parts/words.js';
import { ChosenFile } from './file.js';
import { useFiles } from './read-files.js';
import { conflictCopy, hasWords, nameOf, shownPath, VIEWS } from './shape.js';
import { FoundFiles, Tree } from './tree.js';

/**
 * The page of workspace files. The terminal client changes them; this page shows them.
 * @param {import('../../section.d.ts').PageProps} props
 */
export function Page(props) {
  const { session, team, query, link, go, setTitle } = props;
  const ask = useAsk(props);
  const [path, q, show] = [query.get('path'), query.get('q') ?? '', query.get('show') ?? ''];
  const view = VIEWS[show];
  const { workspace, again } = useFiles(props, ask, show === 'deleted');
  const people = usePeopleNames(ask, session);
  const clients = useClientNames(ask);
  const canWrite = team.state === 'active' && team.access !== 'read';
  const hrefOf = (/** @type {string | null} */ to) => link('/files', { path: to, q, show });
  const known = { people, clients, hrefOf, canWrite };
  const { files, revision, problem } = workspace;
  const live = useMemo(() => [...files.values()].filter(({ deleted }) => !deleted), [files]);
  const found = useMemo(() => {
    if (view === undefined && q.trim() === '') return null;
    return (show === 'deleted' ? [...files.values()] : live).filter(
      (file) =>
        (view === undefined || view.shows(file)) &&
        hasWords(`${shownPath(file.path, clients)} ${file.path}`, q.trim()),
    );
  }, [files, clients, q, show]);
  const copies = useMemo(() => live.filter((file) => conflictCopy(file.path) !== null), [files]);
  const isEmpty = revision !== null && live.length === 0;

  const title =
    path !== null ? nameOf(path) : (view?.label ?? (revision === null ? '' : count(live.length, 'file')));
  useLayoutEffect(() => setTitle(title), [title]);
  const row = useFocus(path);

  /** @param {Readonly<Record<string, string | null>>} change */
  const filter = (change, replace = false) => go(link('/files', { path, q, show, ...change }), replace);

  const bytes = live.reduce((sum, file) => sum + file.bytes, 0);
  const status =
    problem !== ''
      ? ''
      : revision === null
        ? `Reading the files${files.size === 0 ? '' : `: ${files.size.toLocaleString('en')} so far`} …`
        : found === null
          ? live.length === 0
            ? ''
            : `${count(live.length, 'file')}, ${size(bytes)}`
          : `${count(found.length, 'file')} found`;
  return html`
    <div class=${path === null ? 'page files' : 'page files with-file'}>
      <section class="card all-files" aria-label="All files" ref=${row}>
        <form class="filters" role="search" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
          <div class="wide">
            <${SearchField} id="files-filter" label="Find by name or folder" value=${q} show=${(/** @type {string} */ text) => filter({ q: text }, true)} />
          </div>
          <div>
            <label for="files-show">Show</label>
            <select
              id="files-show"
              value=${view === undefined ? '' : show}
              onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => filter({ show: currentTarget.value })}
            >
              <option value="">All files</option>
              ${Object.entries(VIEWS).map(([name, { label }]) => html`<option key=${name} value=${name}>${label}</option>`)}
            </select>
          </div>
        </form>
        <p role="alert">${problem}</p>
        ${problem !== '' && html`<p><button type="button" class="small" onClick=${again}>Go on reading</button></p>`}
        <p class="quiet files-status" role="status">${status}</p>
        ${
          copies.length > 0 &&
          view === undefined &&
          html`<p class="files-warning">
            <a href=${link('/files', { path, q, show: 'conflicts' })}>${count(copies.length, 'conflict copy', 'conflict copies')}</a>${' '}
            ${copies.length === 1 ? 'waits' : 'wait'} to be merged by hand.
          </p>`
        }
        ${
          isEmpty && found === null
            ? html`<${NoFiles} team=${team} canWrite=${canWrite} />`
            : found === null
              ? html`<${Tree} files=${live} chosen=${path} known=${known} />`
              : html`<${FoundFiles} key=${`${show} ${q}`} files=${found} chosen=${path} known=${known} />`
        }
        ${
          found !== null &&
          found.length === 0 &&
          revision !== null &&
          html`<p>
            <a href=${link('/files', { path })} onClick=${toHeading}>Show all files</a>
          </p>`
        }
        ${
          canWrite &&
          !isEmpty &&
          html`<details class="files-sync">
            <summary>Work with these files on your computer</summary>
            <${SyncLine} team=${team} />
          </details>`
        }
      </section>
      ${path !== null && html`<${ChosenFile} key=${path} path=${path} file=${files.get(path) ?? null} live=${live} page=${props} ask=${ask} known=${known} />`}
    </div>
  `;
}

/**
 * Moves the focus to a file when it is chosen, and back to its row when it is closed.
 * @param {string | null} path
 * @returns {import('preact').RefObject<HTMLElement | null>} for the element with the rows
 */
function useFocus(path) {
  const rows = useRef(/** @type {HTMLElement | null} */ (null));
  const before = useRef(path);
  useLayoutEffect(() => {
    const last = before.current;
    before.current = path;
    if (path === last) return;
    const links = [...(rows.current?.querySelectorAll('a[data-path]') ?? [])];
    const row = links.find((element) => element.getAttribute('data-path') === last);
    const target =
      path !== null
        ? document.getElementById('file-heading')
        : (row ?? document.getElementById('page-heading'));
    if (target instanceof HTMLElement) target.focus();
  }, [path]);
  return rows;
}

/**
 * In place of the tree while there are no files.
 * @param {object} props
 * @param {import('../../section.d.ts').Team} props.team
 * @param {boolean} props.canWrite
 */
const NoFiles = ({ team, canWrite }) => html`
  <h2>There are no files yet</h2>
  ${
    canWrite
      ? html`<${SyncLine} team=${team} />`
      : html`<p>
          ${
            team.state === 'archived'
              ? 'This Team is archived, so none can be added.'
              : 'You can read the files of this Team. To add files, ask an Owner or Admin of the Team for the right to write.'
          }
        </p>`
  }
`;

/**
 * How files are changed.
 * @param {object} props
 * @param {import('../../section.d.ts').Team} props.team
 */
const SyncLine = ({ team }) => html`
  <p>
    The terminal client keeps a folder on your computer and these files the same. Files for the whole Team are in its
    folder <code>team</code>, and those of a client in <code>clients</code>, in a folder named by the id of the client. The
    <a href=${linkTo('/', team.id)}>home page</a> shows how to install the terminal client.
  </p>
  <${CommandLine} label="Sync the workspace files" line=${`memory sync ./workspace --team ${team.id}`} />
`;
