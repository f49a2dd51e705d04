import {
  type ErrorComponentProps,
  Link,
  Outlet,
  useLocation,
  useMatches,
  useNavigate,
} from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { TextLink } from '../../ui/here-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, GONE } from '../../ui/states.tsx';
import { TeamName } from '../../ui/text.tsx';
import { sayFailure } from '../../ui/toast.tsx';
import { canOpen, type PageInfo } from '../pages.tsx';
import { Refusal, send, Unreachable } from '../request.ts';
import { type Session, SessionContext, type Team, useSessionState } from '../session.tsx';
import { Entry, EntryAbove } from './entry.tsx';
import { Shell } from './shell.tsx';

/** The Team to show: the one in the address, else the one last used in this tab, else the only one. */
function findTeam(teams: readonly Team[], named: string | undefined): Team | null {
  const withId = (id: string | null) => teams.find((team) => team.id === id) ?? null;
  if (named !== undefined) return withId(named);
  return withId(sessionStorage.getItem('team')) ?? (teams.length === 1 ? teams[0]! : null);
}

/** Shows who is signed in the page of the address, and others the form to sign in. */
export function Root() {
  const { data: session, failureReason } = useSessionState();
  const matches = useMatches();
  const page = matches.at(-1)?.staticData.page ?? null;
  // The page of a one-time link. The match of the root is there for every address.
  if (page === null && matches.length > 1) return <Outlet />;
  if (session === undefined || session === null)
    return <Entry session={session} problem={failureReason} page={page} />;
  return (
    <>
      <SignedIn key={session.user.id} session={session} page={page} />
      {session.isOver && <EntryAbove page={page} />}
    </>
  );
}

function SignedIn({ session, page }: { session: Session; page: PageInfo | null }) {
  const { search, pathname } = useLocation();
  const navigate = useNavigate();
  const named = search.team;
  const team = findTeam(session.teams, named);
  useEffect(() => {
    if (team === null) return;
    sessionStorage.setItem('team', team.id);
    const withTeam = (now: object) => ({ ...now, team: team.id });
    if (named === undefined) void navigate({ to: '.', search: withTeam, replace: true } as never);
  }, [team, named, pathname, navigate]);
  // Another Team is another page: nothing of the one before stays.
  let content = <Outlet key={team?.id} />;
  if (page !== null && team === null && page.isTeamless !== true)
    content = <NoTeam teams={session.teams} isNamed={named !== undefined} />;
  else if (page !== null && !canOpen(page, session, team))
    content = (
      <Notice title={page.name}>
        {page.group === 'Company'
          ? 'This page is for Owners and Admins of the Company.'
          : 'This page needs Full access to the Team. An Owner or Admin of the Team can give it to you.'}
      </Notice>
    );
  return (
    <SessionContext value={{ session, team }}>
      <Shell page={page}>{content}</Shell>
    </SessionContext>
  );
}

const Notice = ({ title, children }: { title: string; children: ReactNode }) => (
  <Page title={title}>
    <div role="status" className="flex flex-col items-start gap-1 text-soft">
      {children}
    </div>
  </Page>
);

const NoTeam = ({ teams, isNamed }: { teams: readonly Team[]; isNamed: boolean }) => (
  <Notice title="Teams">
    <p className="mb-2">
      {teams.length === 0
        ? 'No Team is open to you yet. An Owner of the Company can open one to you.'
        : isNamed
          ? 'There is no such Team, or you do not have access to it. Choose another.'
          : 'Choose the Team to work in.'}
    </p>
    {teams.map((team) => (
      <Link key={team.id} to="." search={{ team: team.id }} className="text-brand underline">
        <TeamName team={team} />
      </Link>
    ))}
  </Notice>
);

/** What an address without a page shows. */
export const NotFound = () => (
  <Page title="Page not found">
    <Empty icon={SearchX} title="There is no page at this address">
      <p>Check the address, or go on from here.</p>
      <TextLink to="/">Go to the home page</TextLink>
    </Empty>
  </Page>
);

/** The script of a page that a newer version of the service no longer has. */
const isGone = ({ message }: Error) => /dynamically imported module|Importing a module script/.test(message);

/** What is shown in place of a page that failed: after an update of the service, its script has another name. */
export function PageFailed({ error: thrown, reset }: ErrorComponentProps) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (!isGone(error) && !(error instanceof Unreachable) && !(error instanceof Refusal))
    return (
      <Page title="This page failed">
        <Failure error={error} retry={reset} />
      </Page>
    );
  const loadAgain = () => send(null, 'checkLiveness', []).then(() => location.reload(), sayFailure);
  return (
    <Page title="This page could not be loaded">
      <Failure error={GONE} retry={() => void loadAgain()} />
    </Page>
  );
}
