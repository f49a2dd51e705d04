import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FolderUp, Info, Upload } from 'lucide-react';
import { type ChangeEvent, useEffect, useEffectEvent, useRef } from 'react';
import { IMPORT_EXTENSIONS } from '../../../../shared/formats/media-types.ts';
import type { Import } from '../../../../shared/schemas/imports.ts';
import { useList, useRead } from '../../app/data.ts';
import { useFilters, withChosen } from '../../app/filters.ts';
import { send } from '../../app/request.ts';
import { useRights } from '../../app/rights.ts';
import { queryClient, useTeam } from '../../app/session.tsx';
import { chosenIn } from '../../app/shell/dropped-files.ts';
import { Button, primaryButton } from '../../ui/button.tsx';
import { menuColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { ChoiceFilter, FilterBar } from '../../ui/filter-bar.tsx';
import { HereLink } from '../../ui/here-link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { count, Name } from '../../ui/text.tsx';
import { sayFailure } from '../../ui/toast.tsx';
import { Details, useActions } from './actions.tsx';
import { NOTE_COLUMN, type Row, rowOfFile, rowOfImport, STATE_COLUMN, STATES } from './rows.tsx';
import { isActive, isOver, useSender } from './sender.ts';
import { Options, Progress } from './sending.tsx';

const ACCEPTED = IMPORT_EXTENSIONS.map((one) => `.${one}`).join();
const STATE_NAMES = Object.keys(STATES) as Import['state'][];

/** While something moves, how often the state of the Team and its newest imports are read: together a request every 2 s. */
const EVERY_MS = 4200;

/** The imports of the Team and the files that are sent from this tab, in one list that follows what happens. */
function useImports(state: Import['state'] | undefined, clientId: string | undefined) {
  const team = useTeam().id;
  const [sender, { files, known, isBusy }] = useSender();
  const list = useList('listImports', { state, clientId });
  const status = useRead('getStatus', []).data;
  const active = (status?.imports.queued ?? 0) + (status?.imports.running ?? 0);
  const isMoving =
    isBusy || active > 0 || files.some((file) => file.state !== 'waiting' && !isOver(file, known));
  useRead('getStatus', [], { every: EVERY_MS, enabled: isMoving });
  // Where reading goes on, if the files of this tab have older imports than those that were read.
  const cursor = useRef<string>(undefined);
  useQuery({
    queryKey: [team, 'newImports'],
    enabled: isMoving,
    refetchInterval: EVERY_MS,
    async queryFn({ signal }) {
      const limit = files.length > 50 ? 200 : 50;
      const page = await send(team, 'listImports', [{ limit, cursor: cursor.current }], signal);
      sender.learn(page.items);
      const [last, now] = [page.items.at(-1), sender.state()];
      const isAwaited = now.files.some(({ importId }) => {
        const made = now.known.get(importId ?? '');
        return made !== undefined && last !== undefined && isActive(made) && isAfter(made, last);
      });
      cursor.current = isAwaited ? (page.nextCursor ?? undefined) : undefined;
      return null;
    },
  });
  useEffect(() => {
    if (!isMoving) return;
    // When all is over, the list is read once more.
    return () => void queryClient.invalidateQueries({ queryKey: [team, 'listImports'] });
  }, [isMoving, team]);

  const pages = list.query.data;
  const oldest = list.query.hasNextPage ? (list.items.at(-1)?.createdAt ?? '') : '';
  const listAll = useEffectEvent(() => {
    if (pages !== undefined && state === undefined && clientId === undefined) sender.list(list.items, oldest);
  });
  useEffect(() => listAll(), [pages]);

  const own = new Set(files.map(({ importId }) => importId));
  const byId = new Map(list.items.map((item) => [item.id, item]));
  for (const item of known.values()) {
    const listed = byId.get(item.id);
    const isNew = item.createdAt > oldest && (isMoving || own.has(item.id));
    if (listed === undefined ? isNew : item.updatedAt >= listed.updatedAt) byId.set(item.id, item);
  }
  const rows: Row[] = [
    ...files.filter(({ importId }) => importId === null).map((file) => rowOfFile(file, known)),
    ...[...byId.values()].sort((a, b) => (isAfter(a, b) ? 1 : -1)).map(rowOfImport),
  ];
  const items = rows.filter(
    (row) =>
      (state === undefined || row.state === state) && (clientId === undefined || row.clientId === clientId),
  );
  return { status, active, isMoving, list: { ...list, items } };
}

/** Whether an import comes after another in the list, which has the newest first. */
const isAfter = (a: Import, b: Import) =>
  a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt;

/** The page at /imports. */
export default function ImportsPage() {
  const [{ open, clientId, ...asked }, setFilters, field] = useFilters('/imports');
  const { clients, canWrite: canWriteIn, isFull, nameOf } = useRights();
  // What the service does not know is not asked for.
  const state = STATE_NAMES.find((one) => one === asked.state);
  const [, sending] = useSender();
  const { status, active, isMoving, list } = useImports(state, clientId);
  const { actionsOf, retryAll, isRetrying, dialog } = useActions();
  const canWrite = canWriteIn(null);
  const options = clients.map(({ id, name }) => ({ value: id, name }));
  const places = withChosen(options, clientId, 'One client');
  const failed = status?.imports.failed ?? 0;
  const show = (id: string | undefined) => void setFilters({ open: id });
  // A file that has been sent is an import by now.
  const shown = sending.files.find(({ id }) => id === open)?.importId ?? open;
  const row = list.items.find(({ id }) => id === shown);
  const left = sending.files.filter((file) => !isOver(file, sending.known)).length || active;
  return (
    <Page
      {...(isMoving && { shows: `${count(left, 'file')} left` })}
      total={list.total}
      actions={canWrite && <ChooseButtons />}
    >
      {canWrite && <Options />}
      <Progress active={active} />
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
      {places.length > 0 && (
        <FilterBar>
          <ChoiceFilter label="Team and clients" options={places} {...field('clientId')} />
        </FilterBar>
      )}
      <RecordList
        label="Imports"
        read={list}
        columns={[
          {
            name: 'File',
            width: 'minmax(6rem,1fr)',
            cell: ({ id, name, item }) =>
              item?.state === 'completed' && item.sourceId !== null ? (
                <Link
                  to="/sources/$id"
                  params={{ id: item.sourceId }}
                  className="font-medium hover:underline"
                >
                  <Name>{name}</Name>
                </Link>
              ) : (
                <HereLink to={{ open: id }} className="font-medium hover:underline">
                  <Name>{name}</Name>
                </HereLink>
              ),
          },
          STATE_COLUMN,
          NOTE_COLUMN,
          textColumn<Row>('Stored in', '6rem', (one) => nameOf(one.clientId)),
          timeColumn<Row>('Added', ({ item }) => item?.createdAt ?? null),
          menuColumn<Row>(
            (one) => one.name,
            (one) => [[Info, 'Details', () => show(one.id)], ...actionsOf(one)],
          ),
        ]}
        empty={<Nothing isFiltered={state !== undefined || clientId !== undefined} />}
      />
      {row !== undefined && <Details row={row} actions={actionsOf(row)} onClose={() => show(undefined)} />}
      {dialog}
    </Page>
  );
}

/** Buttons that choose files and folders; what is chosen is sent at once. */
function ChooseButtons() {
  const [sender] = useSender();
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
      {primaryButton(Upload, 'Choose files', () => files.current?.click())}
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
