import type { Session as SessionInTab } from '../../shared/schemas/accounts.ts';
import type { Node } from './html.js';

/** The session of this tab, with its token. */
export type Session = SessionInTab;
export type Team = Session['teams'][number];

/** What the console gives to the page that it shows. */
export interface PageProps {
  session: Session;
  team: Team;
  /** The id of the record that the address names, on a page of records; null: all of them. */
  record: string | null;
  /** What else the address names, such as filters. */
  query: URLSearchParams;
  /** The link to a page, with the Team that is shown. null and '' in the query are left out. */
  link: (path: string, query?: Readonly<Record<string, string | null>>) => string;
  /** Shows another address of the console; `replace`: in place of the present one in the history. */
  go: (href: string, replace?: boolean) => void;
  /** The pages that the user can read, in the order of the navigation. */
  sections: readonly Section[];
  /** Sets what the page shows, for the title of the tab. */
  setTitle: (what: string) => void;
  /** Is called with the session when the page has read it again; returns the Team, or null without access to it. */
  refreshed: (read: Omit<Session, 'token'>) => Team | null;
  /** Is called with the answer after which the Team cannot be shown. */
  lost: (reply: { status: number }) => void;
}

/** The same for a page of the Company, which needs no Team. */
export type CompanyPageProps = Omit<PageProps, 'team'> & { team: Team | null };

/** A page of the console. */
export interface Section {
  path: string;
  /** Its other addresses. */
  also?: string[];
  /** Whether `<path>/<id>` opens one record. */
  hasRecords?: boolean;
  /** Whether it is about the Company, so that it needs no Team. */
  ofCompany?: boolean;
  /** Whether it is about the user, so that it needs no Team: the name of the user leads to it, not the navigation. */
  ofUser?: boolean;
  /** Whether it is the same in every Team, so that it does not begin again when the Team changes. */
  sameInEveryTeam?: boolean;
  /** In the navigation, as the heading and in the title. */
  name: string;
  /** Who can read what it requests. */
  seenBy: (session: Session, team: Team | null) => boolean;
  load: () => Promise<{ Page: ((props: PageProps) => Node) | ((props: CompanyPageProps) => Node) }>;
}
