import type { Session as SessionInTab } from '../../shared/schemas/identity.ts';
import type { Node } from './html.js';

/** The session of this tab, with its token. */
export type Session = SessionInTab;
export type Team = Session['teams'][number];

/** What the console gives to the page that it shows. */
export interface PageProps {
  session: Session;
  team: Team;
  /** The pages that the user can read, in the order of the navigation. */
  sections: readonly Section[];
  /** Sets what the page shows, for the title of the tab. */
  setTitle: (what: string) => void;
  /** Is called with the session when the page has read it again; returns the Team, or null without access to it. */
  refreshed: (read: Omit<Session, 'token'>) => Team | null;
  /** Is called with the answer after which the Team cannot be shown. */
  lost: (reply: { status: number }) => void;
}

/** A page of the console. */
export interface Section {
  path: string;
  /** Its other addresses. */
  also?: string[];
  /** In the navigation, as the heading and in the title. */
  name: string;
  /** Who can read what it requests. */
  seenBy: (session: Session, team: Team | null) => boolean;
  load: () => Promise<{ Page: (props: PageProps) => Node }>;
}
