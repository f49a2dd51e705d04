import { Archive, ArchiveRestore, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Team } from '../../../../shared/schemas/teams.ts';
import { useChange } from '../../app/data.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { TypedConfirm } from '../../ui/form-dialog.tsx';
import { SavedField } from '../../ui/saved-field.tsx';
import { Section } from '../../ui/section.tsx';
import { Name } from '../../ui/text.tsx';
import { say, tell } from '../../ui/toast.tsx';

/* What Owners and Admins of the Company do with a Team, on its settings and on the page of the Company. */

type Quota = NonNullable<Team['quota']>;

/** The operations whose answers are different when a Team is changed. */
export const TEAM_CHANGED = ['listTeams', 'getTeam', 'getSelectedTeam', 'getStatus', 'getSession'] as const;

const GB = 1e9;

/** The most that a Team can store. */
export function QuotaFields({ id, quota }: { id: string; quota: Quota }) {
  const { mutateAsync, isPending, variables } = useChange('renameTeam', TEAM_CHANGED);
  // Both limits are sent together: the other one is what it is when this one is saved, or taken back later.
  const now = useRef(quota);
  now.current = (isPending && variables[1].quota) || quota;
  const save = (what: keyof Quota, limit: number | null) =>
    mutateAsync([id, { quota: { ...now.current, [what]: limit } }]);
  const field = (what: keyof Quota, unit: number) => ({
    type: 'number' as const,
    isOptional: true,
    value: quota[what] === null ? '' : String(quota[what] / unit),
    save: (text: string) => save(what, text === '' ? null : Math.round(Number(text) * unit)),
  });
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(12rem,1fr))] gap-4">
      <SavedField label="Limit of passages" hint="Empty: no limit." {...field('chunks', 1)} />
      <SavedField
        label="Limit of storage (GB)"
        hint="A quota below what is stored deletes nothing: nothing can be added."
        {...field('bytes', GB)}
      />
    </div>
  );
}

/** Archives a Team, restores it, or deletes it once it is archived. */
export function TeamEnd({
  team: { id, name, state },
  onDeleted,
}: {
  team: Pick<Team, 'id' | 'name' | 'state'>;
  onDeleted: () => void;
}) {
  const { company } = useSession();
  const archive = useChange('archiveTeam', TEAM_CHANGED);
  const restore = useChange('restoreTeam', TEAM_CHANGED);
  const remove = useChange('deleteTeam', ['listTeams', 'getSession']);
  const [isDeleting, setDeleting] = useState(false);
  const isArchived = state === 'archived';
  const busy = archive.isPending || restore.isPending;
  const moveTo = (isArchiving: boolean, undo?: () => void) =>
    void tell(
      (isArchiving ? archive : restore).mutateAsync([id]),
      `${name}: ${isArchiving ? 'archived' : 'restored'}.`,
      undo,
    );
  return (
    <Section title={isArchived ? 'Archived' : 'Archive'}>
      <p className="mb-3 text-soft">
        {isArchived ? 'The Team is archived: it' : 'An archived Team'} can be read and searched, and nothing
        in it can be changed.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          icon={isArchived ? ArchiveRestore : Archive}
          busy={busy}
          onClick={() => moveTo(!isArchived, () => moveTo(isArchived))}
        >
          {isArchived ? 'Restore the Team' : 'Archive the Team'}
        </Button>
        {isArchived && company.role === 'owner' && (
          <Button look="danger" icon={Trash2} onClick={() => setDeleting(true)}>
            Delete the Team
          </Button>
        )}
      </div>
      {isDeleting && (
        <TypedConfirm
          title="Delete the Team for good?"
          action="Delete the Team"
          typed={name}
          label="Type the name of the Team"
          send={async () => {
            await remove.mutateAsync([id]);
            onDeleted();
            say(`${name}: deleted.`);
          }}
          onClose={() => setDeleting(false)}
        >
          All sources, memories, captures, files and clients of <Name className="font-medium">{name}</Name>{' '}
          are deleted, and its agent tokens end. Only its audit events stay. Nobody can undo this.
        </TypedConfirm>
      )}
    </Section>
  );
}
