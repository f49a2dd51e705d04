import { byId } from './element.js';

const MAX_PASSWORD_LENGTH = 256;

const [form, email, password, submit] = ['sign-in', 'email', 'password', 'submit'].map(byId);

export function openSignIn() {
  quiet();
  form.hidden = false;
  (email.value === '' ? email : password).focus();
}

/** Hides the form and forgets the password; the email stays, for who comes again. */
export function closeSignIn() {
  quiet();
  password.value = '';
  form.hidden = true;
}

/**
 * Says what is wrong, where it is wrong, and leaves what was typed.
 * @param field the field it is about; null for the form as a whole
 */
export function complain(field, text) {
  quiet();
  byId(`${field ?? 'sign-in'}-problem`).textContent = text;
  if (field === null) {
    submit.focus();
    return;
  }
  byId(field).setAttribute('aria-invalid', 'true');
  byId(field).focus();
}

function quiet() {
  for (const id of ['email', 'password', 'sign-in']) byId(`${id}-problem`).textContent = '';
  for (const field of [email, password]) field.removeAttribute('aria-invalid');
}

/** The field that will not do and why, or null. */
function findFault() {
  if (email.value.trim() === '') return ['email', 'Enter your email.'];
  if (!email.value.includes('@')) return ['email', 'This is not an email address.'];
  if (password.value === '') return ['password', 'Enter your password.'];
  if ([...password.value].length > MAX_PASSWORD_LENGTH) {
    return ['password', `A password has at most ${MAX_PASSWORD_LENGTH} characters.`];
  }
  return null;
}

/**
 * Has the form sent whenever it is complete, one time after the other.
 * @param send is given what was typed; comes to its end when the service has answered
 */
export function onSignIn(send) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.hasAttribute('aria-busy')) return;
    const fault = findFault();
    if (fault !== null) {
      complain(...fault);
      return;
    }
    quiet();
    // Marked, not disabled: that would take the focus away.
    form.setAttribute('aria-busy', 'true');
    await send({ email: email.value.trim(), password: password.value });
    form.removeAttribute('aria-busy');
  });
}
