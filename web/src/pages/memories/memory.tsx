import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ListChecks, Pencil, Tag as TagIcon, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Memory } from '../../../../shared/schemas/memories.ts';
import { useChange, useList, useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { usePerson } from '../../app/person.ts';
import { Refusal } from '../../app/request.ts';
import { isExpired, useRights } from '../../app/rights.ts';
import { useTeam } from '../../app/session.tsx';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Changes } from '../../ui/changes.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { ConfirmAct } from '../../ui/form-dialog.tsx';
import { SourceLink, TextLink } from '../../ui/here-link.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { NoRecord } from '../../ui/no-record.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Facts, Section } from '../../ui/section.tsx';
import { Failure } from '../../ui/states.tsx';
import { Name, Tag, Time } from '../../ui/text.tsx';
import { VersionList } from '../../ui/versions.tsx';
import { Verdicts } from '../search/verdict.tsx';
import { TagsField } from '../sources/tags.tsx';
import { useActions } from './actions.tsx';
import { CHANGED, useDecideAndSay, type Wanted } from './decisions.ts';
import { EditForm, useDrafts } from './edit.tsx';
import { LINK, Questions, STATES, Tags, TONES } from './labels.tsx';

/** What reads differently after a memory was deleted for good, apart from its own page. */
const PURGED = CHANGED.filter((name) => name !== 'getMemory' && name !== 'listMemoryVersions');

/** Characters of the text that are searched for if the title has no word that a search finds. */
const SEARCHED = 300;

const api = getRouteApi('/memories/$id');

/** The page at /memories/{id}. */
export default function MemoryPage() {
  const { id } = api.useParams();
  const { data, error, refetch } = useRead('getMemory', [id]);
  // What was read stays while the service cannot be reached.
  if (data && !(error instanceof Refusal)) return <OneMemory key={id} memory={data} />;
  return (
    <NoRecord name="memory" error={error} retry={() => void refetch()}>
      <TextLink to="/memories">Show all memories</TextLink>
    </NoRecord>
  );
}

/** What the person can do with a memory: who has Full access decides on it. */
function useMemoryChange(memory: Memory) {
  const { isFull } = useRights();
  const isActive = useTeam().state === 'active';
  const canChange = isFull && isActive;
  const decideAll = useDecideAndSay();
  const decide = (fields: Omit<Wanted, 'memory'>, done?: string) => decideAll([{ memory, ...fields }], done);
  return { isFull, isActive, canChange, canEdit: canChange && memory.state === 'published', decide };
}

/** A memory: its text, where it comes from, what became of it, and what the person can do with it. */
function OneMemory({ memory }: { memory: Memory }) {
  const { id, state, version } = memory;
  const { isFull, isActive, canChange, canEdit, decide } = useMemoryChange(memory);
  const { drafts, put } = useDrafts();
  const draft = drafts[id];
  const unsent = [draft?.title, draft?.content].filter(Boolean).join('\n\n');
  const [isOpen, setOpen] = useState(draft !== undefined);
  const isPublished = state === 'published';
  const isEditing = isOpen && canEdit;
  async function save() {
    // The newest text is on the page, so that the own one can take its place.
    const made = draft ? await decide({ action: 'update', ...draft, version }) : null;
    if (made?.length === 0) return;
    put(id, undefined);
    setOpen(false);
  }
  return (
    <Page
      title={<Name>{memory.title}</Name>}
      shows={memory.title}
      actions={
        canChange && (
          <>
            {canEdit && !isEditing && (
              <Button icon={Pencil} onClick={() => setOpen(true)}>
                Edit
              </Button>
            )}
            {state === 'review' && (
              <Link to="/review" search={{ item: id } as never} className={buttonClass('primary')}>
                <ListChecks aria-hidden size={16} />
                Review
              </Link>
            )}
            <Actions memory={memory} />
          </>
        )
      }
    >
      <div className="grid gap-x-10 lg:grid-cols-[minmax(0,1fr)_19rem] lg:grid-rows-[auto_1fr]">
        <div className="mb-8 max-w-[80ch] min-w-0">
          <StateNotice memory={memory} />
          {isEditing && (
            <EditForm memory={memory} action="Save" onSave={save} onClose={() => setOpen(false)} />
          )}
          {/* If someone else changed it meanwhile, the newer text is below the own one. */}
          {(!isEditing || (draft && draft.version < version)) && (
            <section aria-label="The memory as it is now" className="mb-4">
              <Markdown text={memory.content} />
            </section>
          )}
          {draft && !isEditing && (
            <Section
              title="Your text, which was not stored"
              actions={
                <>
                  <CopyButton text={unsent} label="Copy" />
                  <Button onClick={() => put(id, undefined)}>Forget it</Button>
                </>
              }
            >
              <p className="whitespace-pre-wrap" dir="auto">
                {unsent}
              </p>
            </Section>
          )}
        </div>
        <aside className="min-w-0 lg:row-span-2" aria-label="About this memory">
          <Details memory={memory} />
          {isFull && isPublished && (
            <Questions sourceId={memory.sourceId ?? ''}>
              {canChange && <Button onClick={() => void decide({ action: 'keep' })}>Keep it as it is</Button>}
            </Questions>
          )}
          {isPublished && isActive && <GiveFeedback memory={memory} />}
        </aside>
        <div className="max-w-[80ch] min-w-0">
          <Versions memory={memory} />
        </div>
      </div>
    </Page>
  );
}

const MemoryLink = ({ id, children }: { id: string; children: string }) => (
  <Link to="/memories/$id" params={{ id }} className={LINK}>
    {children}
  </Link>
);

/** What the state of a memory means. */
function StateNotice({ memory }: { memory: Memory }) {
  const { isFull, canChange } = useMemoryChange(memory);
  const { state, supersededBy } = memory;
  if (state === 'published') return null;
  const isReplaced = state === 'archived' && supersededBy !== null && isFull;
  return (
    <Notice>
      {isReplaced && <MemoryLink id={supersededBy}>A newer memory replaced it.</MemoryLink>}
      {state === 'archived' && !isReplaced && isExpired(memory) && 'It has expired.'}
      {state === 'discarded' && 'A reviewer discarded it.'} Searches do not find it
      {state === 'review' && ' before it is published'}.
      {state === 'archived' && canChange && ' The menu at the top publishes it again.'}
    </Notice>
  );
}

/** What is known of a memory, apart from its text. */
function Details({ memory }: { memory: Memory }) {
  const { nameOf } = useRights();
  const { isFull, canEdit, decide } = useMemoryChange(memory);
  const person = usePerson();
  const { tags, sourceId, captureIds, createdWith, decidedBy, decidedAt, supersedes } = memory;
  const { occurredAt, expiresAt, lastFoundAt } = memory;
  const tag = (all: string[], done: string) => void decide({ action: 'update', tags: all }, done);
  return (
    <Section title="Details">
      <Facts
        facts={[
          ['State', <Tag tone={TONES[memory.state]}>{STATES[memory.state]}</Tag>],
          ['Belongs to', <Name>{nameOf(memory.clientId)}</Name>],
          [
            'Tags',
            canEdit ? (
              <TagsField
                tags={tags}
                onAdd={(one) => tag([...tags, one], `tagged “${one}”`)}
                onRemove={(one) =>
                  tag([...new Set(tags).difference(new Set([one]))], `no longer tagged “${one}”`)
                }
              />
            ) : (
              tags.length > 0 && <Tags tags={tags} />
            ),
          ],
          ['Made', <Time at={memory.createdAt} />],
          ['Made by', <Name>{person(memory.createdBy)}</Name>],
          ['Made with', createdWith && <Name>{createdWith.name}</Name>],
          [
            'Made of',
            // Only with Full access, captures of others and memories that are not published can be read.
            isFull && captureIds.length > 0 && (
              <span className="flex flex-wrap gap-x-2">
                {captureIds.map((open, n) => (
                  <Link key={open} to="/captures" search={{ open } as never} className={LINK}>
                    capture {n + 1}
                  </Link>
                ))}
              </span>
            ),
          ],
          ['Replaces', isFull && supersedes && <MemoryLink id={supersedes}>an earlier memory</MemoryLink>],
          ['Decided', decidedAt && <Time at={decidedAt} />],
          ['Decided by', decidedBy && <Name>{person(decidedBy)}</Name>],
          ['Happened', occurredAt && <Time at={occurredAt} />],
          [isExpired(memory) ? 'Expired' : 'Expires', expiresAt ? <Time at={expiresAt} /> : 'Never'],
          ['Found', memory.found],
          ['Last found', lastFoundAt && <Time at={lastFoundAt} />],
          ['Opened', memory.opened],
          [
            'In searches',
            sourceId !== null && memory.state === 'published' && (
              <SourceLink id={sourceId}>its source</SourceLink>
            ),
          ],
          [
            'In the audit log',
            isFull && (
              <Link to="/audit" search={{ subject: memory.id } as never} className={LINK}>
                what happened to it
              </Link>
            ),
          ],
          ...Object.entries(memory.metadata).map(
            ([name, value]) =>
              [name, <Name>{typeof value === 'string' ? value : JSON.stringify(value)}</Name>] as const,
          ),
        ]}
      />
    </Section>
  );
}

/** The texts that a memory has had, newest first. The one that is open shows what it changed. */
function Versions({ memory }: { memory: Memory }) {
  const { id, state } = memory;
  const { canChange, decide } = useMemoryChange(memory);
  const [{ version: open }] = useFilters('/memories/$id');
  const { items, query } = useList('listMemoryVersions', {}, 20, [id]);
  const shown = items.findIndex(({ version }) => String(version) === open);
  const [one, earlier] = [items[shown], items[shown + 1]];
  const before = one?.changes
    .filter(({ op }) => op !== 'insert')
    .map(({ text }) => text)
    .join('');
  const restore = (version: number) =>
    void decide({ action: 'restore', version }, `version ${version} is published again`);
  // The only text that it has had is on the page already.
  if (items.length < 2 && query.error === null) return null;
  return (
    <Section title="Versions">
      <VersionList
        versions={items}
        {...(state === 'published' && items[0] && { current: items[0].version })}
        open={open}
        restore={canChange && (state === 'published' || state === 'archived') ? restore : undefined}
      >
        {() => (
          <div className="px-2 pt-1 pb-3">
            {one && earlier && earlier.title !== one.title && (
              <Changes before={earlier.title} after={one.title} />
            )}
            {one && <Changes before={before || one.content} after={one.content} />}
          </div>
        )}
      </VersionList>
      {query.error !== null && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} className="mt-2" onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Section>
  );
}

/** What else can be done with a memory than to change its text and its tags. */
function Actions({ memory }: { memory: Memory }) {
  const { actions, dialog } = useActions([memory], 'this memory');
  const navigate = useNavigate();
  const purge = useChange('purgeMemory', PURGED);
  const client = useQueryClient();
  const { put } = useDrafts();
  const [isPurging, setPurging] = useState(false);
  return (
    <>
      <ActionMenu
        actions={[
          ...actions.filter(([icon]) => icon !== TagIcon),
          [Trash2, 'Delete for good', () => setPurging(true)],
        ]}
      />
      {dialog}
      {isPurging && (
        <ConfirmAct
          title="Delete this memory for good?"
          action="Delete for good"
          done={`“${memory.title}”: deleted for good.`}
          act={async () => {
            await purge.mutateAsync([memory.id]);
            await navigate({ to: '/memories', replace: true });
            put(memory.id, undefined);
            client.removeQueries({ predicate: ({ queryKey }) => queryKey.flat().includes(memory.id) });
          }}
          onClose={() => setPurging(false)}
        >
          “<Name>{memory.title}</Name>”, all its versions, its source and the captures that only it was made
          of are deleted. This cannot be undone. To only hide it from searches, archive it.
        </ConfirmAct>
      )}
    </>
  );
}

/** Asks whether the memory is right. Everyone who can read it can say so. */
function GiveFeedback({ memory: { title, content, clientId, sourceId } }: { memory: Memory }) {
  const search = useChange('searchMemory', []);
  async function find() {
    for (const query of [title, [...content].slice(0, SEARCHED).join('')]) {
      const scope = clientId === null ? {} : { clientId, include: ['client' as const] };
      const body = { query, scope, embeddingMode: 'auto' as const, sourceIds: [sourceId ?? ''], topK: 1 };
      const { queryId, hits } = await search.mutateAsync([body]);
      if (hits[0]) return { queryId, chunkId: hits[0].chunk_id };
    }
    throw new Error('Searches do not find this memory at the moment. Wait a moment, and try again.');
  }
  return (
    <Section title="Is this right?">
      <div className="-ml-3">
        <Verdicts what="memory" hit={find} />
      </div>
    </Section>
  );
}
