import { html } from '../../html.js';
import { useAll } from '../../parts/all.js';
import { count } from '../../parts/words.js';

/**
 * Requests of Company Admins for access to this Team. Owners of the Company decide them on its page.
 * @param {object} props
 * @param {import('./team-page.js').TeamPage} props.page
 */
export function Requests({ page }) {
  const { ask, session, team, link } = page;
  const { role } = session.company;
  /** @type {ReturnType<typeof useAll<import('../../../../shared/schemas/people.ts').AccessRequest>>} */
  const { items } = useAll(ask, role === 'member' ? null : 'company/access-requests');
  const open = (items ?? []).filter(({ teamId, state }) => teamId === team.id && state === 'open');
  const company = html`<a href=${link('/company')}>Company</a>`;
  if (role === 'owner' && open.length > 0) {
    return html`<p class="notice">${count(open.length, 'request')} for access to this Team ${open.length === 1 ? 'waits' : 'wait'} for your decision: see ${company}.</p>`;
  }
  if (role === 'admin' && items !== null && team.access === 'read') {
    return html`<p class="notice">
      You can read this Team. ${open.length > 0 ? 'Your request for more access is open: see' : 'Request Full access from an Owner of the Company on'} ${company}.
    </p>`;
  }
  return null;
}
