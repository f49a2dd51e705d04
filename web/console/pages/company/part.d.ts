import type { Children } from '../../html.js';
import type { Ask } from '../../parts/ask.js';
import type { CompanyPageProps, Session } from '../../section.d.ts';

/** What a part of the page of the Company gets. */
export interface PartProps {
  ask: Ask;
  session: Session;
  /** Whether the user is an Owner of the Company; otherwise an Admin. */
  owner: boolean;
  link: CompanyPageProps['link'];
  go: CompanyPageProps['go'];
  /** Says what was done. */
  say: (what: Children) => void;
  /** Reads the session again: what the user can reach has changed. */
  changed: () => Promise<void>;
}
