import { html, useLayoutEffect, useMemo, useRef } from '../../html.js';
import { isDone, useAsk } from '../../parts/ask.js';
import { SearchField } from '../../parts/list.js';

/**
 * @typedef {import('../../parts/ask.js').Ask} Ask
 * @typedef {import('../../parts/ask.js').Reply} Reply
 *
 * What a user can do about the people and clients of a Team. `manages`: remove and revoke, in an archived Team too.
 * `changes`: everything else that Full access permits. `appoints`: whatever concerns a Team Owner.
 * @typedef {{ manages: boolean, changes: boolean, appoints: boolean }} Rights
 *
 * What the views of a page get: its props, requests, rights, and `reread`, which reads the session again.
 * @typedef {import('../../section.d.ts').PageProps & { ask: Ask, rights: Rights, reread: () => Promise<void> }} TeamPage
 */

/** The refusals after which the rights of the user, or the state of the Team, are not those that the page shows. */
const OUTDATED = new Set(['full_access_required', 'forbidden', 'team_archived']);

/**
 * Adds to the props of a page what its views need.
 * @param {import('../../section.d.ts').PageProps} props
 * @returns {TeamPage}
 */
export function useTeamPage(props) {
  const { session, team } = props;
  const plainAsk = useAsk(props);
  const given = useRef(props);
  given.current = props;
  const requests = useMemo(() => {
    async function reread() {
      const reply = await plainAsk('GET', 'auth/session');
      if (!isDone(reply)) return;
      /** @type {{ id: string }[]} */
      const teams = reply.answer.teams;
      // `lost` tells the user why the Team is no longer shown.
      if (teams.some(({ id }) => id === team.id)) given.current.refreshed(reply.answer);
      else given.current.lost({ status: 403 });
    }
    /** @type {Ask} */
    async function ask(method, path, body) {
      const reply = await plainAsk(method, path, body);
      if (OUTDATED.has(reply.answer?.code)) await reread();
      return reply;
    }
    return { ask, reread };
  }, [plainAsk]);
  const manages = team.access === 'full';
  const rights = {
    manages,
    changes: manages && team.state === 'active',
    appoints: session.company.role === 'owner' || team.role === 'owner',
  };
  return { ...props, ...requests, rights };
}

/**
 * Sets the title of the tab.
 * @param {TeamPage} page
 * @param {string} what
 */
export function useTitle({ setTitle }, what) {
  useLayoutEffect(() => setTitle(what), [what]);
}

/**
 * Reads the rest of a list while it is filtered, so that the filter finds everything.
 * @param {Pick<import('../../parts/list.js').List<unknown>, 'next' | 'busy' | 'problem' | 'more'>} list
 * @param {boolean} isFiltered
 */
export function useRest(list, isFiltered) {
  useLayoutEffect(() => {
    if (isFiltered && list.next !== null && !list.busy && list.problem === '') void list.more();
  });
}

/**
 * Whether one of the texts contains what is sought, in any case.
 * @param {string} sought
 * @param {readonly string[]} texts
 */
export function matches(sought, texts) {
  const folded = sought.trim().toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(folded));
}

/**
 * A field that filters what is shown. It lives in the address.
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {string} props.path of the page
 * @param {string} props.name its name in the address
 * @param {string} props.label
 */
export function Filter({ page, path, name, label }) {
  const { query, link, go } = page;
  /** @param {string} text */
  const show = (text) => go(link(path, { ...Object.fromEntries(query), [name]: text }), true);
  return html`
    <div class="filter">
      <${SearchField} id=${`filter-${name}`} label=${label} value=${query.get(name) ?? ''} show=${show} />
    </div>
  `;
}
