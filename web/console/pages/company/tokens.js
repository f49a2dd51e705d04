import { html } from '../../html.js';
import { useAll } from '../../parts/all.js';
import { TokenList } from '../tokens/token-list.js';
import { nameIn, teamIn } from './names.js';

/**
 * The agent tokens of everyone in the Company, for its Owners.
 * @param {import('./part.d.ts').PartProps} props
 */
export function CompanyTokens({ ask, link, say }) {
  /** @type {ReturnType<typeof useAll<import('../../../../shared/schemas/people.ts').Member>>} */
  const members = useAll(ask, 'company/members');
  /** @type {ReturnType<typeof useAll<import('../../../../shared/schemas/teams.ts').Team>>} */
  const teams = useAll(ask, 'company/teams');
  return html`
    <h2 id="part-heading" tabindex="-1">Agent tokens</h2>
    <p class="quiet">
      The tokens that people of the Company have made for programs. Everyone makes their own on <a href=${link('/tokens')}>Tokens</a>.
    </p>
    <${TokenList} ask=${ask} path="company/tokens" say=${say} empty=${html`<p>Nobody has made an agent token yet.</p>`}
      ownerOf=${(/** @type {string} */ id) => nameIn(members.items, id)} teamOf=${(/** @type {string} */ id) => teamIn(teams.items, id)} />
  `;
}
