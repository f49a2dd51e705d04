import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, LogOut, Menu as MenuIcon, Search, UserRound } from 'lucide-react';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/form-dialog.tsx';
import { lazyOr } from '../../ui/lazy.ts';
import mark from '../../ui/mark.svg?inline';
import { Menu, MenuChoice, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { GONE } from '../../ui/states.tsx';
import { Name, TeamName } from '../../ui/text.tsx';
import { sayFailure, ToastArea } from '../../ui/toast.tsx';
import { losesWork } from '../leaving.ts';
import { canOpen, type Group, PAGES, type PageInfo } from '../pages.tsx';
import { keepTyping, takeTyped } from '../palette/typed-ahead.ts';
import { signOut, useSession, useSessionContext } from '../session.tsx';
import { THEMES, useTheme } from '../theme.ts';
import { DropZone } from './drop-zone.tsx';
import { StateLine, useCounts } from './state-line.tsx';

/** In place of a dialog that could not be loaded: it closes again, and the page below stays with what is written on it. */
function Unloaded({ onClose }: { onClose: () => void }) {
  useEffect(() => {
    takeTyped();
    sayFailure(GONE);
    onClose();
  });
  return null;
}

const Palette = lazyOr(() => import('../palette/palette.tsx'), Unloaded);
const KeyList = lazyOr(() => import('./key-list.tsx'), Unloaded);

const GROUPS: readonly Group[] = ['top', 'Library', 'Work', 'Team', 'Company'];

/** The navigation at the left, the page beside it, the palette above, and what `say` says. */
export function Shell({ page, children }: { page: PageInfo | null; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const [dialog, setDialog] = useState<'palette' | 'keys' | null>(null);
  const { pathname } = useLocation();
  const [openedAt, setOpenedAt] = useState(pathname);
  // The menu of a phone closes when it has led to a page.
  if (openedAt !== pathname) {
    setOpenedAt(pathname);
    setOpen(false);
  }
  const openPalette = () => {
    if (dialog !== 'palette') keepTyping(() => setDialog(null));
    setDialog('palette');
  };
  useKeys(openPalette, () => setDialog('keys'));
  return (
    <div className="md:grid md:grid-cols-[220px_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:bg-panel focus:p-3"
      >
        Skip to the content
      </a>
      <div className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b border-line bg-side px-2 md:hidden">
        <IconButton icon={MenuIcon} label="Menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} />
        <TeamSwitcher />
        <IconButton icon={Search} label="Search and commands" onClick={openPalette} />
      </div>
      <nav
        aria-label="Console"
        className={`z-30 flex-col overflow-y-auto border-line bg-side p-2 max-md:fixed max-md:inset-x-0 max-md:top-13 max-md:bottom-0 md:sticky md:top-0 md:flex md:h-screen md:border-r ${isOpen ? 'flex' : 'max-md:hidden'}`}
        onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
      >
        <div className="max-md:hidden">
          <TeamSwitcher />
        </div>
        <Navigation page={page} />
        <Person />
      </nav>
      <main id="content" className="min-w-0">
        <StateLine />
        {children}
      </main>
      <Suspense>
        {dialog === 'palette' && <Palette onClose={() => setDialog(null)} />}
        {dialog === 'keys' && <KeyList page={page} onClose={() => setDialog(null)} />}
      </Suspense>
      <DropZone />
      <ToastArea />
    </div>
  );
}

const ITEM = 'flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-left';

/** The name of the Team, with a menu of the others. */
function TeamSwitcher() {
  const { session, team } = useSessionContext();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  // A record belongs to its Team; the list of such records is in every Team.
  const path = `/${pathname.split('/')[1] ?? ''}`;
  const name = team?.name ?? session.company.name;
  const choose = (id: string) => navigate({ to: path, search: { team: id } } as never);
  const button = (
    <button
      type="button"
      className="flex h-10 w-full min-w-0 grow items-center gap-2 rounded-md px-1.5 text-left hover:bg-hover"
    >
      <img src={mark} alt="" width={20} height={20} />
      <span className="min-w-0 grow truncate font-semibold" title={name}>
        <span className="sr-only">Team: </span>
        <Name>{name}</Name>
      </span>
      <ChevronsUpDown aria-hidden size={14} className="text-faint" />
    </button>
  );
  const options = session.teams.map((one) => ({ value: one.id, name: <TeamName team={one} /> }));
  return (
    <Menu align="start" trigger={button}>
      <MenuChoice label="Teams" value={team?.id ?? ''} options={options} onChange={(id) => void choose(id)} />
    </Menu>
  );
}

function Navigation({ page }: { page: PageInfo | null }) {
  const { session, team } = useSessionContext();
  const counts = useCounts();
  return (
    <div className="flex grow flex-col gap-3 py-2">
      {GROUPS.map((group) => {
        const pages = PAGES.filter((one) => one.group === group && canOpen(one, session, team));
        if (pages.length === 0) return null;
        return (
          <div key={group} role="group" aria-label={group === 'top' ? 'Main' : (group ?? '')}>
            {group !== 'top' && <p className="px-2 pb-1 text-xs font-medium text-faint">{group}</p>}
            {pages.map(({ path, name, icon: Icon }) => (
              <Link
                key={path}
                to={path}
                aria-current={page?.path === path ? 'page' : undefined}
                className={`${ITEM} ${page?.path === path ? 'bg-hover font-medium text-ink' : 'text-soft hover:bg-hover hover:text-ink'}`}
              >
                <Icon aria-hidden size={16} />
                <span className="grow">{name}</span>
                <span className="text-xs text-faint tabular-nums empty:hidden">
                  {counts[path] ? counts[path].toLocaleString('en') : null}
                </span>
              </Link>
            ))}
          </div>
        );
      })}
    </div>
  );
}

/** The person, with account, theme and sign-out. */
function Person() {
  const { user, company } = useSession();
  const navigate = useNavigate();
  const [theme, setTheme] = useTheme();
  const [isAsking, setAsking] = useState(false);
  const button = (
    <button type="button" className={`${ITEM} h-11 hover:bg-hover`}>
      <span
        aria-hidden
        className="grid size-6 shrink-0 place-items-center rounded-full bg-tint text-xs font-semibold text-brand"
      >
        {[...user.name][0]?.toUpperCase()}
      </span>
      <span className="min-w-0 grow truncate">
        <span className="sr-only">Account of </span>
        <Name>{user.name}</Name>
      </span>
    </button>
  );
  return (
    <>
      <Menu align="start" trigger={button}>
        <p className="max-w-64 truncate px-2 py-1 text-sm text-faint">
          <Name>{user.email}</Name>
          <br />
          <Name>{company.name}</Name>
        </p>
        <MenuLine />
        <MenuChoice label="Theme" value={theme} options={THEMES} onChange={setTheme} />
        <MenuLine />
        <MenuItem icon={UserRound} onClick={() => void navigate({ to: '/account' })}>
          Your account
        </MenuItem>
        <MenuItem icon={LogOut} onClick={() => (losesWork() ? setAsking(true) : void signOut())}>
          Sign out
        </MenuItem>
      </Menu>
      {isAsking && (
        <Confirm
          onClose={() => setAsking(false)}
          title="Sign out?"
          action="Sign out"
          onConfirm={() => void signOut()}
        >
          Files are still being sent, or a change is not saved. Signing out stops that.
        </Confirm>
      )}
    </>
  );
}

/** How long g waits for a letter. */
const LETTER_MS = 1500;

/** Whether a key is for what has the focus: a field, or a dialog. */
const isTaken = ({ target }: KeyboardEvent) =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable], dialog, [role="dialog"], [role="menu"]') !==
    null;

/** The keys that work on every page: Ctrl+K and / open the palette, ? the list of keys, g and a letter a page. */
function useKeys(openPalette: () => void, openHelp: () => void): void {
  const navigate = useNavigate();
  const { session, team } = useSessionContext();
  /** When g was pressed. */
  const pressedG = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    function press(event: KeyboardEvent) {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return openPalette();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
      const waits = performance.now() - pressedG.current < LETTER_MS;
      const page = waits ? PAGES.find(({ key }) => key === event.key.toLowerCase()) : undefined;
      pressedG.current = event.key === 'g' && !waits ? performance.now() : Number.NEGATIVE_INFINITY;
      if (page !== undefined && canOpen(page, session, team)) void navigate({ to: page.path } as never);
      else if (event.key === '/') {
        event.preventDefault();
        openPalette();
      } else if (event.key === '?') openHelp();
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate, openPalette, openHelp, session, team]);
}
