import { askService, describeFailure } from '../shared/ask-service.js';
import { show } from '../shared/page-text.js';
import { endSession, findSession, storeSession } from '../shared/session.js';
import { openBoard } from './board.js';
import { byId, put } from './element.js';
import { closeSignIn, onSignIn, openSignIn, showFault } from './sign-in-form.js';
import { findTeam, listTeams, onTeamChoice, rememberTeam } from './team-choice.js';

/** If the session cannot be read at the start, it is requested again after this. */
const AGAIN_MS = 5000;
const CHOOSE = 'Choose a Team to see how it is.';
const NO_TEAM = 'No Team is open to you yet. An Owner of the Company can open one to you.';

const [entry, board, figures, notice, problem, signOut] = [
  'entry',
  'board',
  'figures',
  'no-team',
  'sign-out-problem',
  'sign-out',
].map(byId);

/** The session and its token; null if nobody is signed in. */
let session = null;
/** The Team that is shown, and its board; null if no Team is shown. */
let open = null;

async function begin() {
  show('One moment');
  const found = await findSession();
  if (found.session !== null) {
    enter(found.session);
  } else if (found.problem === undefined) {
    askToSignIn('');
  } else {
    show('Your session cannot be shown now', `${found.problem} The page tries again by itself.`);
    setTimeout(begin, AGAIN_MS);
  }
}

function askToSignIn(why) {
  leaveTeam();
  session = null;
  board.hidden = true;
  entry.hidden = false;
  show('Dashboard', why);
  openSignIn();
}

async function signIn(typed) {
  const reply = await askService('POST', 'v1/auth/login', { body: typed });
  if (reply.status === 200) {
    storeSession(reply.answer.token);
    enter(reply.answer);
  } else if (reply.answer?.code === 'invalid_credentials') {
    showFault(
      'password',
      'The email or the password is wrong. If you forgot it, ask an Owner of your Company for a link to set a new one.',
    );
  } else if (reply.status === 400) {
    showFault(null, `This was not accepted. ${reply.answer?.detail ?? ''}`);
  } else {
    showFault(null, describeFailure(reply));
  }
}

/** Shows the board to the signed-in user. */
function enter(who) {
  session = who;
  closeSignIn();
  entry.hidden = true;
  board.hidden = false;
  put(problem, '');
  put(byId('company'), who.company.name);
  put(byId('user'), who.user.name);
  const team = findTeam(who.teams);
  if (team === null) offerTeams(who.teams.length === 0 ? NO_TEAM : CHOOSE);
  else showTeam(team);
  byId('board-heading').focus();
}

/** Hides the Team, and shows a message instead. */
function offerTeams(why) {
  leaveTeam();
  listTeams(session.teams, null);
  notice.textContent = why;
  notice.hidden = false;
  figures.hidden = true;
  document.title = 'Dashboard';
}

function showTeam(team) {
  leaveTeam();
  rememberTeam(team);
  listTeams(session.teams, team);
  notice.hidden = true;
  figures.hidden = false;
  document.title = `Dashboard · ${team.name}`;
  const mine = session;
  open = {
    id: team.id,
    ...openBoard(
      { token: session.token, user: session.user, team },
      {
        session: (now) => {
          Object.assign(mine, now);
          const found = mine.teams.find(({ id }) => id === team.id) ?? null;
          listTeams(mine.teams, found);
          return found;
        },
        ended: (reply) => void leave(reply),
      },
    ),
  };
}

function leaveTeam() {
  open?.close();
  open = null;
}

/** Leaves the Team, because the session has ended or the user no longer has access to the Team. */
async function leave({ status }) {
  leaveTeam();
  if (status !== 401) {
    const mine = session;
    const reply = await askService('GET', 'v1/auth/session', { token: mine.token });
    // In between, another Team was chosen, or the user ended the session.
    if (open !== null || session !== mine) return;
    if (reply.status !== 401) {
      if (reply.status === 200) Object.assign(session, reply.answer);
      offerTeams('You no longer have access to this Team. Choose another.');
      byId('team').focus();
      return;
    }
  }
  // Deletes the session's token, unless another session has begun in this tab since then.
  const found = await findSession();
  if (found.session === null) askToSignIn('Your session has ended. Sign in again to go on.');
  else enter(found.session);
}

onSignIn(signIn);

onTeamChoice((id) => {
  if (session === null || open?.id === id) return;
  const team = session.teams.find((candidate) => candidate.id === id);
  if (team !== undefined) showTeam(team);
});

signOut.addEventListener('click', async () => {
  if (signOut.hasAttribute('aria-busy')) return;
  signOut.setAttribute('aria-busy', 'true');
  put(problem, '');
  const failure = await endSession(session.token);
  signOut.removeAttribute('aria-busy');
  if (failure === null) askToSignIn('You are signed out.');
  else problem.textContent = `You are still signed in. ${failure}`;
});

addEventListener('pageshow', ({ persisted }) => {
  // The browser restored the page from its cache, so what it shows can be old.
  if (persisted) location.reload();
});

void begin();
