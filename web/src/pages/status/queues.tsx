import { labelOf, QUEUE_LABELS } from '../../../../shared/queue-labels.ts';
import type { QueueStatus, Status } from '../../../../shared/schemas/status.ts';
import { Section } from '../../ui/section.tsx';
import { Spark } from '../../ui/spark.tsx';
import { figureColumn, Table } from '../../ui/table.tsx';
import { count, duration, Name, size, Tag, Time } from '../../ui/text.tsx';

const ORDER = Object.keys(QUEUE_LABELS);

/** Whether a queue has no jobs, and completed none in the last hour. */
const isIdle = ({ ready, active, deferred, failed, history }: QueueStatus) =>
  ready + active + deferred + failed + history.reduce((sum, point) => sum + point.completed, 0) === 0;

/** The queues with their figures, and how many jobs were done in each minute of the last hour. */
export function Queues({ jobs }: { jobs: Status['jobs'] }) {
  const placeOf = ({ queue }: QueueStatus) => ORDER.indexOf(queue) + 1 || ORDER.length + 1;
  const queues = jobs.toSorted((a, b) => placeOf(a) - placeOf(b));
  const busy = queues.filter((queue) => !isIdle(queue));
  const idle = queues.filter(isIdle);
  return (
    <Section title="Queues">
      {busy.length > 0 && (
        <Table<QueueStatus>
          label="Queues"
          rows={busy}
          keyOf={({ queue }) => queue}
          columns={[
            { name: 'Queue', cell: ({ queue }) => <span title={queue}>{labelOf(queue)}</span> },
            figureColumn('Ready', ({ ready }) => ready),
            figureColumn('Active', ({ active }) => active),
            figureColumn('Deferred', ({ deferred }) => deferred, true),
            figureColumn('Failed', ({ failed }) => failed),
            figureColumn('A minute', ({ completedPerMinute }) => completedPerMinute, true),
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

type Worker = Status['workers'][number];

/** The workers that are running. */
export const Workers = ({ workers }: { workers: readonly Worker[] }) =>
  workers.length > 0 && (
    <Section title="Workers">
      <Table<Worker>
        label="Workers"
        rows={workers}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Worker', cell: ({ id }) => <code className="font-mono text-xs">{id.slice(-8)}</code> },
          { name: 'Seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
          { name: 'Started', cell: ({ startedAt }) => <Time at={startedAt} />, isExtra: true },
          { name: 'Memory', cell: ({ rssBytes }) => size(rssBytes), isNumber: true },
          {
            name: 'Queues',
            isNumber: true,
            isExtra: true,
            cell: ({ queues }) => <span title={queues.join(', ')}>{queues.length}</span>,
          },
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
                  {embedder.chunksPerMinute > 0 &&
                    ` ${Math.round(embedder.chunksPerMinute)} passages a minute`}
                </>
              ),
          },
        ]}
      />
    </Section>
  );
