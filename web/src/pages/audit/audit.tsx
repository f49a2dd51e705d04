import { ChevronRight, Download, Ellipsis, History, RefreshCw, ShieldCheck, X } from 'lucide-react';
import { useState } from 'react';
import type { AuditEvent, AuditSubjectType } from '../../../../shared/schemas/audit.ts';
import { useAll, useList, useRead } from '../../app/data.ts';
import { useFilters, withChosen } from '../../app/filters.ts';
import { AUDIT } from '../../app/pages.tsx';
import { useSession, useSessionContext, useTeamId } from '../../app/session.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { actionsColumn, textColumn } from '../../ui/columns.tsx';
import { ChoiceFilter, DayFilter, FilterBar } from '../../ui/filter-bar.tsx';
import { type Column, RecordList } from '../../ui/list.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { count } from '../../ui/text.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';
import { downloadCsv, MOST_ROWS } from './csv.ts';
import { EventDrawer, Sentence } from './event.tsx';
import { KIND_OPTIONS, type Names } from './sentences.ts';
import { Verification } from './verification.tsx';

/** In the address, for the events of the Company and of all its Teams. */
const COMPANY = 'company';
const DAY_MS = 86_400_000;

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

const columnsFor = (
  names: Names,
  isOfCompany: boolean,
  onOpen: (id: string) => void,
): readonly Column<AuditEvent>[] => [
  {
    name: 'Time',
    width: '3rem',
    cell: ({ at }) => (
      <time dateTime={at} title={new Date(at).toLocaleString('en-GB')} className="text-soft tabular-nums">
        {CLOCK.format(new Date(at))}
      </time>
    ),
  },
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
  textColumn(isOfCompany ? 'Team' : 'Client', '10rem', ({ teamId, clientName, detail }) => {
    if (isOfCompany) return teamId === null ? '' : (names.get(teamId) ?? 'A deleted Team');
    return clientName ?? names.get(String(detail['clientId'])) ?? '';
  }),
  actionsColumn(({ id }) => <IconButton icon={ChevronRight} label="Details" onClick={() => onOpen(id)} />),
];

/** The list that the filters choose: its operation, its query, and whether it is of the Company. */
function useAuditQuery() {
  const [filters, setFilters] = useFilters('/audit');
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
  return { filters, setFilters, name, query, of, isOwner };
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
  const open = read.items.find(({ id }) => id === filters.event);
  const isFiltered = [filters.kind, filters.actor, filters.from, filters.to, filters.subject].some(Boolean);
  return (
    <Page
      title={AUDIT.name}
      shows={KIND_OPTIONS.find(({ value }) => value === filters.kind)?.name ?? AUDIT.name}
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
        columns={columnsFor(names, of === COMPANY, (event) => void setFilters({ event }))}
        idOf={({ id }) => id}
        nameOf={({ kind }) => kind}
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
          isOfCompany={of === COMPANY}
          onClose={() => void setFilters({ event: undefined })}
          onFilter={(filter) => void setFilters({ event: undefined, ...filter })}
        />
      )}
    </Page>
  );
}

function Actions({ onRefresh }: { onRefresh: () => void }) {
  const { name, query, isOwner } = useAuditQuery();
  const team = useTeamId();
  const [progress, setProgress] = useState<number | null>(null);
  const [isVerifying, setVerifying] = useState(false);
  async function download() {
    setProgress(0);
    try {
      const rows = await downloadCsv(team, name, query, setProgress);
      const most = rows >= MOST_ROWS ? ', the newest ones: choose days for others' : '';
      say(`${count(rows, 'event')} downloaded${most}.`);
    } catch (error) {
      sayFailure(error as Error);
    }
    setProgress(null);
  }
  return (
    <>
      <IconButton icon={RefreshCw} label="Look for newer events" onClick={onRefresh} />
      <Button icon={Download} busy={progress !== null} onClick={() => void download()}>
        {progress === null ? 'CSV' : `${progress.toLocaleString('en')} …`}
      </Button>
      {isOwner && (
        <Menu trigger={<IconButton icon={Ellipsis} label="More" />}>
          <MenuItem icon={ShieldCheck} onClick={() => setVerifying(true)}>
            Verify the audit
          </MenuItem>
        </Menu>
      )}
      {isVerifying && <Verification onClose={() => setVerifying(false)} />}
    </>
  );
}

function Filters() {
  const { filters, setFilters, of, isOwner } = useAuditQuery();
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
        value={filters.actor}
        options={withChosen(people, filters.actor, 'Someone else')}
        onChange={(actor) => void setFilters({ actor })}
      />
      <ChoiceFilter
        label="All kinds"
        value={filters.kind}
        options={KIND_OPTIONS}
        onChange={(kind) => void setFilters({ kind })}
      />
      <DayFilter label="From" value={filters.from} onChange={(from) => void setFilters({ from })} />
      <DayFilter label="To" value={filters.to} onChange={(to) => void setFilters({ to })} />
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
