import { useLeaveQuestion } from '../../address.js';
import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { useAll } from '../../parts/all.js';
import { useAsk } from '../../parts/ask.js';
import { CommandLine } from '../../parts/copy.js';
import { Moment } from '../../parts/words.js';
import { Connect, NO_TOKEN } from './connect.js';
import { NewToken } from './new-token.js';
import { TokenList } from './token-list.js';

/**
 * @typedef {import('../../section.d.ts').PageProps} PageProps
 * @typedef {import('../../../../shared/schemas/tokens.ts').IssuedToken} IssuedToken
 * @typedef {import('../../html.js').Children} Children
 */

/**
 * Agent tokens: the user's own, those of the Team, and how programs are connected with them.
 * @param {PageProps} props
 */
export function Page(props) {
  const { session, team, query, link, setTitle } = props;
  const ask = useAsk(props);
  const parts = [
    { id: 'own', name: 'Your tokens' },
    ...(team.access === 'full' ? [{ id: 'team', name: 'Tokens of the Team' }] : []),
    { id: 'connect', name: 'Connect' },
  ];
  const part = parts.find(({ id }) => id === query.get('part')) ?? { id: 'own', name: 'Your tokens' };
  const [said, setSaid] = useState(/** @type {{ part: string, what: Children } | null} */ (null));
  const [creating, setCreating] = useState(false);
  const [issued, setIssued] = useState(/** @type {IssuedToken | null} */ (null));
  /** Counts what was created, so that the list is read again. */
  const [created, setCreated] = useState(0);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const teams = session.teams.filter(({ state }) => state === 'active');
  useLayoutEffect(() => setTitle(part.name), [part.id]);
  // A secret is shown where it was made, and nowhere else.
  useLayoutEffect(() => setIssued(null), [part.id]);

  const say = (/** @type {Children} */ what) => setSaid({ part: part.id, what });
  /** @param {IssuedToken} made */
  function create(made) {
    setCreating(false);
    setCreated(created + 1);
    setIssued(made);
  }
  function closeIssued() {
    setIssued(null);
    heading.current?.focus();
  }
  const button = html`<button type="button" class="fit" onClick=${() => setCreating(true)}>Create a token</button>`;

  return html`
    <div class="page">
      <nav aria-label="Parts of the page" class="parts">
        <ul>
          ${parts.map(
            ({ id, name }) => html`
              <li key=${id}>
                <a href=${link('/tokens', { part: id === 'own' ? null : id })} aria-current=${id === part.id ? 'page' : undefined}>${name}</a>
              </li>
            `,
          )}
        </ul>
      </nav>
      <p class="said" role="status">${said?.part === part.id && said.what}</p>
      ${issued !== null && html`<${Issued} issued=${issued} close=${closeIssued} />`}
      <section class="card" aria-labelledby="part-heading">
        <div class="bar">
          <h2 id="part-heading" tabindex="-1" ref=${heading}>${part.name}</h2>
          ${part.id === 'own' && teams.length > 0 && button}
        </div>
        ${part.id === 'own' && html`<${OwnTokens} key=${created} page=${props} ask=${ask} say=${say} rotated=${setIssued} canCreate=${teams.length > 0} />`}
        ${part.id === 'team' && html`<${TeamTokens} ask=${ask} session=${session} say=${say} />`}
        ${
          part.id === 'connect' &&
          html`
            <p class="quiet">
              A program gets a token of yours, which has fewer rights than you. In the lines below, write it in place of${' '}
              <code>${NO_TOKEN}</code>. Right after you <a href=${link('/tokens')}>create a token</a>, the lines contain it already.
            </p>
            <${Connect} token=${NO_TOKEN} />
          `
        }
      </section>
      ${creating && html`<${NewToken} page=${props} teams=${teams} close=${() => setCreating(false)} done=${create} />`}
    </div>
  `;
}

/** @param {{ page: PageProps, ask: import('../../parts/ask.js').Ask, say: (what: Children) => void, rotated: (issued: IssuedToken) => void, canCreate: boolean }} props */
function OwnTokens({ page: { session, team, link }, ask, say, rotated, canCreate }) {
  /** @type {ReturnType<typeof useAll<{ id: string, name: string }>>} */
  const clients = useAll(ask, 'team/clients');
  /** @param {readonly string[]} ids @param {string} teamId */
  function clientsOf(ids, teamId) {
    if (teamId !== team.id) return null;
    const names = ids.flatMap((id) => clients.items?.find((client) => client.id === id)?.name ?? []);
    if (names.length === 0) return null;
    return html`${names.map((name, index) => html`${index > 0 && ', '}<bdi>${name}</bdi>`)}${names.length < ids.length && ` and ${ids.length - names.length} more`}`;
  }
  return html`
    <p class="quiet">
      With an agent token, a program acts for you in one Team, with the permissions that you choose.${' '}
      <a href=${link('/tokens', { part: 'connect' })}>How to connect a program</a>
    </p>
    <${TokenList} ask=${ask} path="auth/tokens" say=${say} rotated=${rotated} clientsOf=${clientsOf}
      empty=${html`<p>You have no token yet. ${canCreate ? 'Create one to connect an agent or a script.' : 'A token needs a Team that is not archived.'}</p>`}
      teamOf=${(/** @type {string} */ id) => {
        const found = session.teams.find((mine) => mine.id === id);
        return found === undefined ? 'a Team that you no longer reach' : html`<bdi>${found.name}</bdi>`;
      }} />
  `;
}

/** @param {{ ask: import('../../parts/ask.js').Ask, session: import('../../section.d.ts').Session, say: (what: Children) => void }} props */
function TeamTokens({ ask, session, say }) {
  /** @type {ReturnType<typeof useAll<{ userId: string, name: string }>>} */
  const members = useAll(ask, 'team/members');
  /** @param {string} userId */
  function ownerOf(userId) {
    if (userId === session.user.id) return 'you';
    if (members.items === null) return '…';
    const found = members.items.find((member) => member.userId === userId);
    return found === undefined ? 'someone who is not a member of the Team' : html`<bdi>${found.name}</bdi>`;
  }
  return html`
    <p class="quiet">The tokens that people have made for programs in this Team. Each can do no more than its owner.</p>
    <${TokenList} ask=${ask} path="team/tokens" say=${say} ownerOf=${ownerOf} empty=${html`<p>Nobody has made a token for this Team yet.</p>`} />
  `;
}

/**
 * A new secret, which is shown only until it is closed, with the lines that contain it.
 * @param {{ issued: IssuedToken, close: () => void }} props
 */
function Issued({ issued: { record, token }, close }) {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  /** The secret that was copied last. */
  const [copied, setCopied] = useState('');
  useLayoutEffect(() => heading.current?.focus(), [token]);
  // Another part of this page does not show it either.
  useLeaveQuestion(
    copied === token ? '' : 'The token is shown only now, and you have not copied it. Leave all the same?',
    () => true,
  );
  return html`
    <section class="card issued" aria-labelledby="issued-heading">
      <h2 id="issued-heading" tabindex="-1" ref=${heading}>Copy the token now</h2>
      <p>
        This is the secret of <bdi>${record.name}</bdi>. It is shown only now: the service keeps no copy. It expires <${Moment} at=${record.expiresAt} />.
      </p>
      <${CommandLine} label="token" line=${token} copied=${() => setCopied(token)} />
      <h3>Connect a program with it</h3>
      <${Connect} token=${token} />
      <div class="actions"><button type="button" class="fit" onClick=${close}>I have copied it</button></div>
    </section>
  `;
}
