import { Autocomplete } from '@base-ui/react/autocomplete';
import { useId, useState } from 'react';
import type { Person } from '../../../../shared/schemas/people.ts';
import { useChange, useRead } from '../../app/data.ts';
import { wrongField } from '../../app/form.ts';
import { usePaused } from '../../app/paused.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { INPUT } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Name } from '../../ui/text.tsx';
import { say } from '../../ui/toast.tsx';
import { useGivenAccess } from './given-access.tsx';
import { usePeopleRights, withArticle } from './rights.ts';

/** The operations whose answers are different when someone was added. */
const CHANGED = [
  'listTeamMembers',
  'listClientGrants',
  'listInvites',
  'findPeople',
  'getSelectedTeam',
] as const;

/** Adds someone of the Company to the Team at once: who is found by the name, the role, and the clients that are opened. */
export default function AddPerson({ onClose }: { onClose: () => void }) {
  const add = useChange('createInvite', CHANGED);
  const [person, setPerson] = useState<Person | null>(null);
  const [isWanted, setWanted] = useState(false);
  const given = useGivenAccess(usePeopleRights().rolesFor({ role: 'member' }), true);
  async function send() {
    if (person === null) {
      setWanted(true);
      throw wrongField('person', 'Choose a person of the list.');
    }
    const { userId, name } = person;
    await add.mutateAsync([{ userId, role: given.role, grants: given.grants() }]);
    onClose();
    say(`${name} is now ${withArticle(given.role)} of the Team.`);
  }
  return (
    <FormDialog title="Add a person" action="Add to the Team" onClose={onClose} send={send}>
      {person === null ? (
        <PersonField onChoose={setPerson} isWanted={isWanted} />
      ) : (
        <div className="flex items-center gap-2">
          <p className="min-w-0 grow truncate">
            <Name className="font-medium">{person.name}</Name>
          </p>
          <Button look="quiet" onClick={() => setPerson(null)}>
            Choose another
          </Button>
        </div>
      )}
      {given.fields}
    </FormDialog>
  );
}

interface FieldProps {
  onChoose: (person: Person) => void;
  /** Whether the form was sent without a person. */
  isWanted: boolean;
}

/** Finds people of the Company who have no role in the Team, while a name is typed. */
function PersonField({ onChoose, isWanted }: FieldProps) {
  const id = useId();
  const [text, setText] = useState('');
  const { user } = useSession();
  const words = text.trim();
  const q = usePaused(words, 200);
  const read = useRead('findPeople', [{ q }], { enabled: q !== '', keepsLast: true });
  // Nobody adds themselves.
  const all = (read.data?.items ?? []).filter(({ userId }) => userId !== user.id);
  const people = words.length < 2 ? [] : all;
  const isEmpty = q !== '' && read.isSuccess && !read.isPlaceholderData && people.length === 0;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        Name or whole email
      </label>
      <Autocomplete.Root
        items={people}
        value={text}
        onValueChange={setText}
        filter={null}
        itemToStringValue={({ name }: Person) => name}
        autoHighlight="always"
        inline
        open
      >
        <Autocomplete.Input
          id={id}
          autoFocus
          spellCheck={false}
          autoComplete="off"
          maxLength={300}
          className={INPUT}
          aria-describedby={`${id}-about`}
          aria-invalid={(isWanted && words === '') || undefined}
          onKeyDown={(event) => {
            // Enter chooses, and sends nothing yet.
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
        <Autocomplete.List
          aria-label="People"
          className="max-h-[30vh] overflow-y-auto rounded-md border border-line p-1 empty:hidden"
        >
          {people.map((person) => (
            <Autocomplete.Item
              key={person.userId}
              value={person}
              onClick={() => onChoose(person)}
              className="flex h-9 items-center rounded px-2 data-highlighted:bg-hover"
            >
              <Name className="truncate">{person.name}</Name>
            </Autocomplete.Item>
          ))}
        </Autocomplete.List>
      </Autocomplete.Root>
      <p id={`${id}-about`} role="status" className="text-sm text-faint empty:hidden">
        {read.error !== null && q !== '' ? (
          <span className="text-bad">The people cannot be found now. {read.error.message}</span>
        ) : isEmpty ? (
          'Nobody of your Company has this name or email and no role in the Team. Invite them by email.'
        ) : isWanted && words === '' ? (
          <span className="text-bad">Type a name, and choose a person.</span>
        ) : people.length === 0 ? (
          'Finds people of your Company who are not in the Team yet.'
        ) : (
          ''
        )}
      </p>
    </div>
  );
}
