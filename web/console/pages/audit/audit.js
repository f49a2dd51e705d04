import { html, useLayoutEffect, useState } from '../../html.js';
import { useAsk, withQuery } from '../../parts/ask.js';
import { ListEnd, useList } from '../../parts/list.js';
import { isolated } from '../../parts/words.js';
import { AUDIT_MEANINGS } from './audit-kinds.js';
import { Events } from './events.js';
import { Verification } from './verification.js';

/**
 * @typedef {import('../../../../shared/schemas/audit.ts').AuditEvent} AuditEvent
 * @typedef {import('../../section.d.ts').CompanyPageProps} CompanyPageProps
 */

/** In the address, for the events of the Company and of all its Teams. */
const COMPANY = 'company';

/** The kinds of events by their first word, such as `team`. */
const GROUPS = Map.groupBy(Object.entries(AUDIT_MEANINGS), ([kind]) => kind.slice(0, kind.indexOf('.')));

/**
 * The page of audit events: of the Team, and for an Owner also of the Company.
 * @param {CompanyPageProps} props
 */
export function Page(props) {
  const { session, team, query, setTitle } = props;
  const ask = useAsk(props);
  const isOwner = session.company.role === 'owner';
  const kind = query.get('kind') ?? '';
  const subjectId = query.get('subject') ?? '';
  const named = isOwner ? (query.get('of') ?? '') : '';
  // Without a Team, an Owner sees the events of the Company.
  const of = named === '' && team === null ? COMPANY : named === team?.id ? '' : named;
  const path =
    of === ''
      ? withQuery('memory/audit', { kind, subjectId })
      : withQuery('company/audit', { kind, subjectId, teamId: of === COMPANY ? null : of });
  /** @type {import('../../parts/list.js').List<AuditEvent>} */
  const list = useList(ask, path);
  const teams = new Map(session.teams.map(({ id, name }) => [id, name]));
  const scope = of === '' ? '' : of === COMPANY ? 'The Company' : (teams.get(of) ?? 'A deleted Team');
  useLayoutEffect(() => setTitle([kind, scope].filter(Boolean).join(', ')), [kind, scope]);

  return html`
    <div class="page">
      ${isOwner && html`<${Verification} ask=${ask} />`}
      <section class="card audit" aria-labelledby="events-heading">
        <div class="bar">
          <h2 id="events-heading">Events</h2>
          <button type="button" class="small" onClick=${list.newest}>Look for newer events</button>
        </div>
        <${Filters} page=${props} kind=${kind} subjectId=${subjectId} of=${of} teams=${teams} />
        ${list.items !== null && list.items.length > 0 && html`<${Events} events=${list.items} page=${props} ask=${ask} of=${of} teams=${teams} />`}
        ${
          list.items?.length === 0 &&
          html`<p role="status">
            ${kind !== '' || subjectId !== '' ? 'No event matches.' : 'There are no events yet. Every search and every change makes one.'}
          </p>`
        }
        <${ListEnd} list=${list} one="event" />
      </section>
    </div>
  `;
}

/**
 * Which events are shown. The address has it, so that it can be shared.
 * @param {object} props
 * @param {CompanyPageProps} props.page
 * @param {string} props.kind
 * @param {string} props.subjectId
 * @param {string} props.of '' for the Team that is shown, `company`, or the id of another Team
 * @param {ReadonlyMap<string, string>} props.teams their names by id
 */
function Filters({ page: { session, team, link, go }, kind, subjectId, of, teams }) {
  const [typed, setTyped] = useState(subjectId);
  useLayoutEffect(() => setTyped(subjectId), [subjectId]);
  /** @param {Readonly<Record<string, string>>} change */
  const show = (change) => go(link('/audit', { kind, subject: typed.trim(), of, ...change }));
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    show({});
  }
  const meaning = AUDIT_MEANINGS[kind];
  return html`
    <form class="filters" role="search" onSubmit=${submit}>
      ${
        session.company.role === 'owner' &&
        html`<div>
          <label for="audit-of">Events of</label>
          <select id="audit-of" value=${of} onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ event) => show({ of: event.currentTarget.value })}>
            ${team !== null && html`<option value="">${isolated(team.name)}</option>`}
            <option value=${COMPANY}>The whole Company</option>
            ${session.teams.filter(({ id }) => id !== team?.id).map(({ id, name }) => html`<option key=${id} value=${id}>${isolated(name)}</option>`)}
            ${of !== '' && of !== COMPANY && !teams.has(of) && html`<option value=${of}>A deleted Team</option>`}
          </select>
        </div>`
      }
      <div>
        <label for="audit-kind">Kind</label>
        <select id="audit-kind" value=${kind} onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ event) => show({ kind: event.currentTarget.value })}>
          <option value="">All kinds</option>
          ${[...GROUPS].map(
            ([group, kinds]) => html`
              <optgroup key=${group} label=${group}>
                ${kinds.map(([name]) => html`<option key=${name} value=${name}>${name}</option>`)}
              </optgroup>
            `,
          )}
          ${kind !== '' && meaning === undefined && html`<option value=${kind}>${isolated(kind)}</option>`}
        </select>
      </div>
      <div class="wide">
        <label for="audit-subject">Id of the record</label>
        <input
          id="audit-subject"
          autocomplete="off"
          spellcheck="false"
          value=${typed}
          onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <button type="submit">Show</button>
    </form>
    <p class="quiet audit-filter">
      ${meaning ?? ''}${' '}
      ${(kind !== '' || subjectId !== '') && html`<a href=${link('/audit', { of })} onClick=${() => document.getElementById('audit-kind')?.focus()}>Show all events</a>`}
    </p>
  `;
}
