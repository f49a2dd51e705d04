import { element, named } from '../shared/element.js';
import { showAndFocus } from '../shared/page-text.js';
import { endSession } from '../shared/session.js';

const ROLES = { owner: 'Owner', admin: 'Admin', member: 'Member' };
const ACCESS = { full: 'full access', member: 'member access', read: 'read access' };
const NO_TEAM = 'None is open to you yet. An Owner of the Company can open one to you.';

let view = null;

/** Shows the user, the Company and the Teams of a session, with a button to sign out. Replaces an earlier view. */
export function showSession(title, text, { token, user, company, teams }) {
  hideSession();
  const problem = element('p');
  problem.setAttribute('role', 'alert');
  const signOut = element('button', 'Sign out');
  signOut.type = 'button';
  view = element(
    'section',
    element(
      'dl',
      ...entry('Signed in as', named(user.name), ' (', named(user.email), ')'),
      ...entry('Company', named(company.name)),
      ...entry('Your role there', `Company ${ROLES[company.role]}`),
      ...entry('Teams', teams.length > 0 ? element('ul', ...teams.map(teamItem)) : NO_TEAM),
    ),
    problem,
    signOut,
  );
  signOut.addEventListener('click', () => leave(token, view, problem));
  document.querySelector('main').append(view);
  showAndFocus(title, text);
}

function entry(term, ...what) {
  return [element('dt', term), element('dd', ...what)];
}

function teamItem({ name, role, access, state }) {
  const notes = [
    ...(role === null ? [] : [`Team ${ROLES[role]}`]),
    ACCESS[access],
    ...(state === 'archived' ? ['archived'] : []),
  ];
  return element('li', named(name), `: ${notes.join(', ')}`);
}

async function leave(token, left, problem) {
  if (left.hasAttribute('aria-busy')) return;
  left.setAttribute('aria-busy', 'true');
  problem.textContent = '';
  const failure = await endSession(token);
  left.removeAttribute('aria-busy');
  // A link was opened before the answer came, so the page now shows something else.
  if (view !== left) return;
  if (failure !== null) {
    problem.textContent = `You are still signed in. ${failure}`;
    return;
  }
  hideSession();
  showAndFocus('You are signed out', 'This session has ended. You can close this page.');
}

export function hideSession() {
  view?.remove();
  view = null;
}
