import { lazy, Suspense } from 'react';
import type { PageInfo } from '../pages.tsx';
import { isSignOutDue } from '../session.tsx';
import { Brand } from './brand.tsx';

const SignIn = lazy(() => import('./sign-in.tsx'));

interface Props {
  session: null | undefined;
  /** Why the service could not be asked; it is asked again by itself. */
  problem: Error | null;
  page: PageInfo | null;
}

/** What the console shows while nobody is signed in, or while it is not known who is. */
export function Entry({ session, problem, page }: Props) {
  if (session === undefined && problem === null) return null;
  return (
    <Brand tab={['Sign in', page?.name].filter(Boolean).join(' · ')}>
      {problem !== null && isSignOutDue() && (
        <p role="alert" className="rounded-md bg-warn-tint p-3 text-warn">
          This page is empty, but your session is not ended yet: the service cannot be reached. It is ended as
          soon as the service answers; keep this page open, or open it again.
        </p>
      )}
      {session === null ? (
        <Suspense>
          <SignIn />
        </Suspense>
      ) : (
        <p role="alert">{problem?.message} The page tries again by itself.</p>
      )}
    </Brand>
  );
}
