import { linkTo } from '../address.js';
import { html, useLayoutEffect, useState } from '../html.js';
import { isDone, problemOf, useAsk } from '../parts/ask.js';
import { CommandLine } from '../parts/copy.js';

/**
 * Which steps are done already.
 * @typedef {{ invited: boolean, imported: boolean, connected: boolean }} Done
 */

/**
 * Reads which steps are done. Only an Owner can read all of it.
 * @param {import('../parts/ask.js').Ask} ask
 * @returns {Promise<Done | string>} a string is the reason why it could not be read
 */
async function readDone(ask) {
  const paths = [
    'team/members?limit=2',
    'team/invites?limit=1',
    'memory/sources?limit=1',
    'team/tokens?limit=1',
  ];
  const replies = await Promise.all(paths.map((path) => ask('GET', path)));
  const failed = replies.find((reply) => !isDone(reply));
  if (failed !== undefined) return problemOf(failed);
  const [members, invites, sources, tokens] = replies.map(({ answer }) => answer);
  return {
    invited: members.items.length > 1 || invites.items.length > 0,
    imported: sources.items.length > 0,
    connected: tokens.items.length > 0,
  };
}

/**
 * What an Owner does first, with what is done already.
 * @param {Pick<import('../section.d.ts').PageProps, 'session' | 'team' | 'lost' | 'setTitle'>} props
 */
export function FirstSteps({ session, team, lost, setTitle }) {
  const ask = useAsk({ session, team, lost });
  const [done, setDone] = useState(/** @type {Done | string | null} */ (null));
  useLayoutEffect(() => void readDone(ask).then(setDone), [ask]);

  const known = done === null || typeof done === 'string' ? null : done;
  const steps = [
    {
      name: 'Make a Team',
      done: true,
      about:
        'A Team has its own sources, memories and members. Make one for each group that shares what it knows.',
      path: '/company',
      link: 'Teams of the Company',
    },
    {
      name: 'Invite people',
      done: known?.invited,
      about:
        'You get a link for each person. Send it to them: the service sends no mail. It works once, for 7 days.',
      path: '/people',
      link: 'Invite people into this Team',
    },
    {
      name: 'Import a folder',
      done: known?.imported,
      about:
        'Choose files in the browser, or send a whole folder with the terminal client: install it and sign in first, as shown below. It reads text, HTML, PDF, DOCX, XLSX, PPTX, mail and more.',
      path: '/imports',
      link: 'Import files',
      line: `memory import ./documents --team ${team.id}`,
    },
    {
      name: 'Connect an agent',
      done: known?.connected,
      about: 'The agent gets a token, which has fewer rights than you, and a line or a setting to copy.',
      path: '/tokens',
      link: 'Create a token',
    },
  ];
  const open = steps.filter((step) => step.done === false).length;
  useLayoutEffect(() => {
    if (known !== null) setTitle(open === 0 ? 'All set' : `${open} to do`);
  }, [done]);

  return html`
    <section class="card" aria-labelledby="steps-heading">
      <h2 id="steps-heading">First steps</h2>
      ${typeof done === 'string' && html`<p role="alert">What is done already could not be read. ${done}</p>`}
      <ol class="steps">
        ${steps.map(
          (step) => html`
            <li key=${step.name} data-done=${step.done === true ? 'true' : undefined}>
              <h3>
                ${step.name} ${step.done === true && html`<span class="done">Done</span>`}
              </h3>
              <p class="quiet">${step.about}</p>
              <p><a href=${linkTo(step.path, team.id)}>${step.link}</a></p>
              ${step.line !== undefined && html`<${CommandLine} label=${step.name} line=${step.line} />`}
            </li>
          `,
        )}
      </ol>
    </section>
  `;
}
