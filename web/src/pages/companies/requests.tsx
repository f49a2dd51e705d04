import { Check, KeyRound, X } from 'lucide-react';
import type { AccessRequest } from '../../../../shared/schemas/people.ts';
import { useAll, useChange } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { Empty, Failure, LoadedList, Skeleton } from '../../ui/states.tsx';
import { Name, Tag, Time } from '../../ui/text.tsx';
import { say, tell } from '../../ui/toast.tsx';
import { useNames } from '../people/rights.ts';

const ACCESS = { full: 'Full access', read: 'Read' };
const CHOICES = [
  { value: 'read', name: 'Read everything in it' },
  { value: 'full', name: 'Full access: read and change everything' },
];
const TONES = { open: 'warn', approved: 'good', denied: 'plain' } as const;
const CHANGED = ['listAccessRequests', 'listCompanyGrants'] as const;

/** Access requests: an Owner decides on them, an Admin makes them and sees their own. */
export function AccessRequests() {
  const isOwner = useSession().company.role === 'owner';
  const { items, query } = useAll('listAccessRequests', {});
  const personOf = useNames('listCompanyMembers', 'Someone who has left');
  const teamOf = useNames('listTeams', 'A deleted Team');
  const approve = useChange('approveAccessRequest', CHANGED);
  const deny = useChange('denyAccessRequest', CHANGED);
  const busy = approve.isPending || deny.isPending;
  const [filters, setFilters] = useFilters('/company');
  // What waits for a decision comes first.
  const sorted = items.toSorted((a, b) => Number(b.state === 'open') - Number(a.state === 'open'));
  const decide = (by: typeof approve | typeof deny, { id, userId }: AccessRequest, done: string) =>
    void tell(by.mutateAsync([id]), `The request of ${personOf(userId)} is ${done}.`);
  if (query.isPending) return <Skeleton />;
  return (
    <>
      {query.error !== null && <Failure error={query.error} retry={() => void query.refetch()} />}
      {items.length === 0 && query.error === null && (
        <Empty icon={KeyRound} title="Nobody has asked for access">
          Admins of the Company ask here for access to Teams of others. An Owner decides.
        </Empty>
      )}
      <ul aria-label="Access requests">
        {sorted.map((request) => {
          const { id, userId, teamId, access, state, reason, createdAt, decidedBy } = request;
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-2.5">
              <div className="min-w-60 grow basis-0">
                <p>
                  <Name className="font-medium">{personOf(userId)}</Name> asks for {ACCESS[access]} in{' '}
                  <Name className="font-medium">{teamOf(teamId)}</Name> <Tag tone={TONES[state]}>{state}</Tag>
                </p>
                <p dir="auto" className="text-soft empty:hidden">
                  {reason}
                </p>
              </div>
              <span className="text-sm text-faint">
                <Time at={createdAt} />
                {decidedBy !== null && ', decided by '}
                {decidedBy !== null && <Name>{personOf(decidedBy)}</Name>}
              </span>
              {isOwner && state === 'open' && (
                <span className="flex gap-2">
                  <Button icon={Check} busy={busy} onClick={() => decide(approve, request, 'approved')}>
                    Approve
                  </Button>
                  <Button look="quiet" icon={X} busy={busy} onClick={() => decide(deny, request, 'denied')}>
                    Deny
                  </Button>
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {!isOwner && filters.new !== undefined && (
        <AskForAccess onClose={() => void setFilters({ new: undefined })} />
      )}
    </>
  );
}

/** An Admin asks for access to a Team. */
function AskForAccess({ onClose }: { onClose: () => void }) {
  const mine = useSession().teams;
  const read = useAll('listTeams', {});
  const teams = read.items.filter(
    ({ id, state }) => state === 'active' && mine.find((team) => team.id === id)?.access !== 'full',
  );
  const { mutateAsync } = useChange('requestAccess', ['listAccessRequests']);
  async function ask(fields: FormData) {
    const reason = textIn(fields, 'reason');
    await mutateAsync([
      {
        teamId: textIn(fields, 'teamId'),
        access: textIn(fields, 'access') === 'full' ? 'full' : 'read',
        ...(reason !== '' && { reason }),
      },
    ]);
    onClose();
    say('Your request is sent. An Owner of the Company decides on it.');
  }
  return (
    <FormDialog title="Ask for access" action="Send the request" send={ask} onClose={onClose}>
      <LoadedList query={read.query}>
        <SelectField
          label="Team"
          name="teamId"
          hint={teams.length === 0 && 'You have Full access to every Team.'}
          options={teams.map(({ id, name }) => ({ value: id, name }))}
        />
      </LoadedList>
      <SelectField label="Access" name="access" options={CHOICES} />
      <TextArea label="Reason (optional)" name="reason" rows={3} maxLength={1000} />
    </FormDialog>
  );
}
