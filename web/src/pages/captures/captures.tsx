import { Link } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import type { ListedCapture } from '../../../../shared/schemas/captures.ts';
import { useChange, useList, useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { usePerson } from '../../app/person.ts';
import { useRights } from '../../app/rights.ts';
import { Button } from '../../ui/button.tsx';
import { textColumn, timeColumn } from '../../ui/columns.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FilterBar, TextFilter } from '../../ui/filter-bar.tsx';
import { HereLink } from '../../ui/here-link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Facts, Section } from '../../ui/section.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { count, Name, Tag, Time } from '../../ui/text.tsx';
import { tell } from '../../ui/toast.tsx';
import { ConnectAgent, LINK } from '../memories/labels.tsx';

const ALL = { value: undefined, name: 'All' };
const STATES = { staged: 'Staged', claimed: 'Claimed', completed: 'Completed' } as const;
const TONES = { staged: 'plain', claimed: 'warn', completed: 'good' } as const;

/** The page at /captures: those of the person; with Full access those of everyone. */
export default function CapturesPage() {
  const [{ state, sessionId, open }, setFilters, field] = useFilters('/captures');
  const { isFull, canWrite, nameOf } = useRights();
  const person = usePerson();
  const read = useList('listCaptures', { state, sessionId });
  // Those of others are counted, too, so only who sees them sees the numbers.
  const counts = useRead('getStatus', []).data?.captures;
  const tabs = (['staged', 'claimed', 'completed'] as const).map((value) => ({
    value,
    name: STATES[value],
    count: isFull ? counts?.[value] : undefined,
  }));
  return (
    <Page total={read.total}>
      {canWrite(null) && <Batches />}
      <Tabs label="States" parameter="state" value={state} tabs={[ALL, ...tabs]} />
      <FilterBar>
        <TextFilter label="Session" {...field('sessionId')} />
      </FilterBar>
      <RecordList
        label="Captures"
        read={read}
        columns={[
          {
            name: 'Session',
            width: 'minmax(9rem,1fr)',
            cell: ({ id, sessionId: name, summary }) => (
              <span className="flex gap-3">
                <HereLink
                  to={{ open: id }}
                  className="max-w-full shrink-0 truncate font-medium hover:underline"
                >
                  <Name>{name}</Name>
                </HereLink>
                <span className="truncate text-sm text-faint max-md:hidden" dir="auto">
                  {summary?.slice(0, 300)}
                </span>
              </span>
            ),
          },
          {
            name: 'State',
            width: '7rem',
            cell: (capture) => <Tag tone={TONES[capture.state]}>{outcomeOf(capture)}</Tag>,
          },
          isFull && textColumn<ListedCapture>('By', 'minmax(0,8rem)', ({ createdBy }) => person(createdBy)),
          textColumn<ListedCapture>('Client', 'minmax(0,8rem)', ({ clientId }) => nameOf(clientId)),
          timeColumn<ListedCapture>('Created', ({ createdAt }) => createdAt),
        ]}
        nameOf={({ sessionId: name }) => name}
        empty={<NoCapture isFiltered={state !== undefined || sessionId !== undefined} />}
      />
      {open !== undefined && (
        <Dialog onClose={() => void setFilters({ open: undefined })} title="Capture" isDrawer>
          <OneCapture id={open} />
        </Dialog>
      )}
    </Page>
  );
}

/** What became of a capture, as far as the person can read it. */
const outcomeOf = ({ state, memoryIds = [] }: ListedCapture) =>
  memoryIds.length === 0 ? STATES[state] : count(memoryIds.length, 'memory', 'memories');

function OneCapture({ id }: { id: string }) {
  const { nameOf } = useRights();
  const person = usePerson();
  return (
    <Loaded query={useRead('getCapture', [id])}>
      {(capture) => (
        <>
          <Facts
            facts={[
              [
                'Session',
                <Link to="/captures" search={{ sessionId: capture.sessionId } as never} className={LINK}>
                  <Name>{capture.sessionId}</Name>
                </Link>,
              ],
              ['State', STATES[capture.state]],
              ['By', <Name>{person(capture.createdBy)}</Name>],
              ['With', capture.createdWith && <Name>{capture.createdWith.name}</Name>],
              ['Belongs to', <Name>{nameOf(capture.clientId)}</Name>],
              ['Created', <Time at={capture.createdAt} />],
              [
                'Memories',
                capture.memoryIds?.map((memory, n, { length }) => (
                  <Link key={memory} to="/memories/$id" params={{ id: memory }} className={`mr-2 ${LINK}`}>
                    {length === 1 ? 'Its memory' : `Memory ${n + 1}`}
                  </Link>
                )) ?? '–',
              ],
            ]}
          />
          <p className="mt-4 leading-6 whitespace-pre-wrap" dir="auto">
            {capture.summary ??
              'Its text is shown to you while a memory in review or a published memory refers to it.'}
          </p>
        </>
      )}
    </Loaded>
  );
}

/** Batches that the person, or an agent with a token of theirs, has claimed and can still complete. */
function Batches() {
  const batches = useRead('listBatches', [{}]).data?.items ?? [];
  const release = useChange('releaseBatch', ['listBatches', 'listCaptures', 'getCapture', 'getStatus']);
  if (batches.length === 0) return null;
  return (
    <Section title="Claimed by you or your agents">
      <p className="mb-2 text-sm text-soft">
        If an agent has stopped, release its captures, so that they can be claimed again at once.
      </p>
      <ul className="max-w-xl">
        {batches.map(({ id, captureIds, expiresAt }) => (
          <li key={id} className="flex min-h-10 items-center gap-3 border-b border-line">
            <span className="grow">
              {count(captureIds.length, 'capture')}
              <span className="text-soft">
                {' '}
                · the lease ends <Time at={expiresAt} />
              </span>
            </span>
            <Button
              busy={release.isPending}
              onClick={() =>
                void tell(
                  release.mutateAsync([{ batchId: id }]),
                  `${count(captureIds.length, 'capture')} can be claimed again.`,
                )
              }
            >
              Release
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What stands in the place of an empty list. */
const NoCapture = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty icon={Inbox} title="No capture matches these filters" />
  ) : (
    <Empty icon={Inbox} title="No captures yet">
      <p>
        A capture is the summary of a session of an agent. An agent stages it at the end of a session: with
        the tool <code>stage_session</code> of MCP, with <code>memory capture</code> in a terminal, or with{' '}
        <code>POST /v1/memory/captures</code>. A consolidator, a program with a language model, makes memories
        of them.
      </p>
      <ConnectAgent />
    </Empty>
  );
