const MIN_LENGTH = 12;
const MAX_LENGTH = 256;
const MAX_NAME_LENGTH = 300;

const [form, name, password, repeated, shown, submit] = [
  'form',
  'name',
  'password',
  'repeated',
  'shown',
  'submit',
].map((id) => document.getElementById(id));
const retry = document.getElementById('retry');
/** The parts of the form for people without an account. */
const forNewAccount = document.querySelectorAll('[data-for="new-account"]');
// Not every page asks for a name.
const fields = [name, password, repeated].filter((field) => field !== null);
/** The fields that the form currently shows. */
let asked = fields;

/** The length in characters, not in UTF-16 units, as the service counts it. */
const lengthOf = (text) => [...text].length;

/**
 * Shows the form, with the earlier input.
 * @param hasAccount whether the email has an account; then the form asks only for its password, once
 */
export function openForm(hasAccount) {
  clearFault();
  for (const part of forNewAccount) part.hidden = hasAccount;
  asked = hasAccount ? [password] : fields;
  // Screen readers read the description of a field even if it is hidden, so the reference must be removed.
  password.setAttribute('aria-describedby', `${hasAccount ? '' : 'rule '}password-problem`);
  password.autocomplete = hasAccount ? 'current-password' : 'new-password';
  form.hidden = false;
  asked[0].focus();
}

/** Shows a button that runs `act` again. Without `act`, hides the button. */
export function offerRetry(act) {
  retry.hidden = act === null;
  retry.onclick = act;
}

/** Hides the form and clears the input. */
export function closeForm() {
  clearFault();
  form.reset();
  showPasswords();
  form.hidden = true;
}

/**
 * Shows a problem next to its field, and keeps the input.
 * @param field the id of the field it is about; null for the form as a whole
 */
export function showFault(field, text) {
  clearFault();
  document.getElementById(`${isAsked(field) ? field : 'form'}-problem`).textContent = text;
  const input = asked.find(({ id }) => id === field);
  input?.setAttribute('aria-invalid', 'true');
  // If no field is at fault, the user can only send the form again.
  (input ?? submit).focus();
}

const isAsked = (field) => asked.some(({ id }) => id === field);

function clearFault() {
  for (const { id } of [...fields, form]) document.getElementById(`${id}-problem`).textContent = '';
  for (const field of fields) field.removeAttribute('aria-invalid');
}

/** The first invalid field and its problem, or null. */
function findFault() {
  if (isAsked('name') && name.value.trim() === '') return ['name', 'Enter your name.'];
  if (isAsked('name') && lengthOf(name.value.trim()) > MAX_NAME_LENGTH) {
    return ['name', `The name is longer than ${MAX_NAME_LENGTH} characters.`];
  }
  const length = lengthOf(password.value);
  if (length < MIN_LENGTH) {
    return ['password', `The password has ${length} of at least ${MIN_LENGTH} characters.`];
  }
  if (length > MAX_LENGTH) return ['password', `The password is longer than ${MAX_LENGTH} characters.`];
  if (isAsked('repeated') && password.value !== repeated.value)
    return ['repeated', 'The two passwords are not the same.'];
  return null;
}

function showPasswords() {
  for (const input of [password, repeated]) input.type = shown.checked ? 'text' : 'password';
}

/**
 * Sends the form when it is valid, and never twice at the same time.
 * @param send is called with the input; its promise resolves when the service has answered
 */
export function onSubmit(send) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.hasAttribute('aria-busy')) return;
    const fault = findFault();
    if (fault !== null) {
      showFault(...fault);
      return;
    }
    clearFault();
    // The form is marked as busy and not disabled. Disabling would remove the focus, which keyboard users need.
    form.setAttribute('aria-busy', 'true');
    await send({ name: isAsked('name') ? name.value.trim() : undefined, password: password.value });
    form.removeAttribute('aria-busy');
  });
  shown.addEventListener('change', showPasswords);
}
