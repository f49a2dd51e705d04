import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { unreadWords } from '../../../../shared/formats/unread-words.ts';
import type { SimilarSource } from '../../../../shared/schemas/sources.ts';
import { useChange, useRead, useSave } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { usePerson } from '../../app/person.ts';
import { isExpired, useRights } from '../../app/rights.ts';
import { Button } from '../../ui/button.tsx';
import { Changes } from '../../ui/changes.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { SourceLink } from '../../ui/here-link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts, MoreLink, Section } from '../../ui/section.tsx';
import { Loaded, Skeleton } from '../../ui/states.tsx';
import { Address, count, Name, size, Tag, Time } from '../../ui/text.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';
import { VersionList } from '../../ui/versions.tsx';
import { LINK, Questions } from '../memories/labels.tsx';
import { AFFECTED, useSourceBatch } from './actions.tsx';
import { KINDS, type SourceText } from './labels.ts';
import { TagsField } from './tags.tsx';

/** The key of what an editor found to be nearly the same, as long as this browser knows. */
export const similarKey = (id: string) => ['similar', id];

/** What is known of a source. */
export function Details({ source }: { source: SourceText }) {
  const { rightsOn, nameOf, isFull } = useRights();
  const person = usePerson();
  const batch = useSourceBatch();
  const { id, kind, state, clientId, tags, original, createdWith, createdAt, updatedAt, expiresAt } = source;
  const isActive = state === 'active';
  const { filename } = source.metadata;
  const save = useSave('getOriginal', [id], typeof filename === 'string' ? filename : source.title);
  const download = () => save.mutate(undefined, { onError: sayFailure });
  const facts: readonly [name: string, value: ReactNode][] = [
    ['Kind', KINDS[kind]],
    ['Client', <Name>{clientId === null ? 'None: for the whole Team' : nameOf(clientId)}</Name>],
    [
      'Tags',
      rightsOn(source).tags ? (
        <TagsField
          tags={tags}
          onAdd={(tag) => void batch([id], { tags: { add: [tag] } }, `tagged “${tag}”`)}
          onRemove={(tag) => void batch([id], { tags: { remove: [tag] } }, `no longer tagged “${tag}”`)}
        />
      ) : (
        tags.length > 0 && (
          <span className="flex flex-wrap gap-1">
            {tags.map((tag) => (
              <Link key={tag} to="/sources" search={{ tag }}>
                <Tag>
                  <Name>{tag}</Name>
                </Tag>
              </Link>
            ))}
          </span>
        )
      ),
    ],
    [
      'Stored',
      <>
        <Time at={createdAt} /> by <Name>{person(source.createdBy)}</Name>
        {createdWith && ', with the token '}
        {createdWith && <Name>{createdWith.name}</Name>}
      </>,
    ],
    ['Changed', isActive && updatedAt !== createdAt && <Time at={updatedAt} />],
    ['Of', source.occurredAt && <Time at={source.occurredAt} />],
    [isExpired(source) ? 'Expired' : 'Expires', expiresAt && <Time at={expiresAt} />],
    ['Address', source.uri && <Address uri={source.uri} />],
    ['External id', source.externalId && <Name>{source.externalId}</Name>],
    [
      'File',
      original && (
        <span className="-my-1.5 flex flex-wrap items-center">
          {size(original.bytes)}
          <Button look="quiet" icon={Download} busy={save.isPending} onClick={download}>
            Download
          </Button>
        </span>
      ),
    ],
    ['Encoding', source.encoding],
    ['Same text as', source.sameAs && <SourceLink id={source.sameAs}>the source stored first</SourceLink>],
    [
      'Found',
      <>
        {source.lastFoundAt === null ? 'Never' : `${count(source.found, 'time')}, last `}
        {source.lastFoundAt && <Time at={source.lastFoundAt} />}
      </>,
    ],
    ['Opened', source.opened === 0 ? 'Never' : count(source.opened, 'time')],
    [
      'Id',
      <span className="-my-2 -ml-2 inline-block">
        <CopyButton text={id} label="Copy the id of this source" />
      </span>,
    ],
  ];
  const metadata = Object.entries(source.metadata).filter(([, value]) => value !== source.title);
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return (
    <>
      {source.unread.length > 0 && (
        <Notice>
          Not read: <bdi>{unreadWords(source.unread)}</bdi>
        </Notice>
      )}
      <div className="mb-8">
        <Facts facts={facts.filter(([, value]) => value !== null && value !== false)} />
      </div>
      <Similar id={id} />
      {isFull && kind !== 'memory' && isActive && (
        <Questions sourceId={id}>
          <MoreLink to="/review" search={{ item: id }} children="Review" />
        </Questions>
      )}
      {metadata.length > 0 && (
        <Section title="Metadata">
          <Facts facts={metadata.map(([name, value]) => [name, <Name>{textOf(value)}</Name>])} />
        </Section>
      )}
    </>
  );
}

/** The sources that are nearly the same as a note that was just stored. */
function Similar({ id }: { id: string }) {
  const { data = [] } = useQuery<readonly SimilarSource[]>({ queryKey: similarKey(id), enabled: false });
  if (data.length === 0) return null;
  return (
    <Section title="Nearly the same">
      <ul className="flex flex-col gap-1 text-sm">
        {data.map(({ sourceId, title, similarity }) => (
          <li key={sourceId} className="flex gap-2">
            <Link to="/sources/$id" params={{ id: sourceId }} className={`min-w-0 truncate ${LINK}`}>
              <Name>{title}</Name>
            </Link>
            <span className="text-faint tabular-nums">{Math.round(similarity * 100)} %</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The texts that a source had before. The one that is open is compared with the present text. */
export function Versions({ source }: { source: SourceText }) {
  const { id, updatedAt } = source;
  const [{ version: open }] = useFilters('/sources/$id');
  const canRestore = useRights().rightsOn(source).change;
  const query = useRead('listSourceVersions', [id, { limit: 50 }]);
  const change = useChange('restoreSourceVersion', AFFECTED);
  async function restore(version: number, isUndo = false) {
    try {
      await change.mutateAsync([id, String(version)]);
      // The text that was replaced is the newest version now.
      const newest = (await query.refetch()).data?.items[0]?.version;
      if (isUndo) say('Taken back.');
      else say(`Version ${version} restored.`, newest ? () => void restore(newest, true) : undefined);
    } catch (error) {
      sayFailure(error as Error);
    }
  }
  return (
    <Loaded query={query}>
      {({ items }) => (
        <>
          <p className="flex h-9 items-center gap-2 border-b border-line text-sm">
            <span className="font-medium">Present text</span>
            <Time at={updatedAt} className="text-faint" />
          </p>
          <VersionList
            versions={items}
            open={open}
            restore={canRestore ? (version) => void restore(version) : undefined}
          >
            {(version) => <Difference id={id} version={version} />}
          </VersionList>
          {items.length === 0 && <p className="py-2 text-sm text-faint">The text was never changed.</p>}
        </>
      )}
    </Loaded>
  );
}

/** What changed since a version. */
function Difference({ id, version }: { id: string; version: number }) {
  const before = useRead('getSource', [id, { text: true, version, limit: 1 }]);
  const now = useRead('getSource', [id, { text: true, limit: 1 }]);
  return (
    <div className="pt-1 pb-3">
      <p className="mb-1 text-xs text-faint">What changed since then</p>
      <Loaded query={before.data ? now : before} skeleton={<Skeleton rows={2} />}>
        {() => <Changes before={before.data?.text ?? ''} after={now.data?.text ?? ''} isShort />}
      </Loaded>
    </div>
  );
}
