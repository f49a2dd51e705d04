import {
  Activity,
  Brain,
  Briefcase,
  Building2,
  FileStack,
  FolderTree,
  History,
  Home,
  Inbox,
  KeyRound,
  ListChecks,
  type LucideIcon,
  Search,
  Settings,
  TrendingUp,
  Upload,
  UserRound,
  Users,
} from 'lucide-react';
import type { Session, Team } from './session.tsx';

/* The pages of the console: names, places in the navigation, and who can open them. `router.tsx` has what they show. */

export type Group = 'top' | 'Library' | 'Work' | 'Team' | 'Company' | null;

export interface PageInfo {
  path: string;
  name: string;
  /** Its place in the navigation; null: it is not there. */
  group: Group;
  icon: LucideIcon;
  /** `g` and then this key opens it. */
  key: string;
  /** Keys that work on it, and what they do. */
  keys?: readonly (readonly [key: string, does: string])[];
  /** Whether it can be shown without a Team. */
  isTeamless?: boolean;
  /** Who can open it; without this, everyone in the Team. */
  seenBy?: (session: Session, team: Team | null) => boolean;
}

type Rest = Pick<PageInfo, 'keys' | 'isTeamless' | 'seenBy'>;

const pages: PageInfo[] = [];
/** The pages in the order of the navigation, which is that of their declarations. */
export const PAGES: readonly PageInfo[] = pages;

/** Declares a page. */
function info(path: string, name: string, group: Group, icon: LucideIcon, key: string, rest?: Rest) {
  const page: PageInfo = { path, name, group, icon, key, ...rest };
  pages.push(page);
  return page;
}

const hasFullAccess = (_: Session, team: Team | null) => team?.access === 'full';
const managesCompany = ({ company }: Session) => company.role !== 'member';
/** An Owner reads the audit of the Company, also without a Team. */
const readsAudit = ({ company }: Session, team: Team | null) =>
  company.role === 'owner' || team?.access === 'full';

const SEARCH_KEYS = [
  ['↑ ↓', 'Next or former result'],
  ['Enter', 'Open it'],
] as const;

const REVIEW_KEYS = [
  ['j', 'Next item'],
  ['k', 'Item before'],
  ['p', 'Publish, or keep'],
  ['e', 'Edit'],
  ['d', 'Discard, or archive'],
  ['s', 'Supersede a memory'],
  ['u', 'Undo the last decision'],
  ['x', 'Select'],
] as const;

export const SEARCH = info('/search', 'Search', 'top', Search, 's', { keys: SEARCH_KEYS });
export const HOME = info('/', 'Home', 'top', Home, 'h');
export const SOURCES = info('/sources', 'Sources', 'Library', FileStack, 'o');
export const MEMORIES = info('/memories', 'Memories', 'Library', Brain, 'm');
export const FILES = info('/files', 'Files', 'Library', FolderTree, 'f');
export const IMPORTS = info('/imports', 'Imports', 'Library', Upload, 'i');
export const REVIEW = info('/review', 'Review', 'Work', ListChecks, 'r', {
  keys: REVIEW_KEYS,
  seenBy: hasFullAccess,
});
export const CAPTURES = info('/captures', 'Captures', 'Work', Inbox, 'c');
export const PEOPLE = info('/people', 'People', 'Team', Users, 'p');
export const CLIENTS = info('/clients', 'Clients', 'Team', Briefcase, 'l');
export const TOKENS = info('/tokens', 'Tokens', 'Team', KeyRound, 't');
export const ACTIVITY = info('/activity', 'Activity', 'Team', TrendingUp, 'y', { seenBy: hasFullAccess });
export const AUDIT = info('/audit', 'Audit', 'Team', History, 'a', { seenBy: readsAudit, isTeamless: true });
export const SETTINGS = info('/settings', 'Settings', 'Team', Settings, ',', { seenBy: hasFullAccess });
export const COMPANY = info('/company', 'Company', 'Company', Building2, 'b', {
  seenBy: managesCompany,
  isTeamless: true,
});
export const JOBS = info('/jobs', 'Jobs', 'Company', Activity, 'j');
export const ACCOUNT = info('/account', 'Your account', null, UserRound, 'u', { isTeamless: true });

export const canOpen = (page: PageInfo, session: Session, team: Team | null): boolean =>
  page.seenBy?.(session, team) ?? true;
