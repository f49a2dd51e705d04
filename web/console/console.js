import { endSession, findSession, forgetSession, storeSession } from '../shared/session.js';
import { clickedLink, linkTo, mayLeave, readAddress } from './address.js';
import { html, render, useLayoutEffect, useRef, useState } from './html.js';
import { sectionAt } from './sections.js';
import { SignIn } from './sign-in.js';
import { NO_PAGE, NoPage, SignedIn } from './signed-in.js';

/**
 * @typedef {import('./section.d.ts').Session} Session
 *
 * Who uses this tab. `open` is the token of a session that could not be ended on the service.
 * @typedef {{ kind: 'unknown', problem: string | null }
 *   | { kind: 'out', message: string, open: string | null }
 *   | { kind: 'in', session: Session }} User
 */

/** If the session cannot be read at the start, it is requested again after this. */
const AGAIN_MS = 5000;
const ENDED = 'Your session has ended. Sign in again to go on.';

/** The place of the present address in the history of the tab, so that a step in it can be undone. */
const placeNow = () => Number(history.state?.place ?? 0);

/** What is shown after the user has signed out is no address. */
const SIGNED_OUT = { path: '', team: null, query: new URLSearchParams() };

/** @returns {User} */
const signedOut = (message = '', /** @type {string | null} */ open = null) => ({
  kind: 'out',
  message,
  open,
});

/** The console: asks the user to sign in, at any address, and then shows the page of the address. */
function Console() {
  const [user, setUser] = useState(/** @type {User} */ ({ kind: 'unknown', problem: null }));
  const [address, setAddress] = useState(() => readAddress(location));
  const [leaving, setLeaving] = useState(false);
  const section = sectionAt(address.path);
  /** What is shown now, for the listeners, and its place in the history. */
  const shown = useRef({ address, place: placeNow() });

  /** @param {import('./address.js').Address} next */
  function show(next) {
    shown.current = { address: next, place: placeNow() };
    setAddress(next);
  }

  useLayoutEffect(() => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    async function begin() {
      const found = await findSession();
      if (found.session !== null) {
        setUser({ kind: 'in', session: found.session });
      } else if (found.problem === undefined) {
        setUser(signedOut());
      } else {
        setUser({ kind: 'unknown', problem: found.problem });
        timer = setTimeout(begin, AGAIN_MS);
      }
    }
    void begin();
    function follow() {
      const next = readAddress(location);
      if (mayLeave(shown.current.address, next)) show(next);
      // The browser has made the step already.
      else history.go(shown.current.place - placeNow());
    }
    addEventListener('popstate', follow);
    return () => {
      clearTimeout(timer);
      removeEventListener('popstate', follow);
    };
  }, []);

  /**
   * Shows another address of the console, unless the user wants to stay.
   * @param {string} href
   * @param {boolean} [replace] whether it takes the place of the present one in the history
   */
  function go(href, replace = false) {
    if (!mayLeave(shown.current.address, readAddress(new URL(href, location.href)))) {
      // What was chosen, such as a Team, is shown as it was before.
      setAddress({ ...shown.current.address });
      return;
    }
    const place = placeNow() + (replace ? 0 : 1);
    history[replace ? 'replaceState' : 'pushState']({ place }, '', href);
    show(readAddress(location));
  }

  /** @param {MouseEvent} event */
  function click(event) {
    const url = clickedLink(event);
    if (url === null || sectionAt(readAddress(url).path) === undefined) return;
    event.preventDefault();
    if (url.href !== location.href) go(url.href);
  }

  /** @param {Session} session */
  function enter(session) {
    storeSession(session.token);
    setUser({ kind: 'in', session });
  }

  /** @param {string} token */
  async function signOut(token) {
    if (leaving || !mayLeave(shown.current.address, SIGNED_OUT)) return;
    setLeaving(true);
    const failure = await endSession(token);
    setLeaving(false);
    forgetSession(token);
    if (failure === null) setUser(signedOut('You are signed out.'));
    else
      setUser(
        signedOut(`This page is empty now, but the session is still open on the service. ${failure}`, token),
      );
  }

  /** After the service has refused the session: another one can have begun in this tab since then. */
  async function sessionEnded() {
    const found = await findSession();
    if (found.session === null) setUser(signedOut(ENDED));
    else setUser({ kind: 'in', session: found.session });
  }

  if (user.kind === 'in') {
    return html`<div onClick=${click}>
      <${SignedIn}
        session=${user.session}
        address=${address}
        go=${go}
        refreshed=${(/** @type {Session} */ session) =>
          setUser((now) =>
            now.kind === 'in' && now.session.token === session.token ? { kind: 'in', session } : now,
          )}
        ended=${sessionEnded}
        signOut=${() => signOut(user.session.token)}
        leaving=${leaving}
      />
    </div>`;
  }
  if (user.kind === 'out' && user.open === null && section === undefined) return html`<${UnknownAddress} />`;
  return html`<${Entry} user=${user} section=${section?.name ?? ''} enter=${enter} endOpen=${signOut} />`;
}

/** What the console shows at an address without a page while nobody is signed in. */
function UnknownAddress() {
  useLayoutEffect(() => {
    document.title = NO_PAGE.name;
  }, []);
  return html`
    <main id="entry">
      <h1 id="heading" tabindex="-1">${NO_PAGE.name}</h1>
      <${NoPage} link=${(/** @type {string} */ path) => linkTo(path, null)} />
    </main>
  `;
}

/**
 * What the console shows while nobody is signed in.
 * @param {object} props
 * @param {Exclude<User, { kind: 'in' }>} props.user
 * @param {string} props.section what the address leads to
 * @param {(session: Session) => void} props.enter
 * @param {(token: string) => void} props.endOpen ends a session that could not be ended before
 */
function Entry({ user, section, enter, endOpen }) {
  const open = user.kind === 'out' ? user.open : null;
  const [heading, text] =
    user.kind === 'out'
      ? [open === null ? 'Sign in' : 'The session is not ended', user.message]
      : user.problem === null
        ? ['One moment', '']
        : ['Your session cannot be shown now', `${user.problem} The page tries again by itself.`];
  useLayoutEffect(() => {
    document.title = `${heading} · ${section}`;
  }, [heading, section]);
  return html`
    <main id="entry">
      <h1 id="heading" tabindex="-1">${heading}</h1>
      <p id="message" role="status">${text}</p>
      ${
        open !== null &&
        html`<button type="button" onClick=${() => endOpen(open)}>End the session</button>
          <p class="next"><a href=${location.href}>Sign in again</a></p>`
      }
      ${user.kind === 'out' && open === null && html`<${SignIn} enter=${enter} />`}
    </main>
  `;
}

addEventListener('pageshow', ({ persisted }) => {
  // The browser restored the page from its cache, so what it shows can be old.
  if (persisted) location.reload();
});

const root = document.getElementById('console');
if (root !== null) render(html`<${Console} />`, root);
