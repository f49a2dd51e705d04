import { useState } from 'react';
import { PasswordField, SelectField, TextField } from '../../ui/field.tsx';
import { Form, textIn } from '../../ui/form-dialog.tsx';
import { atField, wrongField } from '../form.ts';
import { Refusal } from '../request.ts';
import { signIn } from '../session.tsx';

const WRONG =
  'The email or the password is wrong. If you forgot it, ask an Owner of your Company for a link to set a new one.';
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

/** The form to sign in. It asks for the Company only after the password has matched accounts in several. */
export function SignIn() {
  const [companies, setCompanies] = useState<readonly Company[] | null>(null);
  async function send(fields: FormData): Promise<void> {
    const email = textIn(fields, 'email');
    const password = fields.get('password') as string;
    const companyId = textIn(fields, 'companyId');
    if (!email.includes('@')) throw wrongField('email', 'Enter your email.');
    if (password === '') throw wrongField('password', 'Enter your password.');
    if (companies !== null && companyId === '') throw wrongField('companyId', 'Choose a Company.');
    const body = { email, password, ...(companyId === '' ? {} : { companyId }) };
    const sent = atField(signIn(body), { invalid_credentials: ['password', WRONG] });
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
