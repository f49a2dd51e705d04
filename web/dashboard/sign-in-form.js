import { byId } from './element.js';

const MAX_PASSWORD_LENGTH = 256;

const [form, email, password, submit] = ['sign-in', 'email', 'password', 'submit'].map(byId);

export function openSignIn() {
  clearFault();
  form.hidden = false;
  (email.value === '' ? email : password).focus();
}

/** Hides the form and clears the password. The email stays, for the next sign-in. */
export function closeSignIn() {
  clearFault();
  password.value = '';
  form.hidden = true;
}

/**
 * Shows a problem next to its field, and keeps the input.
 * @param field the field it is about; null for the form as a whole
 */
export function showFault(field, text) {
  clearFault();
  byId(`${field ?? 'sign-in'}-problem`).textContent = text;
  if (field === null) {
    submit.focus();
    return;
  }
  byId(field).setAttribute('aria-invalid', 'true');
  byId(field).focus();
}

function clearFault() {
  for (const id of ['email', 'password', 'sign-in']) byId(`${id}-problem`).textContent = '';
  for (const field of [email, password]) field.removeAttribute('aria-invalid');
}

/** The first invalid field and its problem, or null. */
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
 * Sends the form when it is valid, and never twice at the same time.
 * @param send is called with the input; its promise resolves when the service has answered
 */
export function onSignIn(send) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.hasAttribute('aria-busy')) return;
    const fault = findFault();
    if (fault !== null) {
      showFault(...fault);
      return;
    }
    clearFault();
    // The form is marked as busy and not disabled, because disabling would remove the focus.
    form.setAttribute('aria-busy', 'true');
    await send({ email: email.value.trim(), password: password.value });
    form.removeAttribute('aria-busy');
  });
}
