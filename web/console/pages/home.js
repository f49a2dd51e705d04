import { ROOT } from '../../shared/ask-service.js';
import { linkTo } from '../address.js';
import { html } from '../html.js';
import { CommandLine } from '../parts/copy.js';
import { InstallClient } from '../parts/install-client.js';
import { FirstSteps } from './first-steps.js';

/** What each section is for. @type {Readonly<Record<string, string>>} */
const PURPOSES = {
  '/search': 'The passages that answer a question.',
  '/sources': 'What is stored, with its passages.',
  '/review': 'Memories that wait for a decision.',
  '/memories': 'What the Team has learned, with its history.',
  '/captures': 'Notes of sessions, from which memories are made.',
  '/imports': 'Send files, and see what became of them and how much room is left.',
  '/files': 'The workspace files, with their versions.',
  '/people': 'Members, roles, invites and access to clients.',
  '/clients': 'The clients of the Team.',
  '/tokens': 'Agent tokens, and how to connect an agent.',
  '/audit': 'Who did what, and whether the log is complete.',
  '/company': 'Teams, people, invitations, grants and tokens of the Company.',
  '/jobs': 'What the service is doing, live: imports, vectors, queues and workers.',
  '/account': 'Your name, email, password and sessions.',
};

/**
 * What is done in a terminal, where folders are at hand.
 * @param {import('../section.d.ts').Team} team
 * @param {boolean} isOwner whether the first steps are shown, which name the import already
 */
function commandsFor({ id, access, state }, isOwner) {
  const writes = access !== 'read' && state === 'active';
  return [
    { label: 'Search', line: `memory search 'the word or the question' --team ${id}` },
    ...(writes && !isOwner
      ? [{ label: 'Import a folder', line: `memory import ./documents --team ${id}` }]
      : []),
    ...(writes ? [{ label: 'Sync the workspace files', line: `memory sync ./workspace --team ${id}` }] : []),
  ];
}

/**
 * The page at `/`: where to go from here.
 * @param {import('../section.d.ts').PageProps} props
 */
export function Page({ session, team, sections, setTitle, lost }) {
  const isOwner = session.company.role === 'owner' && team.state === 'active';
  const others = sections.filter(({ path }) => path !== '/');
  return html`
    <div class="home">
      ${team.state === 'archived' && html`<p class="notice">This Team is archived: it can be read, and nothing in it can be changed.</p>`}
      ${isOwner && html`<${FirstSteps} session=${session} team=${team} lost=${lost} setTitle=${setTitle} />`}
      <section class="card" aria-labelledby="pages-heading">
        <h2 id="pages-heading">Pages</h2>
        <dl class="links">
          ${others.map(
            ({ path, name }) => html`
              <div key=${path}>
                <dt><a href=${linkTo(path, team.id)}>${name}</a></dt>
                <dd>${PURPOSES[path]}</dd>
              </div>
            `,
          )}
          <div>
            <dt><a href=${new URL('docs', ROOT).href}>API</a></dt>
            <dd>The routes of the service, for programs and agents.</dd>
          </div>
        </dl>
      </section>
      <section class="card" aria-labelledby="terminal-heading">
        <h2 id="terminal-heading">In a terminal</h2>
        <p class="quiet">
          The terminal client imports whole folders and keeps files in sync. In the folder of the repository, write${' '}
          <code>npm run -s cli --</code> in place of <code>memory</code>.
        </p>
        <dl class="commands">
          <div>
            <dt>Install</dt>
            <dd><${InstallClient} /></dd>
          </div>
          ${[
            { label: 'Sign in', line: `memory login --url ${ROOT.href}` },
            ...commandsFor(team, isOwner),
          ].map(
            ({ label, line }) => html`
              <div key=${label}>
                <dt>${label}</dt>
                <dd><${CommandLine} label=${label} line=${line} /></dd>
              </div>
            `,
          )}
        </dl>
      </section>
    </div>
  `;
}
