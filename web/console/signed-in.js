import { askService } from '../shared/ask-service.js';
import { readValue, storeValue } from '../shared/session.js';
import { linkTo } from './address.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';
import { Masthead } from './masthead.js';
import { recordAt, SECTIONS, sectionAt } from './sections.js';

/**
 * @typedef {import('./section.d.ts').Session} Session
 * @typedef {import('./section.d.ts').Team} Team
 * @typedef {import('./section.d.ts').Section} Section
 * @typedef {Awaited<ReturnType<Section['load']>>['Page']} Page
 */

/** The key in this tab's storage for the Team last used. */
const TEAM_KEY = 'team';

const CHOOSE = 'Choose a Team to see how it is.';
const NO_TEAM = 'No Team is open to you yet. An Owner of the Company can open one to you.';
/** What a user without a Team is told, by the role in the Company. */
const WITHOUT_TEAM = {
  owner: () =>
    html`The Company has no Team yet. <a href=${linkTo('/company', null)}>Make one on the page of the Company</a>.`,
  admin: () => html`${NO_TEAM} <a href=${linkTo('/company', null)}>Ask for access, or make a Team</a>.`,
  member: () => NO_TEAM,
};
const UNKNOWN = 'There is no such Team, or you do not have access to it. Choose another.';
const LOST = 'You no longer have access to this Team. Choose another.';
const NOT_OPEN =
  'This page is not open to you in this Team. An Owner or Admin of the Team can give you more access.';
const NOT_IN_COMPANY = 'This page is not open to you: it is for Owners and Admins of the Company.';
const NOT_LOADED = 'This page could not be loaded. Check your connection and reload.';

/**
 * What an address without a page shows.
 * @param {Pick<import('./section.d.ts').PageProps, 'link'>} props
 */
export const NoPage = ({ link }) => html`
  <p class="notice">
    There is no page at this address. Check the address, or <a href=${link('/')}>go to the home page</a>.
  </p>
`;

/** The section of such an address. It is not in the navigation. @type {Section} */
export const NO_PAGE = {
  path: '',
  name: 'Page not found',
  seenBy: () => true,
  ofCompany: true,
  sameInEveryTeam: true,
  load: async () => ({ Page: NoPage }),
};

/**
 * The Team to show: the one in the address, else the one last used in this tab, else the only one.
 * @param {readonly Team[]} teams
 * @param {string | null} named the id in the address
 * @returns {Team | null}
 */
function findTeam(teams, named) {
  const withId = (/** @type {string | null} */ id) => teams.find((team) => team.id === id) ?? null;
  if (named !== null) return withId(named);
  return withId(readValue(TEAM_KEY)) ?? (teams.length === 1 ? (teams[0] ?? null) : null);
}

/**
 * The console of a signed-in user.
 * @param {object} props
 * @param {Session} props.session
 * @param {import('./address.js').Address} props.address
 * @param {(href: string, replace?: boolean) => void} props.go
 * @param {(session: Session) => void} props.refreshed is called with the session when it was read again
 * @param {() => void} props.ended is called when the service no longer accepts the session
 * @param {() => void} props.signOut
 * @param {boolean} props.leaving
 */
export function SignedIn({ session, address, go, refreshed, ended, signOut, leaving }) {
  const section = sectionAt(address.path) ?? NO_PAGE;
  const found = findTeam(session.teams, address.team);
  const [lostTeam, setLostTeam] = useState(/** @type {string | null} */ (null));
  const team = found?.id === lostTeam ? null : found;
  const sections = SECTIONS.filter(({ seenBy }) => seenBy(session, team));
  const record = recordAt(address.path, section);
  const readable = section.seenBy(session, team);
  /** The page begins again when this changes. */
  const shownKey = section.sameInEveryTeam
    ? section.path
    : [section.path, record ?? '', team?.id ?? ''].join(' ');
  /** What the page shows, in its words. It sets them before the effects here. */
  const titled = useRef({ key: shownKey, what: '' });
  if (titled.current.key !== shownKey) titled.current = { key: shownKey, what: '' };
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const { Page, failed } = usePage(section, readable);
  /** The Team that is shown now, for answers that come late. */
  const shown = useRef(team);
  shown.current = team;

  useLayoutEffect(() => heading.current?.focus(), [section, record]);
  useLayoutEffect(writeTitle, [shownKey, team?.name]);
  useLayoutEffect(() => {
    if (team === null) return;
    storeValue(TEAM_KEY, team.id);
    if (address.team === null) go(linkTo(address.path, team.id, address.query), true);
  }, [team?.id, address.team]);

  /** @param {string} what */
  function setTitle(what) {
    titled.current.what = what;
    writeTitle();
  }

  function writeTitle() {
    document.title = [titled.current.what, section.name, team?.name].filter(Boolean).join(' · ');
  }

  /** @param {Omit<Session, 'token'>} answer */
  function sessionRead(answer) {
    refreshed({ ...answer, token: session.token });
    return answer.teams.find(({ id }) => id === team?.id) ?? null;
  }

  /** @param {{ status: number }} reply */
  async function lose({ status }) {
    if (status === 401) return ended();
    const reply = await askService('GET', 'v1/auth/session', { token: session.token });
    // In between, another Team was chosen, or the user was signed out.
    if (shown.current === null || shown.current.id !== team?.id) return;
    if (reply.status === 401) return ended();
    setLostTeam(team.id);
    if (reply.status === 200) refreshed({ ...reply.answer, token: session.token });
    document.getElementById('team')?.focus();
  }

  /** @param {string} id */
  function choose(id) {
    setLostTeam(null);
    // A record belongs to the Team that was shown.
    go(linkTo(record === null ? address.path : section.path, id));
  }

  const why =
    lostTeam !== null && lostTeam === address.team
      ? LOST
      : session.teams.length === 0
        ? WITHOUT_TEAM[session.company.role]()
        : address.team !== null
          ? UNKNOWN
          : CHOOSE;
  function content() {
    if (team === null && ((section.ofCompany ?? section.ofUser) !== true || !readable))
      return html`<${TeamList} why=${why} teams=${session.teams} path=${section.path} />`;
    if (!readable)
      return html`<p class="notice" role="status">${section.sameInEveryTeam ? NOT_IN_COMPANY : NOT_OPEN}</p>`;
    if (failed) return html`<p class="notice" role="alert">${NOT_LOADED}</p>`;
    return (
      Page !== null &&
      html`<${Page}
        key=${shownKey}
        session=${session}
        team=${team}
        record=${record}
        query=${address.query}
        link=${(/** @type {string} */ path, /** @type {Readonly<Record<string, string | null>>} */ query = {}) => linkTo(path, team?.id ?? null, query)}
        go=${go}
        sections=${sections}
        setTitle=${setTitle}
        refreshed=${sessionRead}
        lost=${lose}
      />`
    );
  }

  return html`
    <div id="board">
      <${Masthead}
        session=${session}
        team=${team}
        section=${section}
        sections=${sections}
        choose=${choose}
        signOut=${signOut}
        leaving=${leaving}
      />
      <main id="content">
        <h1 id="page-heading" tabindex="-1" ref=${heading}>${section.name}</h1>
        ${content()}
      </main>
    </div>
  `;
}

/**
 * Loads the script of a section.
 * @param {Section} section
 * @param {boolean} readable whether the user can read it
 * @returns {{ Page: Page | null, failed: boolean }} the page, or null until it is loaded
 */
function usePage(section, readable) {
  const [loaded, setLoaded] = useState(/** @type {{ section: Section, Page: Page | null } | null} */ (null));
  useLayoutEffect(() => {
    let wanted = readable;
    if (!wanted) return;
    section.load().then(
      ({ Page }) => wanted && setLoaded({ section, Page }),
      () => wanted && setLoaded({ section, Page: null }),
    );
    return () => {
      wanted = false;
    };
  }, [section, readable]);
  if (loaded?.section !== section) return { Page: null, failed: false };
  return { Page: loaded.Page, failed: loaded.Page === null };
}

/**
 * Why no Team is shown, with the Teams that can be shown.
 * @param {object} props
 * @param {import('./html.js').Children} props.why
 * @param {readonly Team[]} props.teams
 * @param {string} props.path
 */
function TeamList({ why, teams, path }) {
  return html`
    <section class="card" aria-label="Teams">
      <p id="no-team" role="status">${why}</p>
      <ul class="links">
        ${teams.map(
          ({ id, name, state }) => html`
            <li key=${id}>
              <a href=${linkTo(path, id)}><bdi>${name}</bdi></a>${state === 'archived' ? ' (archived)' : ''}
            </li>
          `,
        )}
      </ul>
    </section>
  `;
}
