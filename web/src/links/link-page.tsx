import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink, useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Link } from '../../../shared/schemas/accounts.ts';
import { wrongField } from '../app/form.ts';
import { Refusal, send } from '../app/request.ts';
import { begin, sendDueSignOut } from '../app/session.tsx';
import { Brand } from '../app/shell/brand.tsx';
import { PasswordField, TextField } from '../ui/field.tsx';
import { Form, textIn } from '../ui/form-dialog.tsx';
import { Failure } from '../ui/states.tsx';
import { Name } from '../ui/text.tsx';
import { forgetToken, useLinkToken } from './link-token.ts';
import { deadLink, PURPOSES, type Purpose } from './purposes.tsx';

const [MIN_LENGTH, MAX_LENGTH, MAX_NAME] = [12, 256, 300];
const HAS_OTHER_PASSWORD =
  'This email has an account already, and this is not its password. If you forgot it, ask an Owner of your Company for a link to set a new one.';

/** The length in characters, as the service counts it. */
const lengthOf = (text: string) => [...text].length;

/** The code of a refusal. The service refuses a token of the wrong form before it looks it up. */
const codeOf = (error: unknown) =>
  error instanceof Refusal ? (error.fields['/token'] === undefined ? error.code : 'not_found') : '';

/** The pages at /join, /accept and /reset: they set a password by a one-time link, and lead into the console. */
export default function LinkPage() {
  // Kept: when the page is left, the address is another one before it is gone.
  const [page] = useState(useLocation().pathname.replace(/\/$/, ''));
  const purpose = PURPOSES[page]!;
  const token = useLinkToken(page);
  const query = useQuery({
    queryKey: ['link', token],
    queryFn: () => send(null, 'readLink', [{ token: token ?? '' }]),
    enabled: token !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { data: link, error } = query;
  // A link for another page counts as unknown here.
  const isOther = link !== undefined && link.kind !== purpose.kind;
  const dead = deadLink(isOther ? 'not_found' : codeOf(error), purpose);
  if (token === null)
    return (
      <Notice title="The link is incomplete">
        Open the whole link that you were given, up to its last character.
      </Notice>
    );
  if (dead !== undefined) return <Notice title={dead[0]}>{dead[1]}</Notice>;
  if (error !== null)
    return (
      <Notice title="The link cannot be checked now">
        <Failure error={error} retry={() => void query.refetch()} />
      </Notice>
    );
  return link === undefined ? null : <LinkForm key={token} {...{ token, link, purpose, page }} />;
}

const Notice = ({ title, children }: { title: string; children: ReactNode }) => (
  <Brand title={title}>
    <div className="text-soft">{children}</div>
    <RouterLink to="/" className="w-fit text-brand underline">
      Open the console
    </RouterLink>
  </Brand>
);

interface FormProps {
  token: string;
  link: Link;
  purpose: Purpose;
  page: string;
}

function LinkForm({ token, link, purpose, page }: FormProps) {
  const navigate = useNavigate();
  const isReset = link.kind === 'reset';
  const isNew = isReset || !link.hasAccount;
  const asksName = isNew && !isReset;
  async function use(fields: FormData) {
    const name = textIn(fields, 'name');
    const password = fields.get('password') as string;
    if (asksName && (name === '' || lengthOf(name) > MAX_NAME))
      throw wrongField('name', `Enter your name, of at most ${MAX_NAME} characters.`);
    if (password === '') throw wrongField('password', 'Enter your password.');
    const length = lengthOf(password);
    if (isNew && length < MIN_LENGTH)
      throw wrongField('password', `The password has ${length} of at least ${MIN_LENGTH} characters.`);
    if (isNew && length > MAX_LENGTH)
      throw wrongField('password', `The password is longer than ${MAX_LENGTH} characters.`);
    try {
      await sendDueSignOut();
      // The route requires a name. If the email has an account, the name is ignored.
      await purpose.use({ token, name: name || link.email, password });
    } catch (error) {
      if (codeOf(error) === 'invalid_credentials') throw wrongField('password', HAS_OTHER_PASSWORD);
      const dead = deadLink(codeOf(error), purpose);
      throw dead === undefined ? error : new Error(dead.join('. '));
    }
    forgetToken(page);
    await begin();
    await navigate({ to: '/', replace: true });
  }
  return (
    <Brand title={purpose.title}>
      <p className="text-soft">
        {purpose.about(link)}{' '}
        {!isReset && (
          <>
            The link is for <Name>{link.email}</Name>
            {!isNew && ', which has an account here: enter its password'}.
          </>
        )}
      </p>
      <Form action={purpose.action} send={use}>
        {asksName && <TextField label="Your name" name="name" autoComplete="name" />}
        <PasswordField
          label={isReset ? 'New password' : 'Password'}
          name="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          hint={
            isNew && 'At least 12 characters. A few unrelated words are easy to remember and hard to guess.'
          }
        />
      </Form>
    </Brand>
  );
}
