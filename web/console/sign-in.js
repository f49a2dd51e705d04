import { askService, describeFailure } from '../shared/ask-service.js';
import { html, useLayoutEffect, useRef, useState } from './html.js';

const MAX_PASSWORD_LENGTH = 256;
const WRONG =
  'The email or the password is wrong. If you forgot it, ask an Owner of your Company for a link to set a new one.';

/** @typedef {{ field: 'email' | 'password' | null, text: string }} Fault a problem; null: of the form as a whole */

/**
 * The first problem of the input, or null.
 * @param {string} email
 * @param {string} password
 * @returns {Fault | null}
 */
function findFault(email, password) {
  if (email.trim() === '') return { field: 'email', text: 'Enter your email.' };
  if (!email.includes('@')) return { field: 'email', text: 'This is not an email address.' };
  if (password === '') return { field: 'password', text: 'Enter your password.' };
  if ([...password].length > MAX_PASSWORD_LENGTH) {
    return { field: 'password', text: `A password has at most ${MAX_PASSWORD_LENGTH} characters.` };
  }
  return null;
}

/**
 * The problem that an answer of the service means.
 * @param {import('../shared/ask-service.js').Reply} reply
 * @returns {Fault}
 */
function refusal(reply) {
  if (reply.answer?.code === 'invalid_credentials') return { field: 'password', text: WRONG };
  if (reply.status === 400) {
    return { field: null, text: `This was not accepted. ${reply.answer?.detail ?? ''}` };
  }
  return { field: null, text: describeFailure(reply) };
}

/**
 * The form to sign in.
 * @param {object} props
 * @param {(session: import('./section.d.ts').Session) => void} props.enter is called with the new session
 */
export function SignIn({ enter }) {
  const [fault, setFault] = useState(/** @type {Fault | null} */ (null));
  const [busy, setBusy] = useState(false);
  const email = useRef(/** @type {HTMLInputElement | null} */ (null));
  const password = useRef(/** @type {HTMLInputElement | null} */ (null));
  const submit = useRef(/** @type {HTMLButtonElement | null} */ (null));

  useLayoutEffect(() => email.current?.focus(), []);
  useLayoutEffect(() => {
    if (fault === null) return;
    const field = fault.field === null ? submit : fault.field === 'email' ? email : password;
    field.current?.focus();
  }, [fault]);

  /** @param {SubmitEvent} event */
  async function send(event) {
    event.preventDefault();
    if (busy || email.current === null || password.current === null) return;
    const typed = { email: email.current.value, password: password.current.value };
    const found = findFault(typed.email, typed.password);
    setFault(found);
    if (found !== null) return;
    // The form is marked as busy and not disabled, because disabling would remove the focus.
    setBusy(true);
    const reply = await askService('POST', 'v1/auth/login', {
      body: { ...typed, email: typed.email.trim() },
    });
    setBusy(false);
    if (reply.status === 200) enter(reply.answer);
    else setFault(refusal(reply));
  }

  /** @param {Fault['field']} field */
  const textFor = (field) => (fault?.field === field ? fault.text : '');
  /** @param {Fault['field']} field */
  const invalid = (field) => (fault?.field === field ? 'true' : undefined);
  return html`
    <form id="sign-in" method="post" novalidate aria-busy=${busy ? 'true' : undefined} onSubmit=${send}>
      <label for="email">Email</label>
      <p id="email-problem" role="alert">${textFor('email')}</p>
      <input
        id="email"
        type="email"
        autocomplete="username"
        required
        aria-describedby="email-problem"
        aria-invalid=${invalid('email')}
        ref=${email}
      />
      <label for="password">Password</label>
      <p id="password-problem" role="alert">${textFor('password')}</p>
      <input
        id="password"
        type="password"
        autocomplete="current-password"
        required
        aria-describedby="password-problem"
        aria-invalid=${invalid('password')}
        ref=${password}
      />
      <p id="sign-in-problem" role="alert">${textFor(null)}</p>
      <button id="submit" type="submit" ref=${submit}>Sign in</button>
    </form>
  `;
}
