import { type ReactNode, useEffect } from 'react';
import { createPortal } from 'react-dom';
import mark from '../../ui/mark.svg?inline';
import type { PageInfo } from '../pages.tsx';
import { isSignOutDue } from '../session.tsx';
import { SignIn } from './sign-in.tsx';

interface BrandProps {
  title?: string | undefined;
  /** The title of the tab. */
  tab?: string | undefined;
  children: ReactNode;
}

/** One column with the product's mark: what is shown while nobody is signed in. */
export function Brand({ title, tab = title, children }: BrandProps) {
  useEffect(() => {
    const before = document.title;
    document.title = tab ?? '';
    return () => void (document.title = before);
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

const titleOf = (page: PageInfo | null) => ['Sign in', page?.name].filter(Boolean).join(' · ');

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
    <Brand tab={titleOf(page)}>
      {problem !== null && isSignOutDue() && (
        <p role="alert" className="rounded-md bg-warn-tint p-3 text-warn">
          This page is empty, but your session is not ended yet: the service cannot be reached. It is ended as
          soon as the service answers; keep this page open, or open it again.
        </p>
      )}
      {session === null ? <SignIn /> : <p role="alert">{problem?.message} The page tries again by itself.</p>}
    </Brand>
  );
}

/** Covers the page with a dialog; afterwards the focus returns to where it was. */
function cover(dialog: HTMLDialogElement) {
  dialog.showModal();
  return () => dialog.close();
}

/**
 * The form to sign in again, which covers the page: what was typed there is still there for the same person. A dialog of the
 * browser makes all else inert, also the dialogs of the page.
 */
export function EntryAbove({ page }: Pick<EntryProps, 'page'>) {
  return createPortal(
    <dialog
      ref={cover}
      // A click beside the form leaves the focus here, and not on the page, whose keys would work.
      tabIndex={-1}
      aria-label="Sign in again"
      className="m-0 h-screen max-h-none w-screen max-w-none bg-page text-ink"
      // Escape is not for the dialogs below, and does not uncover the page.
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={(event) => event.preventDefault()}
      onClose={({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal()}
    >
      <Brand tab={titleOf(page)}>
        <p role="status" className="rounded-md bg-warn-tint p-3 text-warn">
          Your session has ended. Sign in again to go on: what you typed is kept.
        </p>
        <SignIn />
      </Brand>
    </dialog>,
    document.body,
  );
}
