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
/** What only those fill in who have no account. */
const forNewAccount = document.querySelectorAll('[data-for="new-account"]');
// Not every page asks for a name.
const fields = [name, password, repeated].filter((field) => field !== null);
/** Of these, those that are asked for now. */
let asked = fields;

/** As the service counts: characters, not UTF-16 units. */
const lengthOf = (text) => [...text].length;

/**
 * Shows the form, as it was left, for a person to fill in.
 * @param hasAccount whether the password is that of an account there is: then it is asked for once, and nothing else is
 */
export function openForm(hasAccount) {
  quiet();
  for (const part of forNewAccount) part.hidden = hasAccount;
  asked = hasAccount ? [password] : fields;
  // What is hidden is read out all the same where it describes a field.
  password.setAttribute('aria-describedby', `${hasAccount ? '' : 'rule '}password-problem`);
  password.autocomplete = hasAccount ? 'current-password' : 'new-password';
  form.hidden = false;
  asked[0].focus();
}

/** Shows a button that has `act` done again; without one, none. */
export function offerRetry(act) {
  retry.hidden = act === null;
  retry.onclick = act;
}

/** Hides the form and forgets what was typed. */
export function closeForm() {
  quiet();
  form.reset();
  showPasswords();
  form.hidden = true;
}

/**
 * Says what is wrong, where it is wrong, and leaves what was typed.
 * @param field the id of the field it is about; null for the form as a whole
 */
export function complain(field, text) {
  quiet();
  document.getElementById(`${isAsked(field) ? field : 'form'}-problem`).textContent = text;
  const input = asked.find(({ id }) => id === field);
  input?.setAttribute('aria-invalid', 'true');
  // Without a field at fault, what is left to do is to send it again.
  (input ?? submit).focus();
}

const isAsked = (field) => asked.some(({ id }) => id === field);

function quiet() {
  for (const { id } of [...fields, form]) document.getElementById(`${id}-problem`).textContent = '';
  for (const field of fields) field.removeAttribute('aria-invalid');
}

/** The field that will not do and why, or null. */
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
 * Has the form sent whenever it is complete, one time after the other.
 * @param send is given what was typed; comes to its end when the service has answered
 */
export function onSubmit(send) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.hasAttribute('aria-busy')) return;
    const fault = findFault();
    if (fault !== null) {
      complain(...fault);
      return;
    }
    quiet();
    // Marked, not disabled: that would take the focus away, and with it the place of who uses a keyboard.
    form.setAttribute('aria-busy', 'true');
    await send({ name: isAsked('name') ? name.value.trim() : undefined, password: password.value });
    form.removeAttribute('aria-busy');
  });
  shown.addEventListener('change', showPasswords);
}
