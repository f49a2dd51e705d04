import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink, useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import type { Link } from '../../../shared/schemas/accounts.ts';
import { wrongField } from '../app/form.ts';
import { Refusal, send } from '../app/request.ts';
import { begin, sendDueSignOut, signOut, useSessionState } from '../app/session.tsx';
import { Brand } from '../app/shell/entry.tsx';
import { Button } from '../ui/button.tsx';
import { PasswordField, TextField } from '../ui/field.tsx';
import { Form, textIn } from '../ui/form-dialog.tsx';
import { Failure } from '../ui/states.tsx';
import { Name } from '../ui/text.tsx';

const MIN_LENGTH = 12;
const HAS_OTHER_PASSWORD =
  'This email has an account already, and this is not its password. If you forgot it, ask an Owner of your Company for a link to set a new one.';

/** The code of a refusal. The service refuses a token of the wrong form before it looks it up. */
const codeOf = (error: unknown) =>
  error instanceof Refusal ? (error.fields['/token'] === undefined ? error.code : 'not_found') : '';

const keyOf = (page: string) => `${page}-token`;

/**
 * The token of a link, or null. It is in the fragment of the address, which no server receives. It is removed from the
 * address at once, and kept in this tab until it is used, so that a reload works.
 */
function readToken(page: string): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  if (given) sessionStorage.setItem(keyOf(page), given);
  return sessionStorage.getItem(keyOf(page));
}

/** What one kind of one-time links is for. */
interface Purpose {
  kind: Link['kind'];
  title: string | ((link: Link) => string);
  action: string;
  about: (link: Link) => ReactNode;
  use: (typed: { token: string; name: string; password: string; keepTokens: boolean }) => Promise<unknown>;
  /** Uses it for the account that is signed in. Without it, the link is not for an account that can sign in. */
  withSession?: (token: string) => Promise<unknown>;
  /** What a used link did, and whom to ask for another. */
  used: string;
  ask: string;
}

const invitedBy = ({ invitedBy: person }: Link) => (
  <>
    {person && <Name>{person}</Name>} {person ? 'invites you' : 'You are invited'}
  </>
);

const INVITE = {
  used: 'It works once: the person who used it has an account now, and signs in with its password.',
  ask: 'ask the person who invited you for a new one',
};

/** The links, by the paths of their pages. */
const PURPOSES: Readonly<Record<string, Purpose>> = {
  '/join': {
    ...INVITE,
    kind: 'invite',
    title: 'Join your Team',
    action: 'Join the Team',
    about: (link) => (
      <>
        {invitedBy(link)} to the Team <Name>{link.team ?? ''}</Name> of <Name>{link.company}</Name>.
      </>
    ),
    use: ({ token, name, password }) => send(null, 'joinTeam', [{ token, name, password, cookie: true }]),
    withSession: (token) => send(null, 'joinTeam', [{ token }]),
  },
  '/accept': {
    ...INVITE,
    kind: 'invitation',
    title: ({ role }) => (role === 'owner' ? 'Become the Owner of your Company' : 'Become a Company Admin'),
    action: 'Accept the invitation',
    about: (link) =>
      link.role === 'owner' ? (
        <>
          The Company <Name>{link.company}</Name> is made, and has no Owner yet.
        </>
      ) : (
        <>
          {invitedBy(link)} to help run the Company <Name>{link.company}</Name> as its Admin.
        </>
      ),
    use: ({ token, name, password }) =>
      send(null, 'acceptInvitation', [{ token, name, password, cookie: true }]),
    withSession: (token) => send(null, 'acceptInvitation', [{ token }]),
  },
  '/reset': {
    kind: 'reset',
    title: 'Set your password',
    action: 'Set the password',
    about: (link) => (
      <>
        For <Name>{link.email}</Name> in the Company <Name>{link.company}</Name>. Every other session of yours
        ends.
      </>
    ),
    use: ({ token, password, keepTokens }) =>
      send(null, 'resetPassword', [{ token, newPassword: password, keepTokens, cookie: true }]),
    used: 'It sets a password once.',
    ask: 'ask an Owner of your Company for a new one. If you run the service, the command owner-reset-link makes one',
  },
};

/** Why a link cannot be used, as a title and a text. */
function deadLink(code: string, { used, ask }: Purpose) {
  const reasons: Readonly<Record<string, readonly [title: string, text: string]>> = {
    cut: ['The link is incomplete', 'Open the whole link that you were given, up to its last character.'],
    token_used: ['This link has already been used', `${used} If you need another, ${ask}.`],
    token_expired: ['This link has expired', `To go on, ${ask}.`],
    token_revoked: [
      'This link has been revoked',
      `A newer link may have replaced it. If you have none, ${ask}.`,
    ],
    not_found: ['This link is not valid', `Check that you opened all of it. If you did, ${ask}.`],
  };
  return reasons[code];
}

/** The pages at /join, /accept and /reset: they set a password by a one-time link, and lead into the console. */
export default function LinkPage() {
  // Kept: when the page is left, the address is another one before it is gone.
  const [page] = useState(useLocation().pathname.replace(/\/$/, ''));
  const purpose = PURPOSES[page]!;
  const [token, setToken] = useState(() => readToken(page));
  // Another link that is opened in this tab changes only the fragment.
  useEffect(() => {
    const read = () => setToken(readToken(page));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, [page]);
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
  const dead = deadLink(token === null ? 'cut' : isOther ? 'not_found' : codeOf(error), purpose);
  if (token !== null && dead === undefined && error === null)
    return link && <LinkUse key={token} {...{ token, link, purpose, page }} />;
  const [title, text] = dead ?? ['The link cannot be checked now', ''];
  return (
    <Brand title={title}>
      {text && <p className="text-soft">{text}</p>}
      {!dead && error && <Failure error={error} retry={() => void query.refetch()} />}
      <RouterLink to="/" className="w-fit text-brand underline">
        Open the console
      </RouterLink>
    </Brand>
  );
}

function titleOf({ title }: Purpose, link: Link): string {
  return typeof title === 'string' ? title : title(link);
}

type FormProps = { token: string; link: Link; purpose: Purpose; page: string };

/** Leads into the console once a link was used. */
function useUsed(page: string) {
  const navigate = useNavigate();
  return async () => {
    sessionStorage.removeItem(keyOf(page));
    await begin();
    await navigate({ to: '/', replace: true });
  };
}

/** The refusal of a link that was open when the page was shown. */
function refused(error: unknown, purpose: Purpose): unknown {
  const dead = deadLink(codeOf(error), purpose);
  return dead === undefined ? error : new Error(dead.join('. '));
}

/** The form with a password; for who is signed in, one button, or the offer to sign out. */
function LinkUse(props: FormProps) {
  const { data: session, isPending } = useSessionState();
  const [asksPassword, setAsksPassword] = useState(false);
  if (props.purpose.withSession === undefined || asksPassword) return <LinkForm {...props} />;
  if (isPending) return null;
  if (!session || session.isOver) return <LinkForm {...props} />;
  const { user, company } = session;
  return user.email === props.link.email && company.name === props.link.company ? (
    <SignedInForm {...props} name={user.name} onUnverified={() => setAsksPassword(true)} />
  ) : (
    <OtherAccount {...props} email={user.email} company={company.name} />
  );
}

interface SignedInProps extends FormProps {
  name: string;
  /** The address of the account is not verified, and the link is not one that was mailed to it. */
  onUnverified: () => void;
}

function SignedInForm({ token, link, purpose, page, name, onUnverified }: SignedInProps) {
  const used = useUsed(page);
  async function use() {
    try {
      await purpose.withSession?.(token);
    } catch (error) {
      if (codeOf(error) === 'forbidden') return onUnverified();
      throw refused(error, purpose);
    }
    await used();
  }
  return (
    <Brand title={titleOf(purpose, link)}>
      <p className="text-soft">
        {purpose.about(link)} You are signed in as <Name className="font-medium">{name}</Name>, with{' '}
        <Name>{link.email}</Name>.
      </p>
      <Form action={purpose.action} send={use}>
        {null}
      </Form>
    </Brand>
  );
}

/** The account is of another person, or of the same address in another Company. */
function OtherAccount({ link, purpose, email, company }: FormProps & { email: string; company: string }) {
  return (
    <Brand title={titleOf(purpose, link)}>
      <p className="text-soft">
        {purpose.about(link)} The link is for <Name>{link.email}</Name>, and you are signed in as{' '}
        <Name>{email}</Name>
        {company !== link.company && (
          <>
            {' '}
            in the Company <Name>{company}</Name>
          </>
        )}
        . To use it, sign out first; the link stays open.
      </p>
      <Button look="primary" className="h-9" onClick={() => void signOut()}>
        Sign out
      </Button>
      <RouterLink to="/" className="w-fit text-brand underline">
        Open the console
      </RouterLink>
    </Brand>
  );
}

function LinkForm({ token, link, purpose, page }: FormProps) {
  const used = useUsed(page);
  const isReset = link.kind === 'reset';
  const isNew = isReset || !link.hasAccount;
  const asksName = isNew && !isReset;
  // As the field of the request, so that a refusal of the service is shown at it.
  const field = isReset ? 'newPassword' : 'password';
  async function use(fields: FormData) {
    const name = textIn(fields, 'name');
    const password = fields.get(field) as string;
    // In characters, as the service counts them.
    const { length } = [...password];
    if (asksName && name === '') throw wrongField('name', 'Enter your name.');
    if (length === 0) throw wrongField(field, 'Enter your password.');
    if (isNew && length < MIN_LENGTH)
      throw wrongField(field, `The password has ${length} of at least ${MIN_LENGTH} characters.`);
    try {
      await sendDueSignOut();
      // The route requires a name. If the email has an account, the name is ignored.
      const keepTokens = fields.has('keepTokens');
      await purpose.use({ token, name: name || link.email, password, keepTokens });
    } catch (error) {
      if (codeOf(error) === 'invalid_credentials') throw wrongField(field, HAS_OTHER_PASSWORD);
      throw refused(error, purpose);
    }
    await used();
  }
  return (
    <Brand title={titleOf(purpose, link)}>
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
          name={field}
          autoComplete={isNew ? 'new-password' : 'current-password'}
          hint={
            isNew && 'At least 12 characters. A few unrelated words are easy to remember and hard to guess.'
          }
        />
        {isReset && (
          <label className="flex items-start gap-2">
            <input type="checkbox" name="keepTokens" className="mt-1" />
            <span>
              Keep my agent tokens
              <span className="block text-sm text-faint">
                Otherwise they are revoked, unless this is your first password.
              </span>
            </span>
          </label>
        )}
      </Form>
    </Brand>
  );
}
