import { PasswordField, TextField } from '../../ui/field.tsx';
import { Form, textIn } from '../../ui/form-dialog.tsx';
import { atField, wrongField } from '../form.ts';
import { signIn } from '../session.tsx';

const WRONG =
  'The email or the password is wrong. If you forgot it, ask an Owner of your Company for a link to set a new one.';

async function send(fields: FormData): Promise<void> {
  const email = textIn(fields, 'email');
  const password = fields.get('password') as string;
  if (!email.includes('@')) throw wrongField('email', 'Enter your email.');
  if (password === '') throw wrongField('password', 'Enter your password.');
  await atField(signIn({ email, password }), { invalid_credentials: ['password', WRONG] });
}

/** The form to sign in. */
export function SignIn() {
  return (
    <Form action="Sign in" send={send}>
      <h1 className="text-xl font-semibold">Sign in</h1>
      <TextField label="Email" name="email" type="email" autoComplete="username" autoFocus />
      <PasswordField label="Password" name="password" autoComplete="current-password" />
    </Form>
  );
}
