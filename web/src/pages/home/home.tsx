import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronRight, Circle, CircleAlert, CircleCheck, ListChecks, Search } from 'lucide-react';
import type { FormEvent } from 'react';
import type { TeamActivity } from '../../../../shared/schemas/activity.ts';
import { useRead } from '../../app/data.ts';
import { FILES, IMPORTS, MEMORIES, SOURCES } from '../../app/pages.tsx';
import { useRights } from '../../app/rights.ts';
import { useSession, useTeam } from '../../app/session.tsx';
import { CommandLine } from '../../ui/copy.tsx';
import { INPUT } from '../../ui/field.tsx';
import { Figures } from '../../ui/figures.tsx';
import { textIn } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { MoreLink, Section } from '../../ui/section.tsx';
import { Loaded, Skeleton } from '../../ui/states.tsx';
import { count, Name, Tag, Time } from '../../ui/text.tsx';

const BOX = 'overflow-hidden rounded-lg border border-line bg-panel';
const ROW = 'flex h-10 items-center gap-3 border-b border-line px-3 last:border-0 hover:bg-hover';

/** The page at /. */
export default function HomePage() {
  const { company } = useSession();
  const { access, state } = useTeam();
  return (
    <Page>
      <div className="mx-auto max-w-4xl">
        {state === 'archived' && (
          <Notice>This Team is archived: it can be read, and nothing in it can be changed.</Notice>
        )}
        <SearchField />
        <Waiting />
        {company.role === 'owner' && access === 'full' && state === 'active' && <FirstSteps />}
        {access === 'full' && <Use />}
        <Lately />
      </div>
    </Page>
  );
}

function SearchField() {
  const navigate = useNavigate();
  function search(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const q = textIn(new FormData(event.currentTarget), 'q');
    if (q !== '') void navigate({ to: '/search', search: { q } });
  }
  return (
    <form role="search" className="relative mb-6" onSubmit={search}>
      <Search aria-hidden size={18} className="absolute top-3.5 left-3.5 text-faint" />
      <input
        name="q"
        type="search"
        aria-label="Search the memory"
        placeholder="Search the memory"
        autoComplete="off"
        dir="auto"
        className={`${INPUT} h-11.5 rounded-lg pl-11 text-lg`}
      />
    </form>
  );
}

/** What waits for a decision: memories in review, and imports that failed. */
function Waiting() {
  const { access } = useTeam();
  const { user } = useSession();
  const { data } = useRead('getStatus', []);
  const all = data?.imports.failed ?? 0;
  const some = useRead('listImports', [{ state: 'failed', limit: 200 }], {
    enabled: access === 'member' && all > 0,
  });
  const isFull = access === 'full';
  const review = isFull ? (data?.memories.review ?? 0) : 0;
  // Those of others can be retried only with Full access.
  const own = some.data?.items.filter(({ createdBy }) => createdBy === user.id) ?? [];
  const failed = isFull ? all : own.length;
  if (review + failed === 0) return null;
  const after = <ChevronRight aria-hidden size={16} className="ml-auto text-faint" />;
  return (
    <Section title="Waiting for you">
      <div className={BOX}>
        {review > 0 && (
          <Link to="/review" className={ROW}>
            <ListChecks aria-hidden size={16} className="text-brand" />
            {count(review, 'memory', 'memories')} in review
            {after}
          </Link>
        )}
        {failed > 0 && (
          <Link to="/imports" search={{ state: 'failed' }} className={ROW}>
            <CircleAlert aria-hidden size={16} className="text-bad" />
            {count(failed, 'import')} failed
            {after}
          </Link>
        )}
      </div>
    </Section>
  );
}

/** What an Owner of the Company does first; gone when all of it is done. Only an Owner can read all that it asks for. */
function FirstSteps() {
  const { id } = useTeam();
  const members = useRead('listTeamMembers', [{ limit: 2 }]).data?.items;
  const invites = useRead('listInvites', [{ limit: 1 }]).data?.items;
  const sources = useRead('listSources', [{ sort: 'updatedAt', limit: 8 }]).data?.items;
  const tokens = useRead('listTeamTokens', [{ limit: 1 }]).data?.items;
  if (!members || !invites || !sources || !tokens) return null;
  const steps = [
    {
      name: 'Invite people',
      isDone: members.length > 1 || invites.length > 0,
      about: 'You get a link for each person. It works once, for 7 days.',
      to: '/people',
    },
    {
      name: 'Import a folder',
      isDone: sources.length > 0,
      about: 'Drop files on this page, or send a whole folder with the terminal client.',
      to: '/imports',
      line: `memory import ./documents --team ${id}`,
    },
    {
      name: 'Connect an agent',
      isDone: tokens.length > 0,
      about: 'The agent gets a token, which has fewer rights than you, and a line to copy.',
      to: '/tokens',
    },
  ] as const;
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Section title="First steps">
      <ol className={BOX}>
        {steps.map(({ name, isDone, about, to, ...step }) => {
          const [Icon, label, tone] = isDone
            ? [CircleCheck, 'Done', 'text-good']
            : [Circle, 'To do', 'text-faint'];
          return (
            <li key={name} className="flex gap-3 border-b border-line p-3 last:border-0">
              <Icon aria-label={label} size={18} className={`mt-0.5 shrink-0 ${tone}`} />
              <div className="flex min-w-0 grow flex-col gap-2">
                <Link to={to} className={isDone ? 'text-soft line-through' : 'font-medium hover:underline'}>
                  {name}
                </Link>
                {!isDone && <p className="text-sm text-soft">{about}</p>}
                {!isDone && 'line' in step && <CommandLine label={name} line={step.line} />}
              </div>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

const FIGURES: Readonly<Record<string, (day: TeamActivity['days'][number]) => number>> = {
  Searches: ({ searches }) => searches,
  'Hits opened': ({ opened }) => opened,
  'Searches without a hit': ({ searchesWithoutHit }) => searchesWithoutHit,
  'New sources': ({ ingested, imported }) => ingested + imported,
};

/** How the Team was used in the last 30 days. */
function Use() {
  const query = useRead('getTeamActivity', [{ days: 30 }]);
  return (
    <Section title="The last 30 days" actions={<MoreLink to="/activity">Activity</MoreLink>}>
      <Loaded query={query} skeleton={<Skeleton rows={2} />}>
        {({ days }) => (
          <Figures
            figures={Object.entries(FIGURES).map(([name, of]) => {
              const values = days.map(of);
              const now = values.reduce((sum, value) => sum + value, 0);
              return { name, now, values, label: `${name} by day, at most ${Math.max(...values)}` };
            })}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** Of the icons of the navigation, those of the kinds of sources. */
const KINDS = { ingest: SOURCES, import: IMPORTS, memory: MEMORIES, file: FILES };

/** What was stored or changed last. */
function Lately() {
  const { nameOf } = useRights();
  const query = useRead('listSources', [{ sort: 'updatedAt', limit: 8 }]);
  return (
    <Section title="Changed lately" actions={<MoreLink to="/sources">All sources</MoreLink>}>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-soft">Nothing is stored yet.</p>
          ) : (
            <div className={BOX}>
              {items.map(({ id, title, kind, clientId, updatedAt }) => {
                const Icon = KINDS[kind].icon;
                return (
                  <Link key={id} to="/sources/$id" params={{ id }} className={ROW}>
                    <Icon aria-hidden size={16} className="shrink-0 text-faint" />
                    <Name className="min-w-0 grow truncate">{title}</Name>
                    {clientId !== null && (
                      <Tag className="max-sm:hidden">
                        <Name>{nameOf(clientId)}</Name>
                      </Tag>
                    )}
                    <Time at={updatedAt} className="shrink-0 text-sm text-faint" />
                  </Link>
                );
              })}
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}
