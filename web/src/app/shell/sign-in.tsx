import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { PasswordField, SelectField, TextField } from '../../ui/field.tsx';
import { Form, textIn } from '../../ui/form-dialog.tsx';
import { atField, wrongField } from '../form.ts';
import { Refusal, send as request } from '../request.ts';
import { signIn } from '../session.tsx';
import { useSendsMail } from '../sign-in-options.ts';

const WRONG =
  'The email or the password is wrong. If you forgot it, ask an Owner of your Company for a link to set a new one.';
const WRONG_WITH_MAIL =
  'The email or the password is wrong. If you forgot it, press “Forgot your password?” below.';
const SEVERAL = 'You have an account in several Companies. Choose one.';

interface Company {
  id: string;
  name: string;
}

/** The Companies between which a refused sign-in asks to choose; null for other errors. */
const companiesOf = (error: unknown): readonly Company[] | null =>
  error instanceof Refusal && error.code === 'company_required'
    ? (error.problem as { companies: readonly Company[] }).companies
    : null;

function emailIn(fields: FormData): string {
  const email = textIn(fields, 'email');
  if (!email.includes('@')) throw wrongField('email', 'Enter your email.');
  return email;
}

/** The form to sign in, or to have a link mailed that sets a new password. */
export function SignIn() {
  const [isForgotten, setForgotten] = useState(false);
  const sendsMail = useSendsMail() === true;
  if (isForgotten) return <Forgotten onBack={() => setForgotten(false)} />;
  return (
    <>
      <SignInForm wrong={sendsMail ? WRONG_WITH_MAIL : WRONG} />
      {sendsMail && (
        <Button look="quiet" onClick={() => setForgotten(true)}>
          Forgot your password?
        </Button>
      )}
    </>
  );
}

/** Asks for the Company only after the password has matched accounts in several. */
function SignInForm({ wrong }: { wrong: string }) {
  const [companies, setCompanies] = useState<readonly Company[] | null>(null);
  async function send(fields: FormData): Promise<void> {
    const email = emailIn(fields);
    const password = fields.get('password') as string;
    const companyId = textIn(fields, 'companyId');
    if (password === '') throw wrongField('password', 'Enter your password.');
    if (companies !== null && companyId === '') throw wrongField('companyId', 'Choose a Company.');
    const body = { email, password, ...(companyId === '' ? {} : { companyId }) };
    const sent = atField(signIn(body), { invalid_credentials: ['password', wrong] });
    await sent.catch((error: unknown) => {
      const found = companiesOf(error);
      if (found === null) throw error;
      setCompanies(found);
      throw wrongField('companyId', SEVERAL);
    });
  }
  // The Companies are those of one email and one password.
  const forget = () => setCompanies(null);
  return (
    <Form action="Sign in" send={send}>
      <h1 className="text-xl font-semibold">Sign in</h1>
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        autoFocus
        onChange={forget}
      />
      <PasswordField label="Password" name="password" autoComplete="current-password" onChange={forget} />
      {companies !== null && (
        <SelectField
          label="Company"
          name="companyId"
          defaultValue=""
          options={[
            { value: '', name: 'Choose a Company' },
            ...companies.map(({ id, name }) => ({ value: id, name })),
          ]}
        />
      )}
    </Form>
  );
}

/** Has a link mailed. What is said does not depend on whether there is an account: a stranger must not learn that. */
function Forgotten({ onBack }: { onBack: () => void }) {
  const [email, setEmail] = useState<string | null>(null);
  async function ask(fields: FormData) {
    const given = emailIn(fields);
    await request(null, 'requestReset', [{ email: given }]);
    setEmail(given);
  }
  const back = (
    <Button look="quiet" onClick={onBack}>
      Back to sign in
    </Button>
  );
  if (email !== null)
    return (
      <>
        <div role="status" className="flex flex-col gap-2">
          <h1 className="text-xl font-semibold">Look at your mail</h1>
          <p className="break-words">
            If <bdi className="font-medium">{email}</bdi> has an account, a link to set a new password is on
            its way. It works for an hour.
          </p>
          <p className="text-soft">
            No mail after some minutes? Look at your spam, or ask an Owner of your Company.
          </p>
        </div>
        {back}
      </>
    );
  return (
    <>
      <Form action="Send me a link" send={ask}>
        <h1 className="text-xl font-semibold">Set a new password</h1>
        <p className="text-soft">A link to set a new password is mailed to the address of your account.</p>
        <TextField label="Email" name="email" type="email" autoComplete="username" autoFocus />
      </Form>
      {back}
    </>
  );
}
