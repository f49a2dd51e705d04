import { useMatches } from '@tanstack/react-router';
import { type ReactNode, use, useEffect, useRef } from 'react';
import { SessionContext } from '../app/session.tsx';

interface Props {
  /** Without it, the name that the page has in the navigation. */
  title?: ReactNode;
  /** What the title of the tab says that this page shows; without it, `title` if that is a text. */
  shows?: string;
  /** How many records there are. */
  total?: number | null;
  /** The primary action, and a menu of others. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page: one line with its title, its count and its actions, and below it what it shows. */
export function Page({ title: given, shows, total, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const section = useMatches().findLast(({ staticData }) => staticData.page !== undefined)?.staticData.page
    ?.name;
  const title = given ?? section;
  const team = use(SessionContext)?.team?.name;
  const what = shows ?? (typeof title === 'string' ? title : '');
  useEffect(() => {
    document.title = [...new Set([what, section, team])].filter(Boolean).join(' · ');
  }, [what, section, team]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <div className="sticky top-0 z-20 flex min-h-13 items-center gap-2 border-b border-line bg-page px-4 py-2 max-md:static md:px-8">
        <div className="flex min-w-0 items-baseline gap-2">
          <h1 ref={heading} tabIndex={-1} className="min-w-0 truncate text-lg font-semibold">
            {title}
          </h1>
          <span className="text-faint tabular-nums">{total?.toLocaleString('en')}</span>
        </div>
        <div className="ml-auto flex items-center gap-2">{actions}</div>
      </div>
      <div className="px-4 py-4 md:px-8">{children}</div>
    </>
  );
}
