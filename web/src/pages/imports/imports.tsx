import { FolderUp, Upload } from 'lucide-react';
import { type ChangeEvent, useRef } from 'react';
import { IMPORT_EXTENSIONS } from '../../../../shared/formats/media-types.ts';
import type { Import } from '../../../../shared/schemas/imports.ts';
import { useFilters, withChosen } from '../../app/filters.ts';
import { IMPORTS } from '../../app/pages.tsx';
import { useRights } from '../../app/rights.ts';
import { useTeam } from '../../app/session.tsx';
import { chosenIn } from '../../app/shell/dropped-files.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceFilter, FilterBar } from '../../ui/filter-bar.tsx';
import { HereLink } from '../../ui/here-link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { count } from '../../ui/text.tsx';
import { sayFailure } from '../../ui/toast.tsx';
import { useActions } from './actions.tsx';
import { columnsFor } from './columns.tsx';
import { Details } from './details.tsx';
import { Options } from './options.tsx';
import { Progress } from './progress.tsx';
import { STATES } from './rows.ts';
import { isOver, type Sender } from './sender.ts';
import { useImports } from './use-imports.ts';

const ACCEPTED = IMPORT_EXTENSIONS.map((one) => `.${one}`).join();
const STATE_NAMES = Object.keys(STATES) as Import['state'][];

/** The page at /imports. */
export default function ImportsPage() {
  const [{ open, clientId, ...asked }, setFilters] = useFilters('/imports');
  const { clients, canWrite: canWriteIn, isFull, nameOf } = useRights();
  // What the service does not know is not asked for.
  const state = STATE_NAMES.find((one) => one === asked.state);
  const { sender, sending, status, active, isMoving, list } = useImports({ state, clientId });
  const { actionsOf, retryAll, isRetrying, dialog } = useActions(sender);
  const canWrite = canWriteIn(null);
  const failed = status?.imports.failed ?? 0;
  const show = (id: string | undefined) => void setFilters({ open: id });
  // A file that has been sent is an import by now.
  const shown = sending.files.find(({ id }) => id === open)?.importId ?? open;
  const row = list.items.find(({ id }) => id === shown);
  const left = sending.files.filter((file) => !isOver(file, sending.known)).length || active;
  return (
    <Page
      title={IMPORTS.name}
      {...(isMoving && { shows: `${count(left, 'file')} left` })}
      total={list.total}
      actions={canWrite && <ChooseButtons sender={sender} />}
    >
      {canWrite && <Options sender={sender} target={sending.target} />}
      <Progress sender={sender} sending={sending} active={active} />
      {failed > 0 && canWrite && (
        <Notice
          actions={
            <Button busy={isRetrying} onClick={retryAll}>
              {isFull ? 'Retry all' : 'Retry mine'}
            </Button>
          }
        >
          {count(failed, 'import')} failed.{' '}
          {state !== 'failed' && (
            <HereLink to={{ state: 'failed' }} className="underline">
              Show why
            </HereLink>
          )}
        </Notice>
      )}
      <Tabs
        label="Imports by state"
        parameter="state"
        value={state}
        tabs={[
          { value: undefined, name: 'All' },
          ...STATE_NAMES.map((value) => ({
            value,
            name: STATES[value].words,
            count:
              clientId === undefined && value !== 'cancelled'
                ? status?.imports[value] || undefined
                : undefined,
          })),
        ]}
      />
      {(clients.length > 0 || clientId !== undefined) && (
        <FilterBar>
          <ChoiceFilter
            label="Team and clients"
            value={clientId}
            options={withChosen(
              clients.map(({ id, name }) => ({ value: id, name })),
              clientId,
              'One client',
            )}
            onChange={(id) => void setFilters({ clientId: id })}
          />
        </FilterBar>
      )}
      <RecordList
        label="Imports"
        read={list}
        columns={columnsFor(actionsOf, show, nameOf)}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        empty={<Nothing isFiltered={state !== undefined || clientId !== undefined} />}
      />
      {row !== undefined && (
        <Details
          row={row}
          onClose={() => show(undefined)}
          actions={actionsOf(row)}
          clientName={nameOf(row.clientId)}
        />
      )}
      {dialog}
    </Page>
  );
}

/** Buttons that choose files and folders; what is chosen is sent at once. */
function ChooseButtons({ sender }: { sender: Sender }) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  function choose({ currentTarget: field }: ChangeEvent<HTMLInputElement>) {
    const chosen = chosenIn(field.files ?? []);
    // The same file can be chosen again, after it was corrected.
    field.value = '';
    if (chosen.length === 0) sayFailure(new Error('There are no files in this folder.'));
    else sender.add(chosen);
  }
  const field = { type: 'file', multiple: true, hidden: true, onChange: choose } as const;
  return (
    <>
      <input {...field} ref={files} aria-label="Files to import" accept={ACCEPTED} />
      <input {...field} ref={folder} aria-label="Folder to import" {...{ webkitdirectory: '' }} />
      <Button icon={FolderUp} className="max-md:hidden" onClick={() => folder.current?.click()}>
        Choose a folder
      </Button>
      <Button look="primary" icon={Upload} onClick={() => files.current?.click()}>
        Choose files
      </Button>
    </>
  );
}

/** In place of the list while it is empty. */
function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const { access, state } = useTeam();
  if (isFiltered) return <Empty icon={Upload} title="No import matches" />;
  const about =
    state === 'archived'
      ? 'This Team is archived, so nothing can be added.'
      : access === 'read'
        ? 'You can only read in this Team. Ask one of its members to import files.'
        : 'Drop files or folders anywhere in this window. Searches find them as soon as they are read.';
  return (
    <Empty icon={Upload} title="Nothing has been imported yet">
      <p>{about}</p>
    </Empty>
  );
}
