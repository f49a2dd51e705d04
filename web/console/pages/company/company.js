import { html, useLayoutEffect, useMemo, useRef, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { isDone, useAsk } from '../../parts/ask.js';
import { FormDialog } from '../../parts/form-dialog.js';

/** @typedef {(props: import('./part.d.ts').PartProps) => import('../../html.js').Node} View */

/**
 * The parts of the page, each with its own address, and loaded when it is shown.
 * @type {readonly { id: string, name: string, ownerOnly?: boolean, load: () => Promise<View> }[]}
 */
const PARTS = [
  { id: 'teams', name: 'Teams', load: async () => (await import('./teams.js')).Teams },
  { id: 'people', name: 'People', load: async () => (await import('./people.js')).People },
  {
    id: 'invitations',
    name: 'Invitations',
    load: async () => (await import('./invitations.js')).Invitations,
  },
  { id: 'grants', name: 'Grants', load: async () => (await import('./grants.js')).Grants },
  { id: 'requests', name: 'Access requests', load: async () => (await import('./requests.js')).Requests },
  {
    id: 'tokens',
    name: 'Agent tokens',
    ownerOnly: true,
    load: async () => (await import('./tokens.js')).CompanyTokens,
  },
];

/** The part, once it is loaded; or what to do if it could not be. */
const NOT_LOADED = () =>
  html`<p role="alert">This part could not be loaded. Check your connection and reload.</p>`;

/**
 * The page of the Company, for its Owners and Admins. It works without any Team.
 * @param {import('../../section.d.ts').CompanyPageProps} props
 */
export function Page({ session, query, link, go, setTitle, refreshed, lost }) {
  const owner = session.company.role === 'owner';
  const parts = PARTS.filter(({ ownerOnly = false }) => owner || !ownerOnly);
  const part = parts.find(({ id }) => id === query.get('part')) ?? parts[0];
  if (part === undefined) throw new Error('the page has no part');
  const [said, setSaid] = useState(
    /** @type {{ part: string, what: import('../../html.js').Children } | null} */ (null),
  );
  const View = useView(part);
  const { ask, changed } = useCompany({ session, refreshed, lost });
  const shown = part.id;
  useLayoutEffect(() => setTitle(part.name), [shown]);

  const about = { ask, session, owner, link, go, changed };
  return html`
    <div class="page">
      <${CompanyName} ...${about} say=${say} />
      <nav aria-label="Parts of the Company" class="parts">
        <ul>
          ${parts.map(
            ({ id, name }) => html`
              <li key=${id}>
                <a href=${link('/company', { part: id === 'teams' ? null : id })} aria-current=${id === part.id ? 'page' : undefined}>${name}</a>
              </li>
            `,
          )}
        </ul>
      </nav>
      <p class="said" role="status">${said?.part === part.id && said.what}</p>
      ${
        View !== null &&
        html`
          <section class="card" aria-labelledby="part-heading">
            <${View} key=${part.id} ...${about} say=${say} />
          </section>
        `
      }
    </div>
  `;

  /** @param {import('../../html.js').Children} what */
  function say(what) {
    setSaid({ part: shown, what });
  }
}

/**
 * Loads a part.
 * @param {typeof PARTS[number]} part
 * @returns {View | null} null until it is there
 */
function useView(part) {
  const [loaded, setLoaded] = useState(
    /** @type {{ part: typeof PARTS[number], View: View } | null} */ (null),
  );
  useLayoutEffect(() => {
    let wanted = true;
    part.load().then(
      (View) => wanted && setLoaded({ part, View }),
      () => wanted && setLoaded({ part, View: NOT_LOADED }),
    );
    return () => {
      wanted = false;
    };
  }, [part]);
  return loaded?.part === part ? loaded.View : null;
}

/**
 * Requests about the Company, which name no Team. If one is refused for the role of the user, the session is read
 * again, so that the page shows what the user can do now.
 * @param {Pick<import('../../section.d.ts').CompanyPageProps, 'session' | 'refreshed' | 'lost'>} page
 */
function useCompany({ session, refreshed, lost }) {
  const send = useAsk({ session, team: null, lost });
  const given = useRef(refreshed);
  given.current = refreshed;
  return useMemo(() => {
    async function changed() {
      const reply = await send('GET', 'auth/session');
      if (isDone(reply)) given.current(reply.answer);
    }
    /** @type {import('../../parts/ask.js').Ask} */
    async function ask(method, path, body) {
      const reply = await send(method, path, body);
      if (reply.status === 403 && reply.answer?.code === 'company_role_required') void changed();
      return reply;
    }
    return { ask, changed };
  }, [send]);
}

/** @param {import('./part.d.ts').PartProps} props */
function CompanyName({ ask, session, owner, say, changed }) {
  const [open, setOpen] = useState(false);
  const action = useAction(ask);
  /** @param {FormData} fields */
  async function rename(fields) {
    if ((await action.send('PATCH', 'company', { name: fields.get('name') })) === null) return;
    await changed();
    setOpen(false);
    say('The Company is renamed.');
  }
  const close = () => {
    setOpen(false);
    action.clear();
  };
  return html`
    <div class="card bar company-name">
      <p>
        <strong><bdi>${session.company.name}</bdi></strong>${' '}
        <span class="quiet">${owner ? 'You are an Owner of the Company.' : 'You are an Admin of the Company. Owners can change more.'}</span>
      </p>
      ${owner && html`<button type="button" class="small" onClick=${() => setOpen(true)}>Rename the Company</button>`}
      ${
        open &&
        html`
          <${FormDialog} heading="Rename the Company" yes="Rename" act=${rename} ...${action} close=${close}>
            <label for="company-name">Name</label>
            <input id="company-name" name="name" required maxlength="300" defaultValue=${session.company.name} />
          <//>
        `
      }
    </div>
  `;
}
