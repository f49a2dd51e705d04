import { linkTo } from './address.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';

/**
 * @typedef {import('./section.d.ts').Session} Session
 * @typedef {import('./section.d.ts').Team} Team
 * @typedef {import('./section.d.ts').Section} Section
 */

/**
 * The head of every page: the Company, the choice of the Team, the user and the sections that the user can read.
 * @param {object} props
 * @param {Session} props.session
 * @param {Team | null} props.team the Team that is shown
 * @param {Section} props.section the section that is shown
 * @param {readonly Section[]} props.sections those that the user can read
 * @param {(id: string) => void} props.choose is called with the id of another Team
 * @param {() => void} props.signOut
 * @param {boolean} props.leaving whether the user is being signed out
 */
export function Masthead({ session, team, section, sections, choose, signOut, leaving }) {
  const { company, user, teams } = session;
  return html`
    <header>
      <div class="masthead">
        <p class="identity"><strong>Team memory</strong> <bdi id="company">${company.name}</bdi></p>
        <div class="choice">
          <label for="team">Team</label>
          <${TeamChoice} teams=${teams} team=${team} choose=${choose} />
        </div>
        <div class="who">
          <span>
            Signed in as${' '}
            <a
              href=${linkTo('/account', team?.id ?? null)}
              title="Your account"
              aria-current=${section.ofUser ? 'page' : undefined}
            ><bdi id="user">${user.name}</bdi></a>
          </span>
          <button
            id="sign-out"
            type="button"
            class="small"
            aria-busy=${leaving ? 'true' : undefined}
            onClick=${signOut}
          >
            Sign out
          </button>
        </div>
      </div>
      <${Navigation} team=${team} section=${section} sections=${sections.filter(({ ofUser }) => !ofUser)} />
    </header>
  `;
}

/**
 * The links to the sections. On a narrow screen, a button shows and hides them.
 * @param {object} props
 * @param {Team | null} props.team
 * @param {Section} props.section the section that is shown
 * @param {readonly Section[]} props.sections
 */
function Navigation({ team, section, sections }) {
  const [open, setOpen] = useState(false);
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => setOpen(false), [section]);

  /** The link that had the focus is hidden then. If it leads to another page, that page takes the focus. */
  function close() {
    setOpen(false);
    button.current?.focus();
  }
  /** @param {KeyboardEvent} event */
  function press({ key }) {
    if (key === 'Escape' && open) close();
  }
  return html`
    <nav aria-label="Sections" onKeyDown=${press}>
      <button
        type="button"
        class="small menu"
        aria-expanded=${open ? 'true' : 'false'}
        aria-controls="sections"
        ref=${button}
        onClick=${() => setOpen(!open)}
      >
        Menu
      </button>
      <ul id="sections" class=${open ? 'open' : undefined} onClick=${close}>
        ${sections.map(
          ({ path, name }) => html`
            <li key=${path}>
              <a href=${linkTo(path, team?.id ?? null)} aria-current=${name === section.name ? 'page' : undefined}>
                ${name}
              </a>
            </li>
          `,
        )}
      </ul>
    </nav>
  `;
}

/**
 * @param {object} props
 * @param {readonly Team[]} props.teams
 * @param {Team | null} props.team
 * @param {(id: string) => void} props.choose
 */
function TeamChoice({ teams, team, choose }) {
  /** @param {Event} event */
  function change({ target }) {
    if (target instanceof HTMLSelectElement && target.value !== '') choose(target.value);
  }
  return html`
    <select id="team" value=${team?.id ?? ''} onChange=${change}>
      ${team === null && html`<option value="">${teams.length === 0 ? 'No Team yet' : 'Choose a Team'}</option>`}
      ${teams.map(
        ({ id, name, state }) =>
          // Isolation characters, because an option cannot contain a bdi element.
          html`<option key=${id} value=${id}>${`\u2068${name}\u2069${state === 'archived' ? ' (archived)' : ''}`}</option>`,
      )}
    </select>
  `;
}
