import { html, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { useRecord } from '../../parts/record.js';
import { count, size } from '../../parts/words.js';
import { useTitle } from './team-page.js';

/**
 * @typedef {import('./team-page.js').TeamPage} TeamPage
 * @typedef {import('../../../../shared/schemas/teams.ts').SelectedTeam} SelectedTeam
 */

/** @type {readonly { value: SelectedTeam['publish'], name: string }[]} */
const PUBLISH = [
  { value: 'anyone', name: 'Anyone who consolidates can publish' },
  { value: 'review', name: 'Without Full access, memories wait for a review' },
];

/** @type {readonly { value: SelectedTeam['redaction'], name: string }[]} */
const REDACTION = [
  { value: null, name: 'As the service is set' },
  { value: 'off', name: 'Do not look for credentials' },
  { value: 'flag', name: 'Store them, and say so' },
  { value: 'redact', name: 'Store the text without them' },
  { value: 'refuse', name: 'Refuse the text' },
];

/**
 * The settings of the Team: shown to all, changed with Full access.
 * @param {object} props
 * @param {TeamPage} props.page
 */
export function View({ page }) {
  useTitle(page, 'Team settings');
  /** @type {ReturnType<typeof useRecord<SelectedTeam>>} */
  const { value: team, problem, reload, set } = useRecord(page.ask, 'team');
  return html`
    <section class="card" aria-labelledby="team-heading">
      <h2 id="team-heading" tabindex="-1">Team settings</h2>
      <p role="alert">${problem}</p>
      ${problem !== '' && html`<button type="button" class="small" onClick=${reload}>Try again</button>`}
      ${team === null && problem === '' && html`<p class="quiet" role="status">Loading the Team …</p>`}
      ${
        team !== null &&
        (page.rights.changes
          ? html`<${Form} page=${page} team=${team} saved=${set} />`
          : html`
              <dl class="named">
                <dt>Name</dt><dd><bdi>${team.name}</bdi></dd>
                <dt>Memories</dt><dd>${PUBLISH.find(({ value }) => value === team.publish)?.name}</dd>
                <dt>Credentials</dt><dd>${REDACTION.find(({ value }) => value === team.redaction)?.name}</dd>
              </dl>
              <p class="quiet note">${
                team.state === 'archived'
                  ? 'The Team is archived, so its settings cannot be changed.'
                  : 'Owners and Admins of the Team can change this.'
              }</p>
            `)
      }
    </section>
    ${team !== null && html`<${Figures} team=${team} />`}
  `;
}

/**
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {SelectedTeam} props.team
 * @param {(team: SelectedTeam) => void} props.saved
 */
function Form({ page, team, saved }) {
  const [name, setName] = useState(team.name);
  const [publish, setPublish] = useState(/** @type {string} */ (team.publish));
  const [redaction, setRedaction] = useState(team.redaction ?? '');
  const [status, setStatus] = useState('');
  const { busy, problem, setProblem, send } = useAction(page.ask, {
    conflict: 'Another Team of the Company has this name, maybe an archived one. Choose another name.',
  });

  /** @param {SubmitEvent} event */
  async function save(event) {
    event.preventDefault();
    setStatus('');
    if (name.trim() === '') return setProblem('Enter a name for the Team.');
    // Only what differs: what someone else changed since then stays.
    const change = {
      ...(name === team.name ? {} : { name }),
      ...(publish === team.publish ? {} : { publish }),
      ...(redaction === (team.redaction ?? '') ? {} : { redaction: redaction === '' ? null : redaction }),
    };
    if (Object.keys(change).length === 0) {
      setProblem('');
      return setStatus('Nothing has changed.');
    }
    const reply = await send('PATCH', 'team', change);
    if (reply === null) return;
    const now = /** @type {SelectedTeam} */ (reply.answer);
    saved(now);
    setName(now.name);
    setPublish(now.publish);
    setRedaction(now.redaction ?? '');
    setStatus('Saved.');
    if ('name' in change) await page.reread();
  }

  return html`
    <form class="people-form" novalidate onSubmit=${save}>
      <label for="team-name">Name</label>
      <input id="team-name" type="text" autocomplete="off" maxlength="300" required value=${name}
        onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => setName(currentTarget.value)} />
      <label for="team-publish">Who can publish memories</label>
      <select id="team-publish" value=${publish}
        onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => setPublish(currentTarget.value)}>
        ${PUBLISH.map(({ value, name }) => html`<option key=${value} value=${value}>${name}</option>`)}
      </select>
      <label for="team-redaction">Passwords, keys and tokens in new texts</label>
      <select id="team-redaction" value=${redaction} aria-describedby="redaction-means"
        onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => setRedaction(currentTarget.value)}>
        ${REDACTION.map(({ value, name }) => html`<option key=${value} value=${value ?? ''}>${name}</option>`)}
      </select>
      <p id="redaction-means" class="quiet">Where the service is set to be stricter than this, that applies.</p>
      <p role="alert">${problem}</p>
      <div class="actions">
        <button type="submit" class="small primary" aria-busy=${busy ? 'true' : undefined}>Save</button>
        <span role="status" class="quiet">${status}</span>
      </div>
    </form>
  `;
}

/**
 * What the Team has, as far as the user can read it.
 * @param {object} props
 * @param {SelectedTeam} props.team
 */
function Figures({ team: { members, clients, usage, quota } }) {
  /** @param {number | null | undefined} limit @param {(n: number) => string} words */
  const of = (limit, words) => (limit === null || limit === undefined ? '' : ` of ${words(limit)}`);
  return html`
    <section class="card" aria-labelledby="figures-heading">
      <h2 id="figures-heading">In this Team</h2>
      <dl class="named">
        <dt>People</dt><dd>${count(members, 'member')}</dd>
        <dt>Clients</dt><dd>${count(clients, 'client')} that you can open</dd>
        ${
          usage !== undefined &&
          html`
            <dt>Sources</dt><dd>${count(usage.sources, 'source')}</dd>
            <dt>Passages</dt><dd>${count(usage.chunks, 'passage')}${of(quota?.chunks, (n) => n.toLocaleString('en'))}</dd>
            <dt>Files</dt><dd>${count(usage.files, 'workspace file')}</dd>
            <dt>Storage</dt><dd>${size(usage.bytes)}${of(quota?.bytes, size)}</dd>
          `
        }
      </dl>
    </section>
  `;
}
