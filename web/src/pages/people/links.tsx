import { KeyRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Member } from '../../../../shared/schemas/people.ts';
import { useChange } from '../../app/data.ts';
import { Button } from '../../ui/button.tsx';
import { CommandLine, CopyButton } from '../../ui/copy.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { OnceDialog } from '../../ui/once.tsx';
import { count, Name, Time } from '../../ui/text.tsx';

/** A link that works once, for someone to whom the person sends it. */
export interface OneTimeLink {
  email: string;
  url: string;
  expiresAt: string;
}
export interface Refused {
  email: string;
  why: string;
}

interface Props {
  links: readonly OneTimeLink[];
  /** For whom there is no link. */
  refused?: readonly Refused[];
  /** Opens the form again for them. */
  onRetry?: () => void;
  onClose: () => void;
  children?: ReactNode;
}

/** Links that the service shows only now. */
export function LinksDialog({ links, refused = [], onRetry, onClose, children }: Props) {
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
          Shown only now; the service sends no mail. {isOne ? 'It' : 'Each'} works once, and expires{' '}
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

/** A button that makes a link by which someone sets a new password. */
export function ResetLink({ member: { userId, name, email } }: { member: Member }) {
  const make = useChange('createMemberResetLink', []);
  const [isOpen, setOpen] = useState(false);
  const [link, setLink] = useState<OneTimeLink | null>(null);
  function close() {
    setOpen(false);
    setLink(null);
  }
  async function send(fields: FormData) {
    const answer = await make.mutateAsync([userId, { ttlSeconds: Number(fields.get('hours')) * 3600 }]);
    setLink({ email, ...answer });
  }
  return (
    <>
      <Button icon={KeyRound} onClick={() => setOpen(true)}>
        Link to set a new password
      </Button>
      {isOpen && link === null && (
        <FormDialog title="Link to set a new password" action="Make the link" onClose={close} send={send}>
          <p className="text-soft">
            Anyone with the link can sign in as <Name className="font-medium">{name}</Name>. It replaces the
            one before.
          </p>
          <LinkHours hours={[1, 4, 24]} initial={1} />
        </FormDialog>
      )}
      {link !== null && (
        <LinksDialog links={[link]} onClose={close}>
          With it, <Name className="font-medium">{name}</Name> sets a new password. Earlier sessions then end.
        </LinksDialog>
      )}
    </>
  );
}
