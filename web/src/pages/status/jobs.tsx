import { Link } from '@tanstack/react-router';
import { CircleCheck, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { labelOf, QUEUE_LABELS } from '../../../../shared/queue-labels.ts';
import type { Import } from '../../../../shared/schemas/imports.ts';
import type { QueueStatus, Status } from '../../../../shared/schemas/status.ts';
import { useChange, useRead } from '../../app/data.ts';
import { useRights } from '../../app/rights.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { actionsColumn, timeColumn } from '../../ui/columns.tsx';
import { type Figure, Figures, Spark } from '../../ui/figures.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { MoreLink, Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { figureColumn, Table, type TableColumn } from '../../ui/table.tsx';
import { count, duration, Name, size, Tag, Time } from '../../ui/text.tsx';
import { tell } from '../../ui/toast.tsx';
import { NOTE_COLUMN, type Row, rowOfImport, STATE_COLUMN } from '../imports/rows.tsx';
import { needsOf } from './needs.ts';

/** With the list of imports, that is less than a request every two seconds. */
const EVERY_MS = 4000;
/** How many polled figures a line has: those of about ten minutes. */
const SAMPLES = 150;

const FAILED = { state: 'failed' };

/** The page at /jobs. Its first line says that everything is fine, or what needs somebody. */
export default function Jobs() {
  const query = useRead('getStatus', [], { every: EVERY_MS });
  const { data, dataUpdatedAt, error } = query;
  const samples = usePolled(data, dataUpdatedAt);
  const needs = data === undefined ? [] : needsOf(data);
  const { user } = useSession();
  const { isFull } = useRights();
  const others = data?.imports.recentFailures.filter(({ createdBy }) => createdBy !== user.id) ?? [];
  // Those of others can be retried only with Full access.
  const failures = isFull ? others : [];
  const shows = data === undefined ? '' : needs.length === 0 ? 'All well' : count(needs.length, 'problem');
  return (
    <Page shows={shows}>
      <Loaded query={query}>
        {({ jobs, workers, embedder, terms }) => (
          <>
            {error !== null && (
              <Notice>
                {error.message} The figures are from <Time at={new Date(dataUpdatedAt).toISOString()} />; the
                page keeps trying.
              </Notice>
            )}
            {needs.length === 0 && (
              <p role="status" className="mb-6 flex items-center gap-2 text-lg font-medium">
                <CircleCheck aria-hidden size={20} className="text-good" />
                Everything is fine.
              </p>
            )}
            {needs.map(({ isBad, text, hint, to }) => (
              <Notice key={text} isBad={isBad}>
                <strong>{text}</strong> {hint}{' '}
                {to && (
                  <Link to={to} search={to === '/imports' ? FAILED : {}} className="underline">
                    {to === '/imports' ? 'Open imports' : 'Open settings'}
                  </Link>
                )}
              </Notice>
            ))}
            <Figures figures={figuresOf(samples)} />
            <OwnImports />
            {failures.length > 0 && (
              <Section
                title="Failed imports of others"
                actions={
                  <MoreLink to="/imports" search={{ state: 'failed' }}>
                    All failed imports
                  </MoreLink>
                }
              >
                <ImportTable label="Failed imports of others" imports={failures} />
              </Section>
            )}
            {jobs.length > 0 && <Queues jobs={jobs} />}
            {workers.length > 0 && <Workers workers={workers} />}
            <p className="text-sm text-faint">
              Embeddings are made by{' '}
              {embedder.mode === 'server' ? 'the service' : 'programs that call the API'}, with{' '}
              {embedder.model}.
              {terms.outdated > 0 &&
                ` ${count(terms.outdated, 'passage')} to index again: until then, searches find their earlier words.`}
            </p>
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Sample = Status & { at: number };

/** The figures that the page has polled, the oldest first. */
function usePolled(status: Status | undefined, at: number): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  if (status === undefined || samples.at(-1)?.at === at) return samples;
  const next = [...samples, { ...status, at }].slice(-SAMPLES);
  setSamples(next);
  return next;
}

const number = (n: number) => n.toLocaleString('en');

/** What waits in the Team, and what to say of it. */
const FIGURES: Readonly<Record<string, (status: Status) => [now: number, about: string]>> = {
  'Imports that wait': ({ imports: { queued, running, completed } }) => [
    queued + running,
    `${number(running)} running, ${number(completed)} completed`,
  ],
  'Passages without an embedding': ({ chunks: { pending, total, secondsLeft } }) => [
    pending,
    `of ${number(total)}${secondsLeft === undefined ? '' : `, about ${duration(secondsLeft)} left`}`,
  ],
  'Captures staged': ({ captures: { staged, claimed, completed } }) => [
    staged,
    `${number(claimed)} claimed, ${number(completed)} completed`,
  ],
  'Memories in review': ({ memories: { review, published } }) => [review, `${number(published)} published`],
};

const figuresOf = (samples: readonly Sample[]): Figure[] =>
  Object.entries(FIGURES).map(([name, read]) => {
    const [now, about] = read(samples.at(-1)!);
    return {
      name,
      now,
      about,
      values: samples.map((one) => read(one)[0]),
      label: `${name}, as polled: now ${now}`,
    };
  });

/** The newest imports of the person. */
function OwnImports() {
  const { user } = useSession();
  const query = useRead('listImports', [{ limit: 100 }], { every: 8000 });
  return (
    <Section title="Your imports" actions={<MoreLink to="/imports">All imports</MoreLink>}>
      <Loaded query={query}>
        {({ items, nextCursor }) => {
          const own = items.filter(({ createdBy }) => createdBy === user.id).slice(0, 10);
          if (own.length > 0) return <ImportTable label="Your imports" imports={own} />;
          const none =
            nextCursor === null
              ? 'You have imported nothing lately.'
              : 'None of the newest imports is yours.';
          return <p className="text-soft">{none}</p>;
        }}
      </Loaded>
    </Section>
  );
}

/** Imports, with a button for those that can be tried again. */
function ImportTable({ label, imports }: { label: string; imports: readonly Import[] }) {
  const { canWrite } = useRights();
  const retry = useChange('retryImport', ['listImports', 'getStatus']);
  const retryButton = ({ id, name, item }: Row) =>
    item?.state === 'failed' &&
    item.payloadPrunedAt === null &&
    canWrite(item.clientId) && (
      <Button
        look="quiet"
        icon={RotateCw}
        busy={retry.isPending}
        onClick={() => void tell(retry.mutateAsync([id]), `${name} is read again.`)}
      >
        Retry
      </Button>
    );
  return (
    <Table
      label={label}
      rows={imports.map(rowOfImport)}
      keyOf={({ id }) => id}
      columns={[
        { name: 'File', cell: ({ name }) => <Name className="font-medium">{name}</Name> },
        STATE_COLUMN,
        NOTE_COLUMN,
        timeColumn<Row>('Changed', ({ item }) => item?.updatedAt ?? null),
        { ...actionsColumn(retryButton), isNumber: true },
      ]}
    />
  );
}

const ORDER = Object.keys(QUEUE_LABELS);
const placeOf = ({ queue }: QueueStatus) => ORDER.indexOf(queue) + 1 || ORDER.length + 1;

/** Whether a queue has no jobs, and completed none in the last hour. */
const isIdle = ({ ready, active, deferred, failed, history }: QueueStatus) =>
  ready + active + deferred + failed + history.reduce((sum, point) => sum + point.completed, 0) === 0;

/** The queues with their figures, and how many jobs were done in each minute of the last hour. */
function Queues({ jobs }: { jobs: readonly QueueStatus[] }) {
  const queues = jobs.toSorted((a, b) => placeOf(a) - placeOf(b));
  const busy = queues.filter((queue) => !isIdle(queue));
  const idle = queues.filter(isIdle);
  return (
    <Section title="Queues">
      {busy.length > 0 && (
        <Table
          label="Queues"
          rows={busy}
          keyOf={({ queue }) => queue}
          columns={[
            { name: 'Queue', cell: ({ queue }) => <span title={queue}>{labelOf(queue)}</span> },
            figureColumn<QueueStatus>('Ready', ({ ready }) => ready),
            figureColumn<QueueStatus>('Active', ({ active }) => active),
            figureColumn<QueueStatus>('Deferred', ({ deferred }) => deferred, true),
            figureColumn<QueueStatus>('Failed', ({ failed }) => failed),
            figureColumn<QueueStatus>('A minute', ({ completedPerMinute }) => completedPerMinute, true),
            {
              name: 'Oldest waits',
              isNumber: true,
              isExtra: true,
              cell: ({ oldestReadyAgeSeconds: age }) => age !== null && duration(age),
            },
            {
              name: 'Done, last hour',
              isExtra: true,
              cell: ({ queue, history }) =>
                history.length > 1 && (
                  // The last minute is not over: it would look like a decrease.
                  <Spark
                    label={`Done a minute, ${labelOf(queue)}`}
                    lines={[history.slice(0, -1).map(({ completed }) => completed)]}
                  />
                ),
            },
          ]}
        />
      )}
      {idle.length > 0 && (
        <details className="mt-3 text-soft">
          <summary className="w-fit cursor-pointer">{count(idle.length, 'queue')} without jobs</summary>
          <p className="mt-1">{idle.map(({ queue }) => labelOf(queue)).join(' · ')}</p>
        </details>
      )}
    </Section>
  );
}

const LOAD_COLUMNS: readonly TableColumn<Status['workers'][number]>[] = [
  { name: 'Started', cell: ({ startedAt }) => <Time at={startedAt} />, isExtra: true },
  { name: 'Memory', cell: ({ rssBytes }) => size(rssBytes), isNumber: true },
  {
    name: 'Queues',
    isNumber: true,
    isExtra: true,
    cell: ({ queues }) => <span title={queues.join(', ')}>{queues.length}</span>,
  },
];

/** The workers that are running. Where the service has several Companies, it does not show what they work for others. */
const Workers = ({ workers }: Pick<Status, 'workers'>) => (
  <Section title="Workers">
    <Table
      label="Workers"
      rows={workers}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Worker', cell: ({ id }) => <code className="font-mono text-xs">{id.slice(-8)}</code> },
        { name: 'Seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
        ...(workers.every(({ queues }) => queues.length === 0) ? [] : LOAD_COLUMNS),
        {
          name: 'Model',
          isExtra: true,
          cell: ({ embedder }) =>
            embedder !== null && (
              <>
                <Name>{embedder.model}</Name>{' '}
                <Tag tone={embedder.state === 'ready' ? 'good' : 'warn'}>
                  {embedder.fetched === null
                    ? embedder.state
                    : `${Math.round(embedder.fetched * 100)} % fetched`}
                </Tag>
                {embedder.chunksPerMinute > 0 && ` ${Math.round(embedder.chunksPerMinute)} passages a minute`}
              </>
            ),
        },
      ]}
    />
  </Section>
);
