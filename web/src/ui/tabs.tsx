import { type ReactNode, useEffect, useRef } from 'react';
import { HereLink } from './here-link.tsx';

interface Tab {
  /** What the address says of it; undefined: the tab that is shown without saying. */
  value: string | undefined;
  name: ReactNode;
  count?: number | undefined;
}

interface Props {
  label: string;
  /** The parameter of the address. */
  parameter: string;
  value: string | undefined;
  tabs: readonly Tab[];
}

/** Tabs of a page, with counts. Each is a link, so that the tab is in the address. */
export function Tabs({ label, parameter, value, tabs }: Props) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const tab = nav.current?.querySelector<HTMLElement>('[aria-current=page]');
    // Only sideways: the page stays where it is.
    if (nav.current && tab) nav.current.scrollLeft = tab.offsetLeft - nav.current.clientWidth / 2;
    // Counts that are read later make tabs wider.
  }, [value, tabs.map(({ count }) => count).join(' ')]);
  return (
    <nav
      ref={nav}
      aria-label={label}
      // On a phone what does not fit fades out at the edge, where it can be scrolled.
      className="relative mb-3 flex gap-1 overflow-x-auto border-b border-line max-sm:mask-r-from-[calc(100%-2rem)] max-sm:after:w-7 max-sm:after:shrink-0"
    >
      {tabs.map((tab) => (
        <HereLink
          key={tab.value ?? ''}
          to={{ [parameter]: tab.value }}
          aria-current={tab.value === value ? 'page' : undefined}
          className={`-mb-px flex h-9 items-center gap-1.5 border-b-2 px-2 whitespace-nowrap ${tab.value === value ? 'border-brand font-medium' : 'border-transparent text-soft hover:text-ink'}`}
        >
          {tab.name}
          <span className="text-xs text-faint tabular-nums empty:hidden">
            {tab.count?.toLocaleString('en')}
          </span>
        </HereLink>
      ))}
    </nav>
  );
}
