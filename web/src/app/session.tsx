import { MutationCache, QueryCache, QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { SessionInfo } from '../../../shared/schemas/accounts.ts';
import { forgetKept } from './kept.ts';
import { Refusal, send } from './request.ts';
import { ROOT } from './root.ts';

/*
 * Who uses this browser. The session is a cookie, which no script can read, so all tabs share it: the service is asked who
 * it belongs to, and tabs tell each other when that changes.
 */

/** `isOver`: it has ended by itself. The page stays as it is, behind the form to sign in. */
export type Session = SessionInfo & { isOver?: true };
export type Team = SessionInfo['teams'][number];

/** A change that names the operation `getSession` reads it again. */
const KEY = ['session', 'getSession'];
/** A sign-out that did not reach the service is remembered in this browser, and sent before anything is shown. */
const DUE = `sign-out-due:${ROOT.pathname}`;
const SIGN_OUT_MS = 10_000;
/** What was read is read again after this time, when it is shown again. */
export const STALE_MS = 10_000;

const tabs = new BroadcastChannel(`team-memory:${ROOT.pathname}`);

/** The service no longer accepts the session. */
const isEnded = (error: unknown) => error instanceof Refusal && error.status === 401;
const isRefused = ({ state }: { state: { error: unknown } }) => isEnded(state.error);
/** Refusals after which the rights of the person are not those that the page shows. */
const OUTDATED = /^(full_access_required|company_role_required|team_forbidden|team_archived)$/;
const onError = (error: unknown) => {
  const isOutdated = error instanceof Refusal && OUTDATED.test(error.code);
  if ((isEnded(error) || isOutdated) && signedInAs() !== null) void rereadSession();
};
/** Reads the session again: it has ended, or the name or the rights of the person are different now. */
export const rereadSession = () => queryClient.invalidateQueries({ queryKey: KEY });

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      staleTime: STALE_MS,
      // Without a network a request fails, and the page says so; it would wait in silence otherwise.
      networkMode: 'always',
      refetchOnReconnect: true,
      // What is refused now is refused again.
      retry: (count, error) => !(error instanceof Refusal && error.status < 500) && count < 3,
    },
  },
});

const sessionQuery = queryOptions({
  queryKey: KEY,
  queryFn: async ({ signal }): Promise<Session | null> => {
    await sendDueSignOut();
    try {
      const now = await send(null, 'getSession', [], signal);
      const before = queryClient.getQueryData<Session | null>(KEY);
      // Somebody else signed in.
      if (before && before.user.id !== now.user.id) forget();
      else if (before?.isOver) void queryClient.refetchQueries({ type: 'active', predicate: isRefused });
      return now;
    } catch (error) {
      if (!isEnded(error)) throw error;
      forgetSearches();
      const before = queryClient.getQueryData<Session | null>(KEY);
      return before ? { ...before, isOver: true } : null;
    }
  },
  staleTime: 60_000,
  retry: true,
  retryDelay: (count) => Math.min(1000 * 2 ** count, 15_000),
});

/** The session; null if nobody is signed in, undefined until it is known. */
export const useSessionState = () => useQuery(sessionQuery);

/** The id of the person who is signed in, for what goes on while no page shows it. */
export function signedInAs(): string | null {
  const session = queryClient.getQueryData<Session | null>(KEY);
  return session && !session.isOver ? session.user.id : null;
}

/** Whether the session has ended by itself: nobody has signed out. */
export const isSessionOver = () => queryClient.getQueryData<Session | null>(KEY)?.isOver === true;

/**
 * Signs in, and shows the console. A sign-out that is due is sent first: afterwards, the cookie is of the new session.
 * @throws Refusal, Unreachable
 */
export async function signIn(body: { email: string; password: string; companyId?: string }): Promise<void> {
  await sendDueSignOut();
  await send(null, 'login', [{ ...body, cookie: true }]);
  await begin();
}

/** Shows the console of the session that has begun. */
export async function begin(): Promise<void> {
  tabs.postMessage('changed');
  await rereadSession();
}

/** Removes the recent searches that this browser keeps: unlike saved filters, they are of the session. */
function forgetSearches(): void {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(`searches:${ROOT.pathname}:`)) localStorage.removeItem(name);
}

/** Removes what the session has read. */
function forget(): void {
  forgetSearches();
  forgetKept();
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
  queryClient.getMutationCache().clear();
}

/** Shows the form to sign in, and nothing else. */
function empty(): void {
  forget();
  // An answer that is on its way is of the session that is left.
  void queryClient.cancelQueries({ queryKey: KEY });
  queryClient.setQueryData(KEY, null);
}

async function endSession(): Promise<void> {
  await send(null, 'logout', [{}], AbortSignal.timeout(SIGN_OUT_MS)).catch((error: unknown) => {
    // It had ended already.
    if (!isEnded(error)) throw error;
  });
  localStorage.removeItem(DUE);
}

/** Whether a sign-out has not reached the service. */
export const isSignOutDue = () => localStorage.getItem(DUE) !== null;

let ending: Promise<void> | null = null;

/**
 * Ends the session that was left, if that is due: before the cookie is of another one. It is sent once at a time: a second
 * answer would remove the cookie of the session that began after the first.
 */
export async function sendDueSignOut(): Promise<void> {
  if (!isSignOutDue()) return;
  ending ??= endSession().finally(() => {
    ending = null;
  });
  await ending;
}

/** Empties all tabs of this browser, and ends the session on the service. */
export async function signOut(): Promise<void> {
  // First, because a browser that is full has room for the other then.
  forgetSearches();
  localStorage.setItem(DUE, '1');
  empty();
  tabs.postMessage('left');
  await sendDueSignOut().catch(() => undefined);
  tabs.postMessage('changed');
  await rereadSession();
}

tabs.addEventListener('message', ({ data }) => {
  if (data === 'left' || isSignOutDue()) empty();
  else void rereadSession();
});

export const SessionContext = createContext<{ session: Session; team: Team | null } | null>(null);

/** The person who is signed in, and the Team that the page shows, if it shows one. */
export function useSessionContext() {
  const value = use(SessionContext);
  if (value === null) throw new Error('there is no session around this component');
  return value;
}

/** The person who is signed in. */
export const useSession = () => useSessionContext().session;

/** The Team that the page shows. Only on pages of a Team. */
export function useTeam(): Team {
  const { team } = useSessionContext();
  if (team === null) throw new Error('there is no Team around this component');
  return team;
}

/** The Team that requests are about; null on pages that need none. */
export const useTeamId = () => useSessionContext().team?.id ?? null;
