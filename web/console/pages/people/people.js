import { html, useLayoutEffect, useState } from '../../html.js';
import { Members } from './members.js';
import { useTeamPage } from './team-page.js';

/** @typedef {import('./team-page.js').TeamPage} TeamPage */
/** @typedef {(props: { page: TeamPage }) => import('../../html.js').Node} View */

/**
 * The views of the page, in their order. All but the first are loaded when they are opened.
 * @type {readonly { view: string, name: string, load: (() => Promise<{ View: View }>) | null }[]}
 */
const VIEWS = [
  { view: '', name: 'Members', load: null },
  { view: 'access', name: 'Access to clients', load: () => import('./access.js') },
  { view: 'team', name: 'Team settings', load: () => import('./team-settings.js') },
];

/**
 * The page of the people in a Team.
 * @param {import('../../section.d.ts').PageProps} props
 */
export function Page(props) {
  const page = useTeamPage(props);
  const named = props.query.get('view') ?? '';
  const shown = VIEWS.find(({ view }) => view === named) ?? VIEWS[0];
  if (shown === undefined) throw new Error('the page has no view');
  const { View, failed } = useView(shown);
  return html`
    <div class="page people">
      <nav aria-label="People">
        <ul>
          ${VIEWS.map(
            ({ view, name }) => html`
              <li key=${view}>
                <a href=${page.link('/people', { view })} aria-current=${view === shown.view ? 'page' : undefined}>${name}</a>
              </li>
            `,
          )}
        </ul>
      </nav>
      ${
        failed
          ? html`<p class="notice" role="alert">This part of the page could not be loaded. Check your connection and reload.</p>`
          : View !== null && html`<${View} key=${shown.view} page=${page} />`
      }
    </div>
  `;
}

/**
 * Loads the script of a view.
 * @param {(typeof VIEWS)[number]} shown
 * @returns {{ View: View | null, failed: boolean }}
 */
function useView({ view, load }) {
  const [loaded, setLoaded] = useState(/** @type {{ view: string, View: View | null } | null} */ (null));
  useLayoutEffect(() => {
    let wanted = true;
    load?.().then(
      ({ View }) => wanted && setLoaded({ view, View }),
      () => wanted && setLoaded({ view, View: null }),
    );
    return () => {
      wanted = false;
    };
  }, [view]);
  if (load === null) return { View: Members, failed: false };
  if (loaded?.view !== view) return { View: null, failed: false };
  return { View: loaded.View, failed: loaded.View === null };
}
