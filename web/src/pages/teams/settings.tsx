import { useNavigate } from '@tanstack/react-router';
import type { SelectedTeam } from '../../../../shared/schemas/teams.ts';
import { useChange, useRead } from '../../app/data.ts';
import { useSession } from '../../app/session.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { SavedField } from '../../ui/saved-field.tsx';
import { Facts, Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { size } from '../../ui/text.tsx';
import { tell } from '../../ui/toast.tsx';
import { QuotaFields, TEAM_CHANGED, TeamEnd } from './parts.tsx';

const PUBLISH = [
  { value: 'anyone', name: 'Everyone who consolidates' },
  { value: 'review', name: 'Only with Full access; others wait for a review' },
] as const;
const REDACTION = [
  { value: '', name: 'As the service is set' },
  { value: 'off', name: 'Not looked for' },
  { value: 'flag', name: 'Stored, and marked' },
  { value: 'redact', name: 'Left out' },
  { value: 'refuse', name: 'The text is refused' },
] as const;

/** The page at /settings. */
export default function Settings() {
  const { company } = useSession();
  const navigate = useNavigate();
  const toCompany = () =>
    void navigate({ to: '/company', search: { team: undefined } as never, replace: true });
  return (
    <Page>
      <Loaded query={useRead('getSelectedTeam', [])}>
        {(team) => (
          <div className="max-w-2xl">
            <General team={team} />
            <Storage team={team} />
            {company.role !== 'member' && <TeamEnd team={team} onDeleted={toCompany} />}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** Name and rules. In an archived Team they cannot be changed. */
function General({ team: { name, state, publish, redaction } }: { team: SelectedTeam }) {
  const { mutateAsync } = useChange('changeSelectedTeam', TEAM_CHANGED);
  type Rules = Partial<Pick<SelectedTeam, 'publish' | 'redaction'>>;
  const set = (what: string, next: Rules, before?: Rules) =>
    void tell(mutateAsync([next]), `${what}: saved.`, before && (() => set(what, before)));
  return (
    <Section title="General">
      <fieldset disabled={state === 'archived'} className="flex flex-col gap-4">
        <SavedField label="Name" value={name} save={(next) => mutateAsync([{ name: next }])} />
        <SelectField
          label="Memories are published by"
          value={publish}
          options={PUBLISH}
          onChange={({ target }) =>
            set('Publishing', { publish: target.value as typeof publish }, { publish })
          }
        />
        <SelectField
          label="Passwords, keys and tokens in new texts"
          hint="A stricter setting of the service wins."
          value={redaction ?? ''}
          options={REDACTION}
          onChange={({ target }) =>
            set('Credentials', { redaction: (target.value || null) as typeof redaction }, { redaction })
          }
        />
      </fieldset>
    </Section>
  );
}

/** What the Team stores, beside what it can store. */
function Storage({ team: { id, members, clients, usage, quota, state } }: { team: SelectedTeam }) {
  const { company } = useSession();
  if (usage === undefined || quota === undefined) return null;
  const used = (value: number, most: number | null, shown: (n: number) => string) => (
    <span className={most !== null && value >= most ? 'text-bad' : ''}>
      {shown(value)}
      {most === null ? ', no limit' : ` of ${shown(most)}`}
      {most !== null && value >= most && ': nothing can be added'}
    </span>
  );
  return (
    <Section title="Usage">
      <div className="flex flex-col gap-4">
        <Facts
          facts={[
            ['Passages', used(usage.chunks, quota.chunks, (n) => n.toLocaleString('en'))],
            ['Storage', used(usage.bytes, quota.bytes, size)],
            ['Sources', usage.sources],
            ['Workspace files', usage.files],
            ['Clients', clients],
            ['Members', members],
          ]}
        />
        {company.role === 'owner' && state === 'active' && <QuotaFields id={id} quota={quota} />}
      </div>
    </Section>
  );
}
