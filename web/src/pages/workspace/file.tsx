import { Link } from '@tanstack/react-router';
import { Download, GitCompare, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FileVersion, ManifestItem } from '../../../../shared/schemas/workspace.ts';
import { bytesOf, textOf } from '../../app/content.ts';
import { useAll, useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { usePerson } from '../../app/person.ts';
import { useRights } from '../../app/rights.ts';
import { saveAs } from '../../app/save.ts';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Changes } from '../../ui/changes.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { HereLink, SourceLink } from '../../ui/here-link.tsx';
import { NoRecord } from '../../ui/no-record.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Facts, Section } from '../../ui/section.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Name, size, Time } from '../../ui/text.tsx';
import { sayFailure } from '../../ui/toast.tsx';
import { VersionList } from '../../ui/versions.tsx';
import { Reading } from '../sources/reader.tsx';
import { clientOf, conflictCopy, folderOf, isMarkdown, nameOf, shownPath } from './shape.ts';
import { useFileChanges, useWorkspace } from './workspace.ts';

/** The largest content that is shown as text, in bytes. */
const MAX_SHOWN = 200_000;

/** The text of a stored version; null: it is none, or is no longer stored. Undefined until it is read. */
function useText(path: string, of: FileVersion | undefined) {
  const isShown = of !== undefined && of.bytes <= MAX_SHOWN;
  const files = [{ path, version: of?.version ?? 1 }];
  const { data, error, refetch } = useRead('pullFiles', [{ files }], { enabled: isShown });
  const [found] = data?.files ?? [];
  const text = found === undefined ? null : textOf(bytesOf(found.contentBase64));
  const failure = error && <Failure error={error} retry={() => void refetch()} />;
  return { text: isShown && !data ? undefined : text, failure };
}

/** A file: its text, what is known of it, and its versions. */
export default function FilePage({ path }: { path: string }): ReactNode {
  const [{ version, as, q, show }, setFilters] = useFilters('/files');
  const files = useWorkspace().data?.files;
  const versions = useAll('listFileVersions', { path });
  const person = usePerson();
  const rights = useRights();
  const changes = useFileChanges();
  const [newest] = versions.items;
  const file = files?.get(path);
  const { refetch, error, isSuccess } = versions.query;
  const stored = versions.items.filter(({ deleted }) => !deleted);
  const shown = stored.find((one) => String(one.version) === version) ?? stored[0];
  const before = stored.find((one) => one.version < (shown?.version ?? 0));
  const isComparing = as === 'changes' && before !== undefined;
  const { text, failure } = useText(path, shown);
  const earlier = useText(path, isComparing ? before : undefined);
  const name = nameOf(path);
  const all = (
    <Link to="/files" search={{ q, show }} className="hover:underline">
      Files
    </Link>
  );
  if (newest === undefined || shown === undefined)
    return (
      <NoRecord name="file" error={error} retry={() => void refetch()} isMissing={isSuccess}>
        {all}
      </NoRecord>
    );
  const canWrite = rights.canWrite(clientOf(path));
  const isCurrent = shown === newest;
  const isFound = isCurrent && file?.deleted === false;
  function restore(old: number) {
    changes.restore(path, old, newest?.deleted === false ? newest.version : 0);
    void setFilters({ version: undefined, as: undefined });
  }
  const mark = isCurrent ? '' : ` (version ${shown.version})`;
  // An old version is saved under a name that does not look like that of the current one.
  const savedAs = name.replace(/(?<=.)(\.[^.]*)?$/, (end) => mark + end);
  const download = () =>
    void changes
      .pull(path, shown.version)
      .then((bytes) => saveAs(savedAs, new Blob([bytes], { type: 'application/octet-stream' })), sayFailure);
  return (
    <Page
      title={<Name>{name}</Name>}
      shows={name}
      actions={
        <>
          {canWrite && isCurrent && text !== null && (
            <HereLink to={{ as: 'edit' }} className={buttonClass()}>
              <Pencil aria-hidden size={16} />
              Edit
            </HereLink>
          )}
          <ActionMenu
            label="More"
            actions={[
              [Download, 'Download', download],
              canWrite && !newest.deleted && [Trash2, 'Delete', () => changes.remove(path, newest.version)],
            ]}
          />
        </>
      }
    >
      <p className="mb-3 flex items-center gap-1 text-sm text-soft">
        {all} / <Name>{shownPath(folderOf(path), rights.nameOf).replaceAll('/', ' / ')}</Name>
        <CopyButton text={path} label="Copy the path" />
      </p>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_17rem]">
        <div className="min-w-0">
          <Conflicts path={path} files={files} />
          {newest.deleted && (
            <Notice>
              Deleted <Time at={newest.updatedAt} /> by <Name>{person(newest.updatedBy)}</Name>.
            </Notice>
          )}
          {failure || earlier.failure ? (
            (failure ?? earlier.failure)
          ) : text === undefined || earlier.text === undefined ? (
            <Skeleton />
          ) : text === null ? (
            <Empty icon={Download} title="This is not a text, or too long to be shown here">
              <Button icon={Download} onClick={download}>
                Download {size(shown.bytes)}
              </Button>
            </Empty>
          ) : isComparing && earlier.text === null ? (
            <p className="text-soft">These versions cannot be compared: download them.</p>
          ) : isComparing ? (
            <Changes before={earlier.text ?? ''} after={text} isShort />
          ) : (
            <Reading text={text} form={isMarkdown(name) ? 'markdown' : 'code'} />
          )}
        </div>
        <aside>
          <Section title="About">
            <Facts
              facts={[
                ['Size', size(shown.bytes)],
                ['Changed', <Time at={shown.updatedAt} />],
                ['By', <Name>{person(shown.updatedBy)}</Name>],
                ['Search', isFound ? <Found file={file} /> : 'Searches find only the current version.'],
              ]}
            />
          </Section>
          <Section title="Versions">
            <VersionList
              versions={versions.items}
              current={newest.version}
              open={String(shown.version)}
              restore={canWrite ? restore : undefined}
            />
            {before !== undefined && (
              <Button
                icon={GitCompare}
                className="mt-3"
                aria-pressed={isComparing}
                onClick={() => void setFilters({ as: isComparing ? undefined : 'changes' })}
              >
                {isComparing ? 'Show the text' : `Changes since version ${before.version}`}
              </Button>
            )}
          </Section>
        </aside>
      </div>
    </Page>
  );
}

const SEARCH_WORDS: Readonly<Record<ManifestItem['indexed'], string>> = {
  yes: 'Searches find it.',
  pending: 'A worker will read it soon; until then searches find the version before.',
  failed: 'It cannot be read: it is damaged, or has no text.',
  no: 'Searches do not find it: its format cannot be read, it is empty, or files are not indexed here.',
};

/** Whether searches find a file, and the source that they find. */
function Found({ file: { path, indexed } }: { file: ManifestItem }) {
  const clientId = clientOf(path) ?? undefined;
  const query = { kind: 'file', state: 'active', limit: 200, q: path.slice(-300), clientId };
  const { data } = useRead('listSources', [query], { enabled: indexed === 'yes' });
  const source = data?.items.find(({ uri }) => uri === path);
  return (
    <>
      {SEARCH_WORDS[indexed]}{' '}
      {source !== undefined && <SourceLink id={source.id}>Open its source</SourceLink>}
    </>
  );
}

/** What a conflict copy is, and what to do with it; on the page of the copy and of the file. */
function Conflicts({ path, files }: { path: string; files: ReadonlyMap<string, ManifestItem> | undefined }) {
  const live = [...(files?.values() ?? [])].filter(({ deleted }) => !deleted);
  const copy = conflictCopy(path);
  const copies = live.filter((file) => conflictCopy(file.path)?.original === path);
  const link = (to: string, text: string) => (
    <HereLink key={to} to={{ path: to, version: undefined }} replace={false} className="underline">
      <Name>{text}</Name>
    </HereLink>
  );
  if (copy === null)
    return copies.map((file) => (
      <Notice key={file.path}>
        Others changed this file at the same time. What they wrote is in{' '}
        {link(file.path, `the copy of ${conflictCopy(file.path)?.author ?? ''}`)}. Merge it here, then delete
        the copy.
      </Notice>
    ));
  return (
    <Notice>
      <Name>{copy.author}</Name> wrote this copy <Time at={copy.at} />, while someone else changed{' '}
      {live.some((file) => file.path === copy.original)
        ? link(copy.original, nameOf(copy.original))
        : `${nameOf(copy.original)}, which no longer exists`}
      . Merge its text into the file, then delete the copy.
    </Notice>
  );
}
