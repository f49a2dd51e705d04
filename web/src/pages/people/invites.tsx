import { Link, Mail, Trash2, UserPlus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Invite } from '../../../../shared/schemas/people.ts';
import { useChange, useList } from '../../app/data.ts';
import { wrongField } from '../../app/form.ts';
import { useNames } from '../../app/person.ts';
import { Button } from '../../ui/button.tsx';
import { menuColumn, nameColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { CommandLine, CopyButton } from '../../ui/copy.tsx';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { ConfirmAct, FormDialog } from '../../ui/form-dialog.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Notice } from '../../ui/notice.tsx';
import { OnceDialog } from '../../ui/once.tsx';
import { Empty } from '../../ui/states.tsx';
import { count, Name, Tag, Time } from '../../ui/text.tsx';
import { tell } from '../../ui/toast.tsx';
import { useGivenAccess } from './given-access.tsx';
import { PLACES, ROLES, usePeopleRights, type Where } from './rights.ts';

const STATES = {
  open: ['Open', 'good'],
  used: ['Accepted', 'plain'],
  expired: ['Expired', 'warn'],
  revoked: ['Revoked', 'plain'],
} as const;

const MAILS = { queued: ['Waiting', 'plain'], sent: ['Sent', 'good'], failed: ['Refused', 'warn'] } as const;

interface ListProps {
  of: Where;
  /** Whether the form is open, as the address says. */
  isMaking: boolean;
  onMaking: (isMaking: boolean) => void;
}

/** The invites to the Team or to the Company, newest first, and the form that makes them. */
export function Invites({ of, isMaking, onMaking }: ListProps) {
  const { invites: list, revoke: revokeBy, resend: resendBy, members, aboutInvites } = PLACES[of];
  const nameOf = useNames(members, 'someone who has left');
  const { changes, canRemove } = usePeopleRights(of);
  const [like, setLike] = useState<Invite>();
  const [revoking, setRevoking] = useState<Invite | null>(null);
  const revoke = useChange(revokeBy, [list]);
  const resend = useChange(resendBy, [list]);
  const read = useList(list, {});
  const hasMails = read.items.some(({ mail }) => mail !== null);
  function makeAgain(invite: Invite) {
    setLike(invite);
    onMaking(true);
  }
  function close() {
    setLike(undefined);
    onMaking(false);
  }
  return (
    <>
      <p className="mb-2 text-sm text-soft">{aboutInvites}</p>
      <RecordList<Invite>
        label="Invites"
        read={read}
        columns={[
          nameColumn('Email', ({ email }) => email),
          textColumn('Role', '10rem', ({ role, grants }) =>
            grants.length === 0 ? ROLES[role] : `${ROLES[role]}, ${count(grants.length, 'client')}`,
          ),
          {
            name: 'State',
            width: '5.5rem',
            cell: ({ state }) => <Tag tone={STATES[state][1]}>{STATES[state][0]}</Tag>,
          },
          hasMails && {
            name: 'Mail',
            width: '5.5rem',
            cell: ({ mail }) => mail !== null && <Tag tone={MAILS[mail][1]}>{MAILS[mail][0]}</Tag>,
          },
          timeColumn('Link until', ({ state, expiresAt }) =>
            state === 'open' || state === 'expired' ? expiresAt : null,
          ),
          textColumn('Invited by', '9rem', ({ createdBy }) => nameOf(createdBy)),
          timeColumn('Made', ({ createdAt }) => createdAt),
          menuColumn(
            ({ email }) => email,
            (invite) => [
              changes &&
                invite.state === 'open' &&
                invite.mail !== null && [
                  Mail,
                  'Send again',
                  () =>
                    void tell(resend.mutateAsync([invite.id]), `A mail to ${invite.email} is on its way.`),
                ],
              changes &&
                invite.role !== 'owner' &&
                invite.state !== 'used' && [Link, 'Make a new link', () => makeAgain(invite)],
              invite.state === 'open' && canRemove(invite) && [Trash2, 'Revoke', () => setRevoking(invite)],
            ],
          ),
        ]}
        empty={<Empty icon={UserPlus} title="Nobody has been invited yet" />}
      />
      {revoking !== null && (
        <ConfirmAct
          onClose={() => setRevoking(null)}
          title="Revoke this invite?"
          action="Revoke"
          act={() => revoke.mutateAsync([revoking.id])}
          done={`The invite to ${revoking.email} is revoked.`}
        >
          The links that were sent to <Name>{revoking.email}</Name> stop working at once.
        </ConfirmAct>
      )}
      {isMaking && changes && <InviteDialog of={of} like={like} onClose={close} />}
    </>
  );
}

/**
 * Invites one or several people, whose addresses are pasted, and shows their links. To a Team they have one role, and the
 * clients that are opened to all of them.
 * @param like what it begins with: an invite that is made again
 */
function InviteDialog({ of, like, onClose }: { of: Where; like: Invite | undefined; onClose: () => void }) {
  const createInvite = useChange('createInvite', ['listInvites']);
  const createInvitation = useChange('createInvitation', ['listInvitations']);
  const [text, setText] = useState(like?.email ?? '');
  const [outcome, setOutcome] = useState<Pick<LinksProps, 'links' | 'refused'> | null>(null);
  const [hours, setHours] = useState(168);
  const { addresses, others } = addressesIn(text);
  const isTeam = of === 'team';
  const given = useGivenAccess(['admin', 'member'], isTeam, like);

  async function make(email: string, expiresInHours: number): Promise<OneTimeLink> {
    if (!isTeam) {
      const { invitation, url } = await createInvitation.mutateAsync([{ email, expiresInHours }]);
      return { ...invitation, url };
    }
    const draft = { email, expiresInHours, role: given.role, grants: given.grants() };
    const { invite, url } = await createInvite.mutateAsync([draft]);
    return { ...invite, url };
  }

  async function send(fields: FormData) {
    if (others.length > 0)
      throw wrongField('emails', `This is not an email address: ${others.slice(0, 3).join(', ')}`);
    if (addresses.length === 0) throw wrongField('emails', 'Enter at least one email address.');
    const expiresInHours = Number(fields.get('hours'));
    const links: OneTimeLink[] = [];
    const refused: { email: string; why: string }[] = [];
    for (const email of addresses) {
      try {
        links.push(await make(email, expiresInHours));
      } catch (error) {
        refused.push({ email, why: (error as Error).message });
      }
    }
    const reasons = refused.map(({ email, why }) => (refused.length === 1 ? why : `${email}: ${why}.`));
    if (links.length === 0) throw wrongField('emails', reasons.join(' '));
    setHours(expiresInHours);
    setOutcome({ links, refused });
  }

  function retry() {
    setText(outcome?.refused?.map(({ email }) => email).join('\n') ?? '');
    setOutcome(null);
  }
  if (outcome !== null) return <LinksDialog {...outcome} onRetry={retry} onClose={onClose} />;
  const n = addresses.length;
  return (
    <FormDialog
      title={isTeam ? 'Invite people' : 'Invite Admins of the Company'}
      action={n > 1 ? `Make ${n} links` : 'Make the link'}
      onClose={onClose}
      send={send}
    >
      <TextArea
        label="Email addresses"
        name="emails"
        hint={n > 1 ? count(n, 'person', 'people') : 'Paste as many as you like.'}
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        autoFocus
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {given.fields}
      <LinkHours hours={[24, 168, 720]} initial={hours} />
    </FormDialog>
  );
}

const IN_BRACKETS = /<([^<>\s@]+@[^<>\s@]+)>/;

/**
 * The email addresses in a pasted text, and the lines that have none. Addresses are separated by lines, commas or
 * semicolons; a name can stand beside each, as mail programs and tables copy it.
 */
function addressesIn(text: string): { addresses: string[]; others: string[] } {
  const addresses = new Map<string, string>();
  const others: string[] = [];
  for (const entry of text.split(/[\n,;]+/)) {
    const inBrackets = IN_BRACKETS.exec(entry)?.[1];
    const found =
      inBrackets === undefined ? entry.split(/\s+/).filter((word) => word.includes('@')) : [inBrackets];
    for (const address of found) addresses.set(address.toLowerCase(), address);
    if (found.length === 0 && entry.trim() !== '') others.push(entry.trim());
  }
  return { addresses: [...addresses.values()], others };
}

/** A link that works once, for someone to whom the person sends it. */
export interface OneTimeLink {
  email: string;
  url: string;
  expiresAt: string;
  /** Of an invite: whether the service mails another link. */
  mail?: Invite['mail'];
}

/** What the service does with the links of invites besides showing them. */
function mailing(links: readonly OneTimeLink[]): string {
  const [first] = links;
  if (first?.mail === undefined) return 'Shown only now.';
  if (first.mail === null) return 'Shown only now; the service sends no mail.';
  return links.length === 1
    ? 'Shown only now; the service also mails one to the person.'
    : 'Shown only now; the service also mails one to each person.';
}

interface LinksProps {
  links: readonly OneTimeLink[];
  /** For whom there is no link. */
  refused?: readonly { email: string; why: string }[];
  /** Opens the form again for them. */
  onRetry?: () => void;
  onClose: () => void;
  children?: ReactNode;
}

/** Links that the service shows only now. */
export function LinksDialog({ links, refused = [], onRetry, onClose, children }: LinksProps) {
  const [copied, setCopied] = useState<ReadonlySet<string>>(new Set());
  const add = (some: readonly OneTimeLink[]) =>
    setCopied(new Set([...copied, ...some.map(({ url }) => url)]));
  const isCopied = links.every(({ url }) => copied.has(url));
  const isOne = links.length === 1;
  const all = links.map(({ email, url }) => (isOne ? url : `${email}\t${url}`)).join('\n');
  return (
    <OnceDialog
      title={isOne ? 'Send this link' : `Send these ${links.length} links`}
      what={isOne ? 'the link' : 'all links'}
      isCopied={isCopied}
      onClose={onClose}
      actions={
        <>
          {refused.length > 0 && isCopied && <Button onClick={onRetry}>Try again</Button>}
          <CopyButton
            isNamed
            text={all}
            label={isOne ? 'Copy the link' : 'Copy all'}
            onCopied={() => add(links)}
          />
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {children && <p>{children}</p>}
        <p className="text-sm text-soft">
          {mailing(links)} {isOne ? 'It' : 'Each'} works once, and expires{' '}
          <Time at={links[0]?.expiresAt ?? ''} />.
        </p>
        <ul className="flex flex-col gap-3">
          {links.map((one) => (
            <li key={one.url}>
              <p className="mb-1">
                <Name className="font-medium">{one.email}</Name>
              </p>
              <CommandLine label={`link of ${one.email}`} line={one.url} onCopied={() => add([one])} />
            </li>
          ))}
        </ul>
        {refused.length > 0 && (
          <Notice isBad>
            {count(refused.length, 'person', 'people')} not invited
            {refused.map(({ email, why }) => (
              <span key={email} className="block">
                <Name>{email}</Name>: {why}
              </span>
            ))}
          </Notice>
        )}
      </div>
    </OnceDialog>
  );
}

/** How long a link works, as the field `hours` of a form. */
export const LinkHours = ({ hours, initial }: { hours: readonly number[]; initial: number }) => (
  <div className="w-36">
    <SelectField
      label="The link works for"
      name="hours"
      defaultValue={initial}
      options={hours.map((n) => ({
        value: String(n),
        name: n < 24 ? count(n, 'hour') : count(n / 24, 'day'),
      }))}
    />
  </div>
);
