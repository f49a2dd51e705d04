import { Monitor } from 'lucide-react';
import { useState } from 'react';
import type { SessionRecord } from '../../../../shared/schemas/accounts.ts';
import type { IssuedToken, Token } from '../../../../shared/schemas/tokens.ts';
import { useAll, useChange } from '../../app/data.ts';
import { atField } from '../../app/form.ts';
import { orGone } from '../../app/request.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { actionsColumn, nameColumn, timeColumn } from '../../ui/columns.tsx';
import { PasswordField, TextField } from '../../ui/field.tsx';
import { ConfirmAct, FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { SavedField } from '../../ui/saved-field.tsx';
import { Section } from '../../ui/section.tsx';
import { Empty } from '../../ui/states.tsx';
import { count, Name, Tag } from '../../ui/text.tsx';
import { say, tell } from '../../ui/toast.tsx';
import { Issued } from '../tokens/connect.tsx';
import { TOKENS_CHANGED, TokenList } from '../tokens/token-list.tsx';

/** The page at /account: who the person is, and everything that acts for them. It needs no Team. */
export default function Account() {
  const { user } = useSession();
  const sessions = useAll('listSessions', {});
  const tokens = useAll('listTokens', {});
  const endSession = useChange('endSession', ['listSessions']);
  const revokeToken = useChange('revokeToken', TOKENS_CHANGED);
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  const [asks, setAsks] = useState(false);
  const others = sessions.items.filter(({ current }) => !current);
  const active = tokens.items.filter(({ state }) => state === 'active');
  const what = [
    others.length > 0 && count(others.length, 'other session'),
    active.length > 0 && count(active.length, 'token'),
  ]
    .filter(Boolean)
    .join(' and ');
  const end = ({ id }: SessionRecord) => orGone(endSession.mutateAsync([id]));
  const revoke = ({ id }: Token) => orGone(revokeToken.mutateAsync([id]));
  const endOthers = () => tell(endEach(others, end), `Ended: ${count(others.length, 'other session')}.`);
  return (
    <Page
      shows={user.name}
      actions={
        sessions.isRead &&
        tokens.isRead &&
        what !== '' && (
          <Button look="danger" onClick={() => setAsks(true)}>
            End all sessions and tokens
          </Button>
        )
      }
    >
      <AccountForms />
      <Section
        title="Sessions"
        actions={
          others.length > 1 && (
            <Button busy={endSession.isPending} onClick={() => void endOthers()}>
              End the others
            </Button>
          )
        }
      >
        <RecordList<SessionRecord>
          label="Sessions"
          read={sessions}
          columns={[
            nameColumn('Used with', ({ userAgent }) => deviceOf(userAgent)),
            { ...timeColumn('Last used', ({ lastSeenAt }) => lastSeenAt), isExtra: false },
            timeColumn('Signed in', ({ createdAt }) => createdAt),
            actionsColumn(
              (session) =>
                session.current ? (
                  <Tag tone="good">This session</Tag>
                ) : (
                  <Button
                    look="quiet"
                    aria-label={`End ${deviceOf(session.userAgent)}`}
                    onClick={() => void tell(end(session), 'The session has ended.')}
                  >
                    End
                  </Button>
                ),
              '5.5rem',
            ),
          ]}
          empty={<Empty icon={Monitor} title="No sessions" />}
        />
      </Section>
      <Section title="Tokens">
        <TokenList of="listTokens" onRotated={setIssued}>
          With a token, an agent or a script acts for you.
        </TokenList>
      </Section>
      {issued !== null && <Issued issued={issued} onClose={() => setIssued(null)} />}
      {asks && (
        <ConfirmAct
          onClose={() => setAsks(false)}
          title="End everything that acts for you?"
          action="End all"
          act={() => endEach([...others, ...active], (one) => ('current' in one ? end(one) : revoke(one)))}
          done={`Ended: ${what}.`}
        >
          This ends {what} at once. You stay signed in here.
        </ConfirmAct>
      )}
    </Page>
  );
}

/** Ends each of them, also where some are not ended. */
async function endEach<One>(all: readonly One[], end: (one: One) => Promise<unknown>) {
  const problems: Error[] = [];
  for (const one of all) await end(one).catch((error: Error) => problems.push(error));
  if (problems[0]) throw new Error(`${problems.length} of ${all.length} not ended. ${problems[0].message}`);
}

/* In the order in which they are looked for, because browsers name others too. */
const PROGRAMS = { Edge: 'Edg/', Opera: 'OPR/', Firefox: 'Firefox/', Chrome: 'Chrom', Safari: 'Safari/' };
const SYSTEMS = { Android: 'Android', iOS: 'iPhone', Windows: 'Windows', macOS: 'Mac OS X', Linux: 'Linux' };

/** What a session is used with. */
function deviceOf(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown program';
  const [program, system] = [PROGRAMS, SYSTEMS].map(
    (known) => Object.entries(known).find(([, word]) => userAgent.includes(word))?.[0],
  );
  return program === undefined ? userAgent : [program, system].filter(Boolean).join(' on ');
}

const CHANGED = ['listTeamMembers', 'listCompanyMembers', 'listSessions', 'getSession'] as const;

/** A password counts as it was typed, with blanks at its ends. */
const passwordIn = (fields: FormData, name: string) => (fields.get(name) ?? '') as string;

const WRONG = { invalid_credentials: ['password', 'The password is wrong.'] } as const;
const TAKEN = {
  conflict: ['email', 'Another account of your Company has this email. Choose another one.'],
} as const;

/** The name, the email and the password of the account. */
function AccountForms() {
  const { name, email } = useSession().user;
  const [open, setOpen] = useState<'email' | 'password' | null>(null);
  const changeAccount = useChange('changeAccount', CHANGED).mutateAsync;
  const changePassword = useChange('changePassword', ['listSessions']).mutateAsync;
  const isEmail = open === 'email';
  async function send(fields: FormData) {
    const password = passwordIn(fields, 'password');
    const newPassword = passwordIn(fields, 'newPassword');
    if (isEmail)
      await atField(changeAccount([{ email: textIn(fields, 'email'), password }]), { ...WRONG, ...TAKEN });
    else await atField(changePassword([{ currentPassword: password, newPassword }]), WRONG);
    const done = isEmail ? 'Sign in with the new email from now on.' : 'Your password is changed.';
    say(`${done} Your other sessions have ended.`);
    setOpen(null);
  }
  return (
    <div className="mb-8 flex max-w-96 flex-col gap-4">
      <SavedField label="Your name" value={name} save={(next) => changeAccount([{ name: next }])} />
      {(['email', 'password'] as const).map((what) => (
        <div key={what} className="flex items-center gap-2">
          <p className="min-w-0 grow">
            <span className="block font-medium">{what === 'email' ? 'Email' : 'Password'}</span>
            {what === 'email' && <Name className="block truncate text-soft">{email}</Name>}
          </p>
          <Button aria-label={`Change the ${what}`} onClick={() => setOpen(what)}>
            Change
          </Button>
        </div>
      ))}
      {open !== null && (
        <FormDialog title={`Change your ${open}`} action="Change" onClose={() => setOpen(null)} send={send}>
          {isEmail ? (
            <TextField
              label="New email"
              name="email"
              type="email"
              autoComplete="username"
              required
              autoFocus
            />
          ) : (
            <input hidden type="text" autoComplete="username" value={email} readOnly />
          )}
          <PasswordField
            label={isEmail ? 'Your password, to confirm' : 'Current password'}
            name="password"
            autoComplete="current-password"
            required
            autoFocus={!isEmail}
          />
          {!isEmail && (
            <PasswordField
              label="New password"
              name="newPassword"
              hint="At least 12 characters."
              autoComplete="new-password"
              required
              minLength={12}
              maxLength={256}
            />
          )}
        </FormDialog>
      )}
    </div>
  );
}
