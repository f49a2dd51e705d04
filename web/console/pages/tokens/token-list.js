import { html, useState } from '../../html.js';
import { useAction, useFocus } from '../../parts/action.js';
import { Question } from '../../parts/dialog.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { ListEnd, useList } from '../../parts/list.js';
import { count, Moment } from '../../parts/words.js';

/**
 * @typedef {import('../../../../shared/schemas/tokens.ts').Token} Token
 * @typedef {import('../../../../shared/schemas/tokens.ts').IssuedToken} IssuedToken
 * @typedef {import('../../html.js').Children} Children
 */

const DAY_MS = 86_400_000;
/** So long before its end, an active token is marked. */
const SOON_DAYS = 14;

/**
 * Agent tokens in any state, newest first, which can be revoked.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {string} props.path of the list, such as auth/tokens; the tokens are below it
 * @param {Children} props.empty what is shown without any
 * @param {(what: Children) => void} props.say
 * @param {(userId: string) => Children} [props.ownerOf] the name of its owner; without it, all are the user's own
 * @param {(teamId: string) => Children} [props.teamOf] the name of its Team, if they are for several
 * @param {(clientIds: readonly string[], teamId: string) => Children} [props.clientsOf] the names of clients
 * @param {(issued: IssuedToken) => void} [props.rotated] is called with a new secret; without it, they cannot be rotated
 */
export function TokenList({ ask, path, empty, say, ownerOf, teamOf, clientsOf, rotated }) {
  /** @type {import('../../parts/list.js').List<Token>} */
  const list = useList(ask, path);
  const [open, setOpen] = useState(/** @type {{ act: 'rotate' | 'revoke', token: Token } | null} */ (null));
  const focus = useFocus();
  const close = () => setOpen(null);

  /** @param {Token} token */
  function revoked({ id, name }) {
    list.change((items) => items.map((item) => (item.id === id ? { ...item, state: 'revoked' } : item)));
    close();
    say(html`The token <bdi>${name}</bdi> is revoked.`);
    focus(`row-${id}`);
  }
  /** @param {IssuedToken} issued */
  function renewed(issued) {
    list.change((items) => items.map((item) => (item.id === issued.record.id ? issued.record : item)));
    close();
    rotated?.(issued);
  }

  return html`
    ${list.items?.length === 0 && empty}
    <ul class="records">
      ${list.items?.map(
        (token) => html`
          <li key=${token.id} class="record-row" data-state=${token.state}>
            <div>
              <h3 id=${`row-${token.id}`} tabindex="-1"><bdi>${token.name}</bdi>${' '}<${State} token=${token} /></h3>
              <ul class="facts">
                ${ownerOf !== undefined && html`<li>of ${ownerOf(token.userId)}</li>`}
                ${teamOf !== undefined && html`<li>for ${teamOf(token.teamId)}</li>`}
                <li>${reachOf(token, clientsOf)}</li>
                <li>made <${Moment} at=${token.createdAt} /></li>
                ${token.state !== 'revoked' && html`<li>${token.state === 'expired' ? 'expired' : 'expires'} <${Moment} at=${token.expiresAt} /></li>`}
                <li>
                  ${
                    token.lastUsedAt === null
                      ? 'never used'
                      : html`used <${Moment} at=${token.lastUsedAt} />${token.lastUsedFrom !== null && html` from <bdi>${token.lastUsedFrom}</bdi>`}`
                  }
                </li>
              </ul>
              <ul class="permissions" aria-label="Permissions">
                ${token.permissions.map((name) => html`<li key=${name}><code>${name}</code></li>`)}
              </ul>
            </div>
            ${
              token.state === 'active' &&
              html`
                <div class="actions">
                  ${
                    rotated !== undefined &&
                    html`
                      <button type="button" class="small" onClick=${() => setOpen({ act: 'rotate', token })}>
                        Rotate<span class="unseen"> – <bdi>${token.name}</bdi></span>
                      </button>
                    `
                  }
                  <button type="button" class="small danger" onClick=${() => setOpen({ act: 'revoke', token })}>
                    Revoke<span class="unseen"> – <bdi>${token.name}</bdi></span>
                  </button>
                </div>
              `
            }
          </li>
        `,
      )}
    </ul>
    <${ListEnd} list=${list} one="token" />
    ${open?.act === 'revoke' && html`<${Revoke} ask=${ask} path=${path} token=${open.token} close=${close} done=${revoked} />`}
    ${open?.act === 'rotate' && html`<${Rotate} ask=${ask} token=${open.token} close=${close} done=${renewed} reload=${list.reload} />`}
  `;
}

/** @param {{ token: Token }} props */
function State({ token: { state, expiresAt } }) {
  if (state !== 'active') return html`<span class="tag">${state}</span>`;
  const days = Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS);
  return (
    days <= SOON_DAYS &&
    html`<span class="tag soon">${days <= 1 ? 'expires within a day' : `expires in ${days} days`}</span>`
  );
}

/**
 * Which layers a token reaches.
 * @param {Token} token
 * @param {((clientIds: readonly string[], teamId: string) => Children) | undefined} clientsOf
 */
function reachOf({ clientIds, teamId }, clientsOf) {
  if (clientIds === null) return 'every client in reach';
  if (clientIds.length === 0) return 'the Team layer only';
  return html`the Team layer and ${clientsOf?.(clientIds, teamId) ?? count(clientIds.length, 'client')}`;
}

/** @param {{ ask: import('../../parts/ask.js').Ask, path: string, token: Token, close: () => void, done: (token: Token) => void }} props */
function Revoke({ ask, path, token, close, done }) {
  const action = useAction(ask);
  async function revoke() {
    if ((await action.send('DELETE', `${path}/${token.id}`)) !== null) done(token);
  }
  return html`
    <${Question} heading="Revoke the token?" yes="Revoke the token" act=${revoke} ...${action} close=${close}>
      <p>Every program that uses <bdi>${token.name}</bdi> is refused from its next request on. Nobody can undo this.</p>
    <//>
  `;
}

/**
 * @param {{ ask: import('../../parts/ask.js').Ask, token: Token, close: () => void, done: (issued: IssuedToken) => void,
 *   reload: () => Promise<void> }} props
 */
function Rotate({ ask, token, close, done, reload }) {
  const action = useAction(ask);
  /** @param {FormData} fields */
  async function rotate(fields) {
    const body = { overlapHours: Number(fields.get('overlap')) };
    const reply = await action.send('POST', `auth/tokens/${token.id}/rotate`, body);
    if (reply !== null) return done(reply.answer);
    // It has expired or was revoked in between.
    void reload();
  }
  return html`
    <${FormDialog} heading="Rotate the token" yes="Make a new secret" act=${rotate} ...${action} close=${close}>
      <p><bdi>${token.name}</bdi> gets a new secret. It keeps its permissions, and expires when it would have expired.</p>
      <label for="overlap">The old secret works for</label>
      <select id="overlap" name="overlap" aria-describedby="overlap-hint">
        <option value="0">no longer</option>
        <option value="1">1 more hour</option>
        <option value="24">24 more hours</option>
        <option value="72">72 more hours</option>
      </select>
      <p id="overlap-hint" class="quiet hint">Choose the time that you need to give the program its new secret.</p>
    <//>
  `;
}
