// Sets a password with the token of a reset link. The token comes in the fragment, leaves the address bar at
// once, and stays in this tab only, so that a reload works.

const KEPT = 'reset-token';
const MIN_LENGTH = 12;
const MAX_LENGTH = 256;

const ASK = 'Ask an Owner of your Company for a new one.';
/** What makes a link worthless for good, by error code: nothing on this page can help then. */
const DEAD_LINKS = {
  token_used: [
    'This link was used already',
    `A link sets a password once. If you need another, ${lower(ASK)}`,
  ],
  token_expired: ['This link has expired', ASK],
  token_revoked: [
    'This link was withdrawn',
    `A newer link may have replaced it. If you have none, ${lower(ASK)}`,
  ],
  not_found: ['This link is not valid', `Check that you opened all of it. If you did, ${lower(ASK)}`],
};
const MISSING = [
  'The link is incomplete',
  'Open the whole link that you were given, up to its last character.',
];

const [heading, message, form, problem, password, repeated, shown, submit] = [
  'heading',
  'message',
  'form',
  'problem',
  'password',
  'repeated',
  'shown',
  'submit',
].map((id) => document.getElementById(id));

let token = null;

function lower(sentence) {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** The browser may refuse storage altogether. The page works without; only a reload then asks for the link. */
function stored(use) {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}

function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  if (given) stored((storage) => storage.setItem(KEPT, given));
  return given || stored((storage) => storage.getItem(KEPT));
}

function forgetToken() {
  token = null;
  stored((storage) => storage.removeItem(KEPT));
}

/** Ends the form and says what came of it. All of it is text: nothing of an answer is read as HTML. */
function conclude([title, text]) {
  forgetToken();
  form.reset();
  form.hidden = true;
  heading.textContent = title;
  document.title = title;
  message.textContent = text;
  message.hidden = false;
  heading.focus();
}

function begin() {
  token = takeToken();
  if (!token) {
    conclude(MISSING);
    return;
  }
  heading.textContent = 'Set your password';
  document.title = 'Set your password';
  message.hidden = true;
  form.hidden = false;
  complain(null, '');
  password.focus();
}

function complain(field, text) {
  for (const input of [password, repeated]) {
    input.toggleAttribute('aria-invalid', false);
    if (input === field) input.setAttribute('aria-invalid', 'true');
  }
  problem.textContent = text;
  field?.focus();
}

/** Whether the two fields hold one password that may be tried; says why not. */
function isComplete() {
  // As the service counts: characters, not UTF-16 units.
  const length = [...password.value].length;
  if (length < MIN_LENGTH) {
    complain(password, `The password has ${length} of at least ${MIN_LENGTH} characters.`);
  } else if (length > MAX_LENGTH) {
    complain(password, `The password is longer than ${MAX_LENGTH} characters.`);
  } else if (password.value !== repeated.value) {
    complain(repeated, 'The two passwords are not the same.');
  } else {
    return true;
  }
  return false;
}

function report(answer) {
  const { user, company } = answer;
  conclude([
    'Your password is set',
    `You are signed in as ${user.name} (${user.email}) of ${company.name}. From now on, sign in with this email ` +
      'and your new password. Every other session of yours has ended.',
  ]);
}

function refuse(status, answer) {
  if (Object.hasOwn(DEAD_LINKS, answer?.code ?? '')) {
    conclude(DEAD_LINKS[answer.code]);
  } else if (status === 429 || status === 503) {
    complain(null, 'The service is busy. Wait a moment and try again.');
  } else if (status === 400) {
    complain(password, `The password was not accepted. ${answer?.detail ?? ''}`);
  } else {
    complain(null, 'The service failed, and your password is as it was. Try again later.');
  }
}

async function send() {
  let response;
  let answer = null;
  try {
    response = await fetch('v1/auth/reset', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      credentials: 'omit',
      body: JSON.stringify({ token, newPassword: password.value }),
    });
    answer = await response.json();
  } catch {
    if (response === undefined || response.ok) {
      complain(null, 'The service did not answer. Check your connection and try again.');
      return;
    }
  }
  if (response.ok) report(answer);
  else refuse(response.status, answer);
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (submit.disabled || !isComplete()) return;
  complain(null, '');
  submit.disabled = true;
  form.setAttribute('aria-busy', 'true');
  await send();
  submit.disabled = false;
  form.removeAttribute('aria-busy');
});

shown.addEventListener('change', () => {
  for (const input of [password, repeated]) input.type = shown.checked ? 'text' : 'password';
});

// Another link opened in this tab changes the fragment only: the browser does not load the page again.
addEventListener('hashchange', begin);
begin();
