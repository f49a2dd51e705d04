import { Autocomplete } from '@base-ui/react/autocomplete';
import { useNavigate } from '@tanstack/react-router';
import {
  FilePlus,
  FileText,
  History,
  type LucideIcon,
  Search,
  TextSearch,
  Upload,
  UserPlus,
  Users,
} from 'lucide-react';
import { useState } from 'react';
import { excerptOf, plain, soughtBy } from '../../pages/search/marks.ts';
import { searchBody } from '../../pages/search/query.ts';
import { DialogFrame } from '../../ui/popup-parts.tsx';
import { Name } from '../../ui/text.tsx';
import { useRead } from '../data.ts';
import { canOpen, PAGES } from '../pages.tsx';
import { usePaused } from '../paused.ts';
import { useSessionContext } from '../session.tsx';
import { useRecentSearches } from '../stored.ts';
import { takeTyped } from './typed-ahead.ts';

type Entry = readonly [
  group: 'Search' | 'Sources' | 'Passages' | 'Actions' | 'Pages' | 'Teams',
  icon: LucideIcon,
  value: string,
  to: { to: string; params?: { id: string }; search?: Readonly<Record<string, string>> },
  /** Shown after the name. */
  about?: string,
];

/** The part of a passage with most words of the query. */
function excerptText(passage: string, query: string): string {
  const text = plain(passage);
  const { start, end } = excerptOf(text, soughtBy(query));
  return text.slice(start, end);
}

/** Everything by name: titles of sources, a search, pages, Teams. */
export default function Palette({ onClose }: { onClose: () => void }) {
  return (
    <DialogFrame
      onClose={onClose}
      aria-label="Search and commands"
      className="top-[12vh] left-1/2 w-[min(36rem,calc(100vw-1.5rem))] -translate-x-1/2 overflow-hidden rounded-xl"
    >
      <Entries onClose={onClose} />
    </DialogFrame>
  );
}

function Entries({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const { session, team } = useSessionContext();
  const navigate = useNavigate();
  const words = text.trim();
  // Listing is no search: it leaves no audit event.
  const q = usePaused(words, 120);
  const isAsked = team !== null && q !== '';
  const titles = useRead('listSources', [{ q, limit: 6 }], { enabled: isAsked, keepsLast: true });
  // The page of the search asks the same, so that Enter does not search again.
  const sought = usePaused(words, 600);
  const passages = useRead('searchMemory', [searchBody({ q: sought })], {
    enabled: team !== null && sought !== '',
    isOnce: true,
  });
  const [recent, addRecent] = useRecentSearches();
  function open([, , , to]: Entry) {
    const query = to.search?.['q'];
    if (query !== undefined) addRecent(query);
    onClose();
    void navigate(to as never);
  }
  const searchFor = (q: string): Entry => {
    const [icon, value] = words === '' ? [History, q] : [Search, `Search for “${q}”`];
    return ['Search', icon, value, { to: '/search', search: { q } }];
  };
  const canWrite = team?.state === 'active' && team.access !== 'read';
  const canInvite = canWrite && team.access === 'full';
  const searches = team === null ? [] : words === '' ? recent.slice(0, 5) : [words];
  const named: readonly (Entry | false)[] = [
    canWrite && ['Actions', FilePlus, 'New note', { to: '/sources', search: { new: '1' } }],
    canWrite && ['Actions', Upload, 'Import files', { to: '/imports' }],
    canInvite && ['Actions', UserPlus, 'Invite someone', { to: '/people', search: { invite: '1' } }],
    ...PAGES.filter((page) => canOpen(page, session, team)).map(
      ({ path, name, icon }): Entry => ['Pages', icon, name, { to: path }],
    ),
    ...session.teams
      .filter(({ id }) => id !== team?.id)
      .map(({ id, name }): Entry => ['Teams', Users, name, { to: '/', search: { team: id } }]),
  ];
  const entries: readonly Entry[] = [
    ...searches.map(searchFor),
    ...(words.length < 2 ? [] : (titles.data?.items ?? [])).map(
      ({ id, title }): Entry => ['Sources', FileText, title, { to: '/sources/$id', params: { id } }],
    ),
    ...(passages.data?.hits.slice(0, 5) ?? []).map((hit): Entry => {
      const to = { to: '/sources/$id', params: { id: hit.source_id }, search: { chunk: hit.chunk_id } };
      return ['Passages', TextSearch, hit.title, to, excerptText(hit.text, words)];
    }),
    ...named
      .filter((one) => one !== false)
      .filter(([, , value]) => value.toLowerCase().includes(words.toLowerCase())),
  ];
  return (
    <Autocomplete.Root
      items={entries}
      value={text}
      onValueChange={setText}
      filter={null}
      itemToStringValue={([, , value]: Entry) => value}
      autoHighlight="always"
      inline
      open
    >
      <Autocomplete.Input
        placeholder="Search, or go to …"
        aria-label="Search, or go to a page"
        onFocus={() => {
          const ahead = takeTyped();
          const query = ahead.text.trim();
          if (ahead.isEntered && query !== '') open(searchFor(query));
          else if (ahead.text !== '') setText(ahead.text);
        }}
        className="h-12 w-full border-b border-line bg-panel px-4 text-lg outline-none"
      />
      <Autocomplete.List className="max-h-[50vh] overflow-y-auto p-1.5">
        {entries.map((entry, index) => {
          const [group, Icon, value, , about] = entry;
          return (
            <Autocomplete.Item
              key={`${group} ${index}`}
              value={entry}
              onClick={() => open(entry)}
              className="flex h-9 items-center gap-2.5 rounded-md px-2.5 data-highlighted:bg-hover"
            >
              <Icon aria-hidden size={16} className="shrink-0 text-faint" />
              <span className="min-w-0 grow truncate">
                <Name>{value}</Name>
                {about && <Name className="ml-2 text-sm text-faint">{about}</Name>}
              </span>
              <span className="shrink-0 text-xs text-faint">{group}</span>
            </Autocomplete.Item>
          );
        })}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}
