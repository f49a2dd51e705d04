import { html, useLayoutEffect, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { isDone, useAsk } from '../../parts/ask.js';
import { Sessions } from './sessions.js';

/**
 * @typedef {object} Account
 * @property {import('../../section.d.ts').Session} session
 * @property {import('../../parts/ask.js').Ask} ask
 * @property {() => Promise<void>} reread reads the session again
 */

const MIN_PASSWORD = 12;
const MAX_PASSWORD = 256;
const WRONG_PASSWORD = { invalid_credentials: 'The password is wrong.' };

/**
 * The account of the user: name, email, password and sessions. It needs no Team.
 * @param {import('../../section.d.ts').CompanyPageProps} props
 */
export function Page({ session, setTitle, refreshed, lost }) {
  // Its requests name no Team, so that one that is lost does not matter here.
  const ask = useAsk({ session, team: null, lost });
  async function reread() {
    const reply = await ask('GET', 'auth/session');
    if (isDone(reply)) refreshed(reply.answer);
  }
  const page = { session, ask, reread };
  useLayoutEffect(() => setTitle(session.user.name), [session.user.name]);
  /** Counts what ended other sessions, so that the list is read again. */
  const [ended, setEnded] = useState(0);
  const others = () => setEnded((count) => count + 1);
  return html`
    <div class="page people">
      <section class="card" aria-labelledby="account-heading">
        <h2 id="account-heading">Name, email and password</h2>
        <div class="account-forms">
          <${NameForm} page=${page} />
          <${EmailForm} page=${page} others=${others} />
          <${PasswordForm} page=${page} others=${others} />
        </div>
      </section>
      <${Sessions} key=${ended} page=${page} />
    </div>
  `;
}

/**
 * A field of a form.
 * @param {object} props
 * @param {string} props.id
 * @param {string} props.label
 * @param {string} [props.type]
 * @param {string} props.autocomplete
 * @param {string} props.value
 * @param {(value: string) => void} props.change
 * @param {string} [props.describedBy]
 */
function Field({ id, label, type = 'text', autocomplete, value, change, describedBy }) {
  return html`
    <label for=${id}>${label}</label>
    <input id=${id} type=${type} autocomplete=${autocomplete} required value=${value} aria-describedby=${describedBy}
      onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => change(currentTarget.value)} />
  `;
}

/**
 * A form that sends one change.
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.button
 * @param {() => void} props.send
 * @param {string} props.problem
 * @param {string} props.status
 * @param {boolean} props.busy
 * @param {import('../../html.js').Children} props.children
 */
function OneForm({ label, button, send, problem, status, busy, children }) {
  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    send();
  }
  return html`
    <form class="people-form" aria-label=${label} novalidate onSubmit=${submit}>
      <h3>${label}</h3>
      ${children}
      <p role="alert">${problem}</p>
      <div class="actions">
        <button type="submit" class="small primary" aria-busy=${busy ? 'true' : undefined}>${button}</button>
        <span role="status" class="quiet">${status}</span>
      </div>
    </form>
  `;
}

/**
 * @param {object} props
 * @param {Account} props.page
 */
function NameForm({ page }) {
  const { ask, session, reread } = page;
  const [name, setName] = useState(session.user.name);
  const [status, setStatus] = useState('');
  const { busy, problem, setProblem, send } = useAction(ask);
  async function save() {
    setStatus('');
    if (name.trim() === '') return setProblem('Enter your name.');
    const reply = await send('PATCH', 'auth/account', { name });
    if (reply === null) return;
    setName(reply.answer.name);
    setStatus('Saved. Others see this name from now on.');
    await reread();
  }
  return html`
    <${OneForm} label="Name" button="Save the name" send=${save} problem=${problem} status=${status} busy=${busy}>
      <${Field} id="account-name" label="Your name" autocomplete="name" value=${name} change=${setName} />
    <//>
  `;
}

/**
 * @param {object} props
 * @param {Account} props.page
 * @param {() => void} props.others is called when the other sessions have ended
 */
function EmailForm({ page, others }) {
  const { ask, session, reread } = page;
  const [email, setEmail] = useState(session.user.email);
  const [password, setPassword] = useState('');
  const [status, setStatus] = useState('');
  const { busy, problem, setProblem, send } = useAction(ask, {
    ...WRONG_PASSWORD,
    conflict: 'Another account has this email. Choose another one.',
  });
  async function save() {
    setStatus('');
    if (!email.includes('@')) return setProblem('This is not an email address.');
    if (email.trim() === session.user.email) return setProblem('This is your email already.');
    if (password === '') return setProblem('Enter your password too.');
    const reply = await send('PATCH', 'auth/account', { email: email.trim(), password });
    if (reply === null) return;
    setEmail(reply.answer.email);
    setPassword('');
    setStatus('Saved. Sign in with it from now on. Your other sessions have ended.');
    others();
    await reread();
  }
  return html`
    <${OneForm} label="Email" button="Save the email" send=${save} problem=${problem} status=${status} busy=${busy}>
      <${Field} id="account-email" label="Your email" type="email" autocomplete="username" value=${email} change=${setEmail} />
      <${Field} id="account-email-password" label="Your password, to confirm" type="password" autocomplete="current-password" value=${password} change=${setPassword} />
    <//>
  `;
}

/**
 * @param {object} props
 * @param {Account} props.page
 * @param {() => void} props.others is called when the other sessions have ended
 */
function PasswordForm({ page, others }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const [status, setStatus] = useState('');
  const { busy, problem, setProblem, send } = useAction(page.ask, {
    invalid_credentials: 'The current password is wrong.',
  });
  async function save() {
    setStatus('');
    const length = [...next].length;
    if (current === '') return setProblem('Enter your current password.');
    if (length < MIN_PASSWORD)
      return setProblem(`The new password needs at least ${MIN_PASSWORD} characters.`);
    if (length > MAX_PASSWORD) return setProblem(`A password has at most ${MAX_PASSWORD} characters.`);
    if (next !== again) return setProblem('The two new passwords differ.');
    const reply = await send('POST', 'auth/password', { currentPassword: current, newPassword: next });
    if (reply === null) return;
    for (const clear of [setCurrent, setNext, setAgain]) clear('');
    setStatus('Changed. Your other sessions have ended.');
    others();
  }
  return html`
    <${OneForm} label="Password" button="Change the password" send=${save} problem=${problem} status=${status} busy=${busy}>
      <input hidden type="text" autocomplete="username" value=${page.session.user.email} readonly />
      <${Field} id="password-current" label="Current password" type="password" autocomplete="current-password" value=${current} change=${setCurrent} />
      <${Field} id="password-new" label=${`New password, ${MIN_PASSWORD} characters or more`} type="password" autocomplete="new-password" value=${next} change=${setNext} />
      <${Field} id="password-again" label="The new password again" type="password" autocomplete="new-password" value=${again} change=${setAgain} />
    <//>
  `;
}
