import {
  ChevronDown,
  ChevronRight,
  File,
  FilePlus2,
  FolderSync,
  Trash2,
  TriangleAlert,
  Upload,
} from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import type { List } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { useKept } from '../../app/kept.ts';
import { usePerson } from '../../app/person.ts';
import { useEditor, useRights } from '../../app/rights.ts';
import { useTeam } from '../../app/session.tsx';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { Button } from '../../ui/button.tsx';
import { menuColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { CommandLine } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '../../ui/filter-bar.tsx';
import { HereLink, TextLink } from '../../ui/here-link.tsx';
import { type Column, RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Skeleton } from '../../ui/states.tsx';
import { count, Name, size, Tag } from '../../ui/text.tsx';
import {
  clientOf,
  conflictCopy,
  flatRows,
  folderOf,
  nameOf,
  type Row,
  shownPath,
  treeRows,
  VIEWS,
} from './shape.ts';
import { useUpload } from './upload.tsx';
import { useFileChanges, useWorkspace } from './workspace.ts';

const FilePage = lazy(() => import('./file.tsx'));
const FileEditor = lazy(() => import('./editor.tsx'));

/** The page at /files: all files, the one that the address names, or its editor. */
export default function FilesPage(): ReactNode {
  const [{ path, as }, setFilters] = useFilters('/files');
  const { canWrite } = useRights();
  const isEditing = useEditor(
    as === 'edit' ? (path ?? '') : undefined,
    path !== undefined && canWrite(clientOf(path)),
    () => setFilters({ as: undefined }),
  );
  if (path === undefined) return <FileList />;
  const Shown = isEditing ? FileEditor : FilePage;
  return (
    <Suspense fallback={<Skeleton />}>
      <Shown key={path} path={path} />
    </Suspense>
  );
}

/** A step to the right for each folder above. */
const STEPS = ['pl-0', 'pl-5', 'pl-10', 'pl-15', 'pl-20', 'pl-25'];

/** How a folder of one's computer is kept the same. */
function SyncLine() {
  const { id } = useTeam();
  return (
    <div className="flex flex-col gap-3 text-left">
      <p className="text-soft">
        Upload files here, or let the terminal client keep a folder the same: files of the Team in its folder{' '}
        <code className="font-mono text-sm">team</code>, those of a client in{' '}
        <code className="font-mono text-sm">clients</code>.
      </p>
      <CommandLine label="sync a folder" line={`memory sync ./workspace --team ${id}`} />
    </div>
  );
}

/** All files, in their folders, or those that a filter leaves. */
function FileList() {
  const [{ q = '', show }, , field] = useFilters('/files');
  const view = VIEWS[show ?? ''];
  const workspace = useWorkspace(show === 'deleted');
  const person = usePerson();
  const { canWrite, clients, nameOf: layer } = useRights();
  const { state } = useTeam();
  const changes = useFileChanges();
  const [kept, keep] = useKept<ReadonlyMap<string, boolean>>('folders', new Map());
  // A filter makes another entry of the history.
  const [toggled, setToggled] = useState(kept);
  useEffect(() => keep(toggled), [toggled, q, show]);
  const [isSyncing, setSyncing] = useState(false);
  const files = workspace.data?.files;
  const { upload, write, dialog } = useUpload(files, changes);
  const words = q.trim().toLocaleLowerCase();
  const isTree = view === undefined && words === '';
  const [live, rows] = useMemo(() => {
    const all = [...(files?.values() ?? [])];
    const isThere = all.filter(({ deleted }) => !deleted);
    if (isTree) return [isThere, treeRows(isThere, toggled)];
    const found = (show === 'deleted' ? all : isThere).filter((file) => {
      const name = `${shownPath(file.path, layer)} ${file.path}`.toLocaleLowerCase();
      return view?.shows(file) !== false && words.split(/\s+/).every((word) => name.includes(word));
    });
    return [isThere, flatRows(found)];
  }, [files, toggled, isTree, show, words, clients.length]);
  const copies = live.filter(({ path }) => conflictCopy(path) !== null).length;
  const canAdd = canWrite(null);
  /** The name of a folder, which opens or closes it, or of a file, in a list without folders with its folder. */
  const nameCell = ({ path, depth, folder, file }: Row) => {
    if (folder === null)
      return (
        <>
          {conflictCopy(path) === null ? (
            <File aria-hidden size={15} className="shrink-0 text-faint" />
          ) : (
            <TriangleAlert aria-label="Conflict copy" size={15} className="shrink-0 text-warn" />
          )}
          <HereLink to={{ path }} replace={false} className="truncate hover:underline">
            <Name>{nameOf(path)}</Name>
          </HereLink>
          {!isTree && (
            <Name className="min-w-0 truncate text-sm text-faint">{shownPath(folderOf(path), layer)}</Name>
          )}
          {file?.deleted === true && <Tag>deleted</Tag>}
        </>
      );
    const Icon = folder.isOpen ? ChevronDown : ChevronRight;
    return (
      <>
        <button
          type="button"
          aria-expanded={folder.isOpen}
          className="flex min-w-0 items-center gap-1.5 font-medium hover:underline"
          onClick={() => setToggled(new Map([...toggled, [path, !folder.isOpen]]))}
        >
          <Icon aria-hidden size={15} className="shrink-0 text-faint" />
          <Name className="truncate">{depth === 0 ? shownPath(path, layer) : nameOf(path)}</Name>
        </button>
        <span className="text-sm text-faint tabular-nums max-sm:hidden">{count(folder.count, 'file')}</span>
      </>
    );
  };
  const columns: readonly Column<Row>[] = [
    {
      name: 'Name',
      width: 'minmax(0,1fr)',
      cell: (row) => (
        <span className={`flex h-full items-center gap-1.5 ${STEPS[row.depth] ?? 'pl-25'}`}>
          {nameCell(row)}
        </span>
      ),
    },
    textColumn('Search', '9rem', ({ file }) => (file?.deleted === false && VIEWS[file.indexed]?.name) || ''),
    {
      ...textColumn('Size', '4.5rem', ({ folder, file }) =>
        file?.deleted === true ? '' : size((folder ?? file)?.bytes ?? 0),
      ),
      isNumber: true,
    },
    { ...timeColumn('Changed', ({ file }) => file?.updatedAt ?? null), isExtra: false },
    textColumn('By', '9rem', ({ file }) => (file === null ? '' : person(file.updatedBy))),
    menuColumn(
      ({ path }) => nameOf(path),
      ({ path, folder, file }) =>
        canWrite(clientOf(path))
          ? [
              folder !== null && [Upload, 'Upload here', () => upload(path)],
              folder !== null && [FilePlus2, 'New file here', () => write(path)],
              file?.deleted === false && [Trash2, 'Delete', () => changes.remove(path, file.version)],
            ]
          : [],
    ),
  ];
  return (
    <Page
      total={files === undefined ? null : live.length}
      actions={
        canAdd && (
          <>
            <ActionMenu
              label="More"
              actions={[
                [FilePlus2, 'New file', () => write()],
                [FolderSync, 'Sync a folder of this computer', () => setSyncing(true)],
              ]}
            />
            <Button look="primary" icon={Upload} busy={changes.isBusy} onClick={() => upload()}>
              Upload
            </Button>
          </>
        )
      }
    >
      <FilterBar>
        <TextFilter label="Name or folder" {...field('q')} />
        <ChoiceFilter
          label="All files"
          options={Object.entries(VIEWS).map(([value, { name }]) => ({ value, name }))}
          {...field('show')}
        />
        {copies > 0 && view === undefined && (
          <HereLink to={{ show: 'conflicts' }} replace={false} className="text-warn underline">
            {count(copies, 'conflict copy', 'conflict copies')} to merge
          </HereLink>
        )}
      </FilterBar>
      <RecordList
        label="Files"
        read={{ items: rows, total: rows.length, query: workspace } as unknown as List<Row>}
        columns={columns}
        nameOf={({ path }) => nameOf(path)}
        empty={
          <Empty icon={File} title={isTree ? 'There are no files yet' : 'No file matches'}>
            {!isTree ? (
              <TextLink to="/files">Show all files</TextLink>
            ) : canAdd ? (
              <SyncLine />
            ) : state === 'archived' ? (
              'This Team is archived, so none can be added.'
            ) : (
              'You can only read in this Team. Ask one of its members to add files.'
            )}
          </Empty>
        }
      />
      {dialog}
      {isSyncing && (
        <Dialog onClose={() => setSyncing(false)} title="Sync a folder of this computer">
          <SyncLine />
        </Dialog>
      )}
    </Page>
  );
}
