import { Link } from '@tanstack/react-router';
import { CircleCheck, RotateCw } from 'lucide-react';
import { useChange, useRead } from '../../app/data.ts';
import { JOBS } from '../../app/pages.tsx';
import { useRights } from '../../app/rights.ts';
import { useSession, useTeam } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { Figures } from '../../ui/figures.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { MoreLink, Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { count, Name, Time } from '../../ui/text.tsx';
import { tell } from '../../ui/toast.tsx';
import { NOTE_COLUMN, type Row, rowOfImport, STATE_COLUMN } from '../imports/rows.tsx';
import { figuresOf, usePolled } from './figures.ts';
import { needsOf } from './needs.ts';
import { Queues, Workers } from './queues.tsx';

/** With the list of imports, that is less than a request every two seconds. */
const EVERY_MS = 4000;

/** The page at /jobs. Its first line says that everything is fine, or what needs somebody. */
export default function Jobs() {
  const query = useRead('getStatus', [], { every: EVERY_MS });
  const isFull = useTeam().access === 'full';
  const { data, dataUpdatedAt, error } = query;
  const samples = usePolled(data, dataUpdatedAt);
  const needs = data === undefined ? [] : needsOf(data);
  const shows = data === undefined ? '' : needs.length === 0 ? 'All well' : count(needs.length, 'problem');
  return (
    <Page title={JOBS.name} shows={shows}>
      <Loaded query={query}>
        {(status) => (
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
                  <Link to={to} className="underline">
                    {to === '/imports' ? 'Open imports' : 'Open settings'}
                  </Link>
                )}
              </Notice>
            ))}
            <Figures figures={figuresOf(samples, status)} />
            <OwnImports />
            {isFull && <Queues jobs={status.jobs} />}
            {isFull && <Workers workers={status.workers} />}
            <p className="text-sm text-faint">
              Embeddings are made by{' '}
              {status.embedder.mode === 'server' ? 'the service' : 'programs that call the API'}, with{' '}
              {status.embedder.model}.
              {status.terms.outdated > 0 &&
                ` ${count(status.terms.outdated, 'passage')} to index again: until then, searches find their earlier words.`}
            </p>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The newest imports of the person. */
function OwnImports() {
  const { user } = useSession();
  const { canWrite } = useRights();
  const query = useRead('listImports', [{ limit: 100 }], { every: 8000 });
  const retry = useChange('retryImport', ['listImports', 'getStatus']);
  return (
    <Section title="Your imports" actions={<MoreLink to="/imports">All imports</MoreLink>}>
      <Loaded query={query}>
        {({ items, nextCursor }) => {
          const own = items.filter(({ createdBy }) => createdBy === user.id).slice(0, 10);
          return own.length === 0 ? (
            <p className="text-soft">
              {nextCursor === null
                ? 'You have imported nothing lately.'
                : 'None of the newest imports is yours.'}
            </p>
          ) : (
            <Table
              label="Your imports"
              rows={own.map(rowOfImport)}
              keyOf={({ id }) => id}
              columns={[
                { name: 'File', cell: ({ name }) => <Name className="font-medium">{name}</Name> },
                STATE_COLUMN,
                NOTE_COLUMN,
                timeColumn<Row>('Changed', ({ item }) => item?.updatedAt ?? null),
                {
                  name: 'Actions',
                  hidesName: true,
                  isNumber: true,
                  cell: ({ id, name, item }) =>
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
                    ),
                },
              ]}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}
