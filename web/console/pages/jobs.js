import { openBoard } from '../../dashboard/board.js';
import { html, useLayoutEffect, useMemo, useRef } from '../html.js';
import { JobsContent } from './jobs-content.js';

/**
 * The page of jobs. Its content is not made of components: the board changes the elements itself, so they are rendered
 * only once, and again for each Team.
 * @param {import('../section.d.ts').PageProps} props
 */
export function Page({ session, team, setTitle, refreshed, lost }) {
  const content = useMemo(() => html`<${JobsContent} />`, []);
  /** The board is opened once, and calls what the page was given last. */
  const given = useRef({ setTitle, refreshed, lost });
  given.current = { setTitle, refreshed, lost };
  useLayoutEffect(() => {
    const board = openBoard(
      { token: session.token, user: session.user, team },
      {
        title: (what) => given.current.setTitle(what),
        session: (now) => given.current.refreshed(now),
        ended: (reply) => given.current.lost(reply),
      },
    );
    return () => board.close();
  }, []);
  return content;
}
