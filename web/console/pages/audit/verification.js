import { html, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { count, Moment } from '../../parts/words.js';

/** @typedef {import('../../../../shared/schemas/audit.ts').AuditVerification} AuditVerification */

/**
 * Verifies that no event of the Company was changed or removed. For Owners.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 */
export function Verification({ ask }) {
  const { send, problem, busy } = useAction(ask);
  const [outcome, setOutcome] = useState(/** @type {AuditVerification & { at: string } | null} */ (null));
  async function verify() {
    const reply = await send('GET', 'company/audit/verify');
    if (reply === null) return;
    const at = Number.isNaN(reply.answeredAt) ? new Date() : new Date(reply.answeredAt);
    setOutcome({ ...reply.answer, at: at.toISOString() });
  }
  return html`
    <section class="card verification" aria-labelledby="verification-heading">
      <div class="bar">
        <h2 id="verification-heading">Verification</h2>
        <button type="button" class="small" aria-busy=${busy ? 'true' : undefined} onClick=${verify}>Verify the audit</button>
      </div>
      <p class="quiet">
        The events of the Company are sealed in a chain of hashes. Verifying computes the chain again, so that it shows an
        event that was changed, removed or inserted in the database.
      </p>
      <p role="alert">${problem}${outcome !== null && outcome.firstBreak !== null && !busy && html`<${Broken} outcome=${outcome} />`}</p>
      <p role="status">
        ${busy ? 'Verifying all events. This can take some minutes …' : outcome !== null && outcome.firstBreak === null && html`<${Intact} outcome=${outcome} />`}
      </p>
      ${
        !busy &&
        outcome !== null &&
        outcome.head !== null &&
        html`<dl class="named">
            <dt>Last seal verified</dt>
            <dd>Number ${outcome.head.sequence.toLocaleString('en')}</dd>
            <dt>Hash</dt>
            <dd><code>${outcome.head.hash}</code></dd>
          </dl>
          <p class="quiet">
            Note this seal outside of the service. If a later verification has a smaller number, or another hash for this
            one, events were removed from the end.
          </p>`
      }
    </section>
  `;
}

/** @param {{ outcome: AuditVerification & { at: string } }} props */
const Intact = ({ outcome: { events, unsealed, at } }) => html`
  <strong class="done">The chain is intact.</strong> ${count(events, 'event')} verified at <${Moment} at=${at} />.
  ${unsealed > 0 && ` ${unsealed.toLocaleString('en')} of them ${unsealed === 1 ? 'is' : 'are'} not sealed yet: new events are sealed within a minute.`}
`;

/** @param {{ outcome: AuditVerification & { at: string } }} props */
const Broken = ({ outcome: { events, firstBreak, at } }) => html`
  The chain is broken at event <code>${firstBreak}</code>: it was changed, removed or inserted in the database. Found at${' '}
  <${Moment} at=${at} />, among ${count(events, 'event')}. Keep a copy of the database as it is now, and ask those who
  operate the service to compare it with a backup.
`;
