import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Memory } from '../../../../shared/schemas/memories.ts';
import { usePerson } from '../../app/person.ts';
import { useRights } from '../../app/rights.ts';
import { Notice } from '../../ui/notice.tsx';
import { Facts, Section } from '../../ui/section.tsx';
import { Name, Tag, Time } from '../../ui/text.tsx';
import { TagsField } from '../sources/tags.tsx';
import { LINK, STATES, Tags, TONES } from './labels.tsx';

const isPast = (at: string | null) => at !== null && new Date(at) <= new Date();

const MemoryLink = ({ id, children }: { id: string; children: string }) => (
  <Link to="/memories/$id" params={{ id }} className={LINK}>
    {children}
  </Link>
);

/** What the state of a memory means. */
export function StateNotice({ memory, canChange }: { memory: Memory; canChange: boolean }) {
  const { isFull } = useRights();
  const { state, supersededBy, expiresAt } = memory;
  if (state === 'published') return null;
  const isReplaced = state === 'archived' && supersededBy !== null && isFull;
  return (
    <Notice>
      {isReplaced && <MemoryLink id={supersededBy}>A newer memory replaced it.</MemoryLink>}
      {state === 'archived' && !isReplaced && isPast(expiresAt) && 'It has expired.'}
      {state === 'discarded' && 'A reviewer discarded it.'} Searches do not find it
      {state === 'review' && ' before it is published'}.
      {state === 'archived' && canChange && ' The menu at the top publishes it again.'}
    </Notice>
  );
}

/** What is known of a memory, apart from its text. */
export function Details({
  memory,
  tag,
}: {
  memory: Memory;
  /** Changes its tags; absent: the person cannot. */
  tag: ((tags: string[], done: string) => void) | undefined;
}) {
  const { isFull, nameOf } = useRights();
  const person = usePerson();
  const { tags, sourceId, captureIds, createdWith, decidedBy, decidedAt, supersedes } = memory;
  const { occurredAt, expiresAt, lastFoundAt } = memory;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['State', <Tag tone={TONES[memory.state]}>{STATES[memory.state]}</Tag>],
    ['Belongs to', <Name>{nameOf(memory.clientId)}</Name>],
    [
      'Tags',
      tag ? (
        <TagsField
          tags={tags}
          onAdd={(one) => tag([...tags, one], `tagged “${one}”`)}
          onRemove={(one) => tag([...new Set(tags).difference(new Set([one]))], `no longer tagged “${one}”`)}
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
    [isPast(expiresAt) ? 'Expired' : 'Expires', expiresAt ? <Time at={expiresAt} /> : 'Never'],
    ['Found', memory.found],
    ['Last found', lastFoundAt && <Time at={lastFoundAt} />],
    ['Opened', memory.opened],
    [
      'In searches',
      sourceId !== null && memory.state === 'published' && (
        <Link to="/sources/$id" params={{ id: sourceId }} className={LINK}>
          its source
        </Link>
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
  ];
  return (
    <Section title="Details">
      <Facts facts={facts.filter(([, value]) => value !== null && value !== false)} />
    </Section>
  );
}
