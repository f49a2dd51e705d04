import { html, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { useAll } from '../../parts/all.js';
import { useAsk } from '../../parts/ask.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { isolated } from '../../parts/words.js';

/**
 * @typedef {import('../../section.d.ts').Team} Team
 * @typedef {import('../../../../shared/schemas/clients.ts').Client} Client
 */

/**
 * Permissions that the access of the owner makes useful, with what they allow.
 * @type {readonly { name: string, about: string, needs: readonly Team['access'][], preset?: boolean }[]}
 */
const PERMISSIONS = [
  {
    name: 'memory:read',
    about: 'Search, expand, and read sources and imports',
    needs: ['full', 'member', 'read'],
    preset: true,
  },
  {
    name: 'memory:write',
    about: 'Store texts and files, stage captures, change and archive sources',
    needs: ['full', 'member'],
    preset: true,
  },
  { name: 'memory:curate', about: 'Make memories of captures', needs: ['full', 'member'] },
  {
    name: 'memory:review',
    about: 'List memories and decide on them; purge memories and sources',
    needs: ['full'],
  },
  { name: 'workspace:read', about: 'Read workspace files', needs: ['full', 'member', 'read'] },
  { name: 'workspace:write', about: 'Change workspace files', needs: ['full', 'member'] },
  { name: 'audit:read', about: 'Read the audit log of the Team', needs: ['full'] },
];

/**
 * Creates an agent token.
 * @param {object} props
 * @param {import('../../section.d.ts').PageProps} props.page
 * @param {readonly Team[]} props.teams to choose from
 * @param {() => void} props.close
 * @param {(issued: import('../../../../shared/schemas/tokens.ts').IssuedToken) => void} props.done
 */
export function NewToken({ page, teams, close, done }) {
  const first = teams.find(({ id }) => id === page.team.id) ?? teams[0];
  if (first === undefined) throw new Error('no Team to create a token for');
  const [team, setTeam] = useState(first);
  const [reach, setReach] = useState('all');
  const [without, setWithout] = useState(false);
  // The Team of the token need not be the one that is shown, so its loss is told by the answer.
  const ask = useAsk({
    session: page.session,
    team,
    lost: (reply) => reply.status === 401 && page.lost(reply),
  });
  const action = useAction(ask);
  /** @type {ReturnType<typeof useAll<Client>>} */
  const clients = useAll(ask, reach === 'some' ? 'team/clients' : null);

  /** @param {FormData} fields */
  async function create(fields) {
    const permissions = fields.getAll('permission');
    setWithout(permissions.length === 0);
    if (permissions.length === 0) return;
    const reply = await action.send('POST', 'auth/tokens', {
      name: fields.get('name'),
      teamId: team.id,
      permissions,
      expiresInDays: Number(fields.get('days')),
      ...(reach === 'all' ? {} : { clientIds: fields.getAll('client') }),
    });
    if (reply !== null) done(reply.answer);
  }
  /** @param {Event} event */
  function chooseTeam({ target }) {
    const found = target instanceof HTMLSelectElement && teams.find(({ id }) => id === target.value);
    if (found) setTeam(found);
  }

  return html`
    <${FormDialog} heading="Create an agent token" yes="Create the token" act=${create} busy=${action.busy} close=${close}
      problem=${without ? 'Choose at least one permission.' : action.problem}>
      <label for="token-name">Name</label>
      <input id="token-name" name="name" required maxlength="300" autocomplete="off" aria-describedby="name-hint" />
      <p id="name-hint" class="quiet hint">What uses it, such as “Build agent”. What it stores shows this name.</p>
      ${
        teams.length > 1 &&
        html`
          <label for="token-team">Team</label>
          <select id="token-team" value=${team.id} onChange=${chooseTeam}>
            ${teams.map(({ id, name }) => html`<option key=${id} value=${id}>${isolated(name)}</option>`)}
          </select>
        `
      }
      <fieldset key=${team.access}>
        <legend>Permissions</legend>
        ${PERMISSIONS.filter(({ needs }) => needs.includes(team.access)).map(
          ({ name, about, preset = false }) => html`
            <label key=${name} class="choice">
              <input type="checkbox" name="permission" value=${name} defaultChecked=${preset} />
              <span><code>${name}</code><small>${about}</small></span>
            </label>
          `,
        )}
      </fieldset>
      <label for="token-reach">Layers</label>
      <select id="token-reach" value=${reach} onChange=${(/** @type {Event} */ { target }) => target instanceof HTMLSelectElement && setReach(target.value)}>
        <option value="all">Team layer and every client that you reach</option>
        <option value="none">Team layer only</option>
        <option value="some">Team layer and the clients that you choose</option>
      </select>
      ${
        reach === 'some' &&
        html`
          <fieldset key=${`clients ${team.id}`} class="clients">
            <legend>Clients</legend>
            ${clients.items?.map(
              ({ id, name }) => html`
                <label key=${id} class="choice"><input type="checkbox" name="client" value=${id} /><bdi>${name}</bdi></label>
              `,
            )}
            <p role="alert">${clients.problem}</p>
            <p class="quiet" role="status">
              ${clients.items === null ? clients.problem === '' && 'Loading clients …' : clients.items.length === 0 && 'You reach no client in this Team.'}
            </p>
          </fieldset>
        `
      }
      <label for="token-days">Days until it expires</label>
      <input id="token-days" name="days" type="number" min="1" max="366" required defaultValue="90" />
    <//>
  `;
}
