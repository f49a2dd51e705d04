import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import mark from '../../ui/mark.svg?inline';
import type { PageInfo } from '../pages.tsx';
import { isSignOutDue } from '../session.tsx';

const SignIn = lazy(() => import('./sign-in.tsx'));

interface BrandProps {
  title?: string | undefined;
  /** The title of the tab. */
  tab?: string | undefined;
  children: ReactNode;
}

/** One column with the product's mark: what is shown while nobody is signed in. */
export function Brand({ title, tab = title, children }: BrandProps) {
  useEffect(() => {
    document.title = tab ?? '';
  }, [tab]);
  return (
    <main className="mx-auto flex min-h-screen w-[min(22rem,100vw)] flex-col justify-center gap-6 px-4 py-12">
      <div className="flex items-center gap-3">
        <img src={mark} alt="" width={36} height={36} />
        <span className="text-lg font-semibold">Team memory</span>
      </div>
      {title !== undefined && <h1 className="text-xl font-semibold">{title}</h1>}
      {children}
    </main>
  );
}

interface EntryProps {
  session: null | undefined;
  /** Why the service could not be asked; it is asked again by itself. */
  problem: Error | null;
  page: PageInfo | null;
}

/** What the console shows while nobody is signed in, or while it is not known who is. */
export function Entry({ session, problem, page }: EntryProps) {
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
