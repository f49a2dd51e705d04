import { useMutation } from '@tanstack/react-query';
import { ChevronRight, Download, History, RefreshCw, ShieldCheck, X } from 'lucide-react';
import { useState } from 'react';
import type { AuditEvent, AuditSubjectType, AuditVerification } from '../../../../shared/schemas/audit.ts';
import { useAll, useChange, useList, useRead } from '../../app/data.ts';
import { useFilters, withChosen } from '../../app/filters.ts';
import { type Args, send } from '../../app/request.ts';
import { saveAs } from '../../app/save.ts';
import { useSession, useSessionContext, useTeamId } from '../../app/session.tsx';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { actionsColumn, textColumn } from '../../ui/columns.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ChoiceFilter, DayFilter, FilterBar } from '../../ui/filter-bar.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure } from '../../ui/states.tsx';
import { count } from '../../ui/text.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';
import { EventDrawer, Sentence } from './event.tsx';
import { actorOf, KIND_OPTIONS, type Names } from './sentences.ts';

/** In the address, for the events of the Company and of all its Teams. */
const COMPANY = 'company';
const DAY_MS = 86_400_000;

/** The file has no more events: those belong into an export of the database. */
const MOST_ROWS = 100_000;
const CSV_HEAD =
  'at,kind,actorName,actorId,tokenId,subjectType,subjectId,subjectName,teamId,clientName,detail,id';

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' });

/** The day of an event, as the heading above it. */
function dayOf({ at }: AuditEvent): string {
  const day = DAY.format(new Date(at));
  if (day === DAY.format(Date.now())) return 'Today';
  return day === DAY.format(Date.now() - DAY_MS) ? 'Yesterday' : day;
}

/** The first or the last moment of a day, as the person's clock has it. */
const momentOf = (day: string | undefined, time: string) =>
  // Of what is no day, as in an address that was edited, it is null.
  new Date(`${day}T${time}`).toJSON() ?? undefined;

/** The list that the filters choose: its operation, its query, and whether it is of the Company. */
function useAuditQuery() {
  const [filters, setFilters, field] = useFilters('/audit');
  const { session, team } = useSessionContext();
  const { kind, searches, actor, subject, from, to } = filters;
  const isOwner = session.company.role === 'owner';
  /** `COMPANY`, or a Team that is not the one of the page. */
  const of = (isOwner && filters.of !== team?.id ? filters.of : undefined) ?? (team ? undefined : COMPANY);
  const query = {
    kinds: kind ?? (searches === undefined ? '!memory.search' : undefined),
    actorId: actor,
    subjectId: subject,
    since: momentOf(from, '00:00'),
    until: momentOf(to, '23:59:59.999'),
    ...(of !== COMPANY && { teamId: of }),
  };
  const name = of === undefined ? ('listTeamAudit' as const) : ('listCompanyAudit' as const);
  return { filters, setFilters, field, name, query, of, isOwner };
}

/** The names of Teams and clients, and of the records that changed last, of the types that events are about. */
function useNames(events: readonly AuditEvent[], isOfTeam: boolean): Names {
  const { teams } = useSession();
  // A first load has two pages of events.
  const newest = { limit: events.length > 100 ? 200 : 50 };
  const latest = { ...newest, sort: 'updatedAt', order: 'desc' } as const;
  const ifAbout = (type: AuditSubjectType) => ({
    enabled: isOfTeam && events.some(({ subjectType }) => subjectType === type),
    keepsLast: true,
  });
  const clients = useAll('listClients', {}, isOfTeam).items;
  const sources = useRead('listSources', [latest], ifAbout('source')).data?.items ?? [];
  const memories = useRead('listMemories', [latest], ifAbout('memory')).data?.items ?? [];
  const imports = useRead('listImports', [newest], ifAbout('import')).data?.items ?? [];
  return new Map([
    ...[...teams, ...clients].map(({ id, name }) => [id, name] as const),
    ...[...sources, ...memories].map(({ id, title }) => [id, title] as const),
    ...imports.map(({ id, filename }) => [id, filename] as const),
  ]);
}

/** The page at /audit. */
export default function Audit() {
  const { filters, setFilters, name, query, of } = useAuditQuery();
  const read = useList(name, query);
  const names = useNames(read.items, of === undefined);
  const isOfCompany = of === COMPANY;
  const open = read.items.find(({ id }) => id === filters.event);
  const isFiltered = [filters.kind, filters.actor, filters.from, filters.to, filters.subject].some(Boolean);
  return (
    <Page
      shows={KIND_OPTIONS.find(({ value }) => value === filters.kind)?.name ?? ''}
      total={read.total}
      actions={<Actions onRefresh={() => void read.query.refetch()} />}
    >
      <Filters />
      {filters.event !== undefined && open === undefined && read.query.isSuccess && (
        <Notice>The event of this link is not among these: choose its days, or other filters.</Notice>
      )}
      <RecordList
        label="Audit events, the newest first"
        read={read}
        columns={[
          { name: 'Time', width: '3rem', cell: ({ at }) => <Clock at={at} /> },
          {
            name: 'What happened',
            width: 'minmax(0,1fr)',
            // Two lines fit in the row, so that a phone shows what it is about.
            cell: (event) => (
              <span className="max-sm:line-clamp-2 max-sm:text-sm/4 max-sm:whitespace-normal">
                <Sentence event={event} names={names} />
              </span>
            ),
          },
          textColumn<AuditEvent>(
            isOfCompany ? 'Team' : 'Client',
            '10rem',
            ({ teamId, clientName, detail }) => {
              if (isOfCompany) return teamId === null ? '' : (names.get(teamId) ?? 'A deleted Team');
              return clientName ?? names.get(String(detail['clientId'])) ?? '';
            },
          ),
          actionsColumn<AuditEvent>(({ id }) => (
            <IconButton icon={ChevronRight} label="Details" onClick={() => void setFilters({ event: id })} />
          )),
        ]}
        groupOf={dayOf}
        empty={
          <Empty
            icon={History}
            title={isFiltered ? 'No event matches these filters' : 'Nothing has changed yet'}
          >
            {!isFiltered &&
              'Every change makes an event here, and every search, which the filter “Searches” shows.'}
          </Empty>
        }
      />
      {open && (
        <EventDrawer
          event={open}
          names={names}
          isOfCompany={isOfCompany}
          onClose={() => void setFilters({ event: undefined })}
          onFilter={(filter) => void setFilters({ event: undefined, ...filter })}
        />
      )}
    </Page>
  );
}

const Clock = ({ at }: { at: string }) => (
  <time dateTime={at} title={new Date(at).toLocaleString('en-GB')} className="text-soft tabular-nums">
    {CLOCK.format(new Date(at))}
  </time>
);

/** A cell. A spreadsheet would run what begins like a formula. */
function cellOf(value: AuditEvent[keyof AuditEvent]): string {
  const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Reads all events that the filters choose, and has the browser save them as CSV; and how many it has read so far. */
function useDownload() {
  const { name, query } = useAuditQuery();
  const team = useTeamId();
  const [read, setRead] = useState(0);
  const { mutate, isPending } = useMutation({
    async mutationFn() {
      const lines = [CSV_HEAD];
      let cursor: string | null | undefined;
      while (cursor !== null && lines.length <= MOST_ROWS) {
        setRead(lines.length - 1);
        const page = await send(team, name, [{ ...query, cursor, limit: 200 }] as Args<typeof name>);
        for (const event of page.items) {
          const row = { ...event, actorName: actorOf(event) };
          lines.push(
            CSV_HEAD.split(',')
              .map((column) => cellOf(row[column as keyof AuditEvent]))
              .join(),
          );
        }
        cursor = page.nextCursor;
      }
      // Excel takes a file for UTF-8 only if it begins with this mark.
      const content = new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv' });
      saveAs(`audit-${new Date().toISOString().slice(0, 10)}.csv`, content);
      const most = cursor === null ? '' : ', the newest ones: choose days for others';
      say(`${count(lines.length - 1, 'event')} downloaded${most}.`);
    },
    onError: sayFailure,
  });
  return { read, isPending, download: () => mutate() };
}

function Actions({ onRefresh }: { onRefresh: () => void }) {
  const { isOwner } = useAuditQuery();
  const { read, isPending, download } = useDownload();
  const { mutate, data, error, isIdle, reset } = useChange('verifyAudit', []);
  const verify = () => mutate([]);
  return (
    <>
      <IconButton icon={RefreshCw} label="Look for newer events" onClick={onRefresh} />
      <Button icon={Download} busy={isPending} onClick={download}>
        {isPending ? `${read.toLocaleString('en')} …` : 'CSV'}
      </Button>
      <ActionMenu label="More" actions={[isOwner && [ShieldCheck, 'Verify the audit', verify]]} />
      {!isIdle && (
        <Dialog onClose={reset} title="Verify the audit">
          <div className="flex flex-col gap-4">
            {error ? <Failure error={error} retry={verify} /> : <Verification result={data} />}
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Whether an event of the Company was changed, removed or inserted in the database; undefined until that is known. */
function Verification({ result }: { result: AuditVerification | undefined }) {
  if (result === undefined)
    return (
      <p role="status">The chain of hashes is computed again. With many events this takes some minutes.</p>
    );
  const { events, unsealed, firstBreak, head } = result;
  const seal = head && `${head.sequence}:${head.hash}`;
  return (
    <>
      {firstBreak === null ? (
        <p role="status">
          <strong className="text-good">The chain is intact.</strong> {count(events, 'event')} verified.
          {unsealed > 0 && ` ${unsealed.toLocaleString('en')} not sealed yet: that takes a minute.`}
        </p>
      ) : (
        <p role="alert" className="text-bad">
          <strong>The chain is broken at event {firstBreak}.</strong> It was changed, removed or inserted in
          the database. Keep a copy of the database as it is now, and have it compared with a backup.
        </p>
      )}
      {seal !== null && (
        <>
          <p className="flex items-start gap-1">
            Last seal:
            <code className="font-mono text-xs break-all">{seal}</code>
            <CopyButton text={seal} label="Copy the seal" />
          </p>
          <p className="text-sm text-faint">
            Note the seal outside of the service: if a later verification has a smaller number, or another
            hash for this one, events were removed from the end.
          </p>
        </>
      )}
    </>
  );
}

function Filters() {
  const { filters, setFilters, field, of, isOwner } = useAuditQuery();
  const { session, team } = useSessionContext();
  const members = useAll(of === undefined ? 'listTeamMembers' : 'listCompanyMembers', {}).items;
  const people = members.map(({ userId, name }) => ({ value: userId, name }));
  const teams = session.teams.map(({ id, name }) => ({ value: id, name }));
  const [usual, whole] = [team?.id ?? COMPANY, 'The whole Company'];
  const chosen = of === usual ? undefined : of;
  const others = [{ value: COMPANY, name: whole }, ...teams].filter(({ value }) => value !== usual);
  return (
    <FilterBar>
      {isOwner && (
        <ChoiceFilter
          label={team?.name ?? whole}
          value={chosen}
          options={withChosen(others, chosen, 'A deleted Team')}
          onChange={(value) => void setFilters({ of: value, actor: undefined })}
        />
      )}
      <ChoiceFilter
        label="Everyone"
        options={withChosen(people, filters.actor, 'Someone else')}
        {...field('actor')}
      />
      <ChoiceFilter label="All kinds" options={KIND_OPTIONS} {...field('kind')} />
      <DayFilter label="From" {...field('from')} />
      <DayFilter label="To" {...field('to')} />
      <label className="flex h-8 items-center gap-1.5 text-soft">
        <input
          type="checkbox"
          checked={filters.searches !== undefined}
          onChange={(event) => void setFilters({ searches: event.target.checked ? 'shown' : undefined })}
        />
        Searches
      </label>
      {filters.subject !== undefined && (
        <Button look="quiet" icon={X} onClick={() => void setFilters({ subject: undefined })}>
          One record
        </Button>
      )}
    </FilterBar>
  );
}
