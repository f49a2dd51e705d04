import { ROOT } from '../../../shared/ask-service.js';
import { html } from '../../html.js';
import { CommandLine } from '../../parts/copy.js';
import { InstallClient } from '../../parts/install-client.js';

/** In place of a token that is not known. */
export const NO_TOKEN = '<token>';

const MCP = new URL('v1/mcp', ROOT).href;
/** The address of the service, as the terminal client takes it. */
const SERVICE = ROOT.href.replace(/\/$/, '');

/** The configuration file of most programs with MCP. @param {string} token */
const mcpConfig = (token) =>
  JSON.stringify(
    {
      mcpServers: {
        'team-memory': { type: 'http', url: MCP, headers: { Authorization: `Bearer ${token}` } },
      },
    },
    null,
    2,
  );

/** @param {string} token */
const environment = (token) => `export MEMORY_API_PUBLIC_URL=${SERVICE}\nexport MEMORY_API_TOKEN='${token}'`;

/**
 * What is copied to connect each kind of program.
 * @param {string} token
 * @returns {{ name: string, steps: { about: import('../../html.js').Children, label: string, line: string, needsClient?: boolean }[] }[]}
 */
const programs = (token) => [
  {
    name: 'Claude Code',
    steps: [
      {
        about: 'In a terminal. The agent then has the tools to search and to store:',
        label: 'connect Claude Code',
        line: `claude mcp add --transport http team-memory ${MCP} --header 'Authorization: Bearer ${token}'`,
      },
      {
        about: html`With the terminal client, hooks also show the agent what fits each prompt, and stage what a session taught. Set the
          variables where Claude Code runs:`,
        label: 'hooks of Claude Code',
        needsClient: true,
        line: `${environment(token)}\nmemory hook install claude-code`,
      },
    ],
  },
  {
    name: 'Cursor',
    steps: [
      {
        about: html`In <code>~/.cursor/mcp.json</code>, or in <code>.cursor/mcp.json</code> of one project (do not commit the token):`,
        label: 'configuration of Cursor',
        line: mcpConfig(token),
      },
    ],
  },
  {
    name: 'Codex',
    steps: [
      {
        about: html`In <code>~/.codex/config.toml</code>:`,
        label: 'configuration of Codex',
        line: `[mcp_servers.team-memory]\nurl = "${MCP}"\nbearer_token_env_var = "AGENT_TOKEN"`,
      },
      {
        about: 'Codex reads the token from its environment. Start it in the same terminal:',
        label: 'token of Codex',
        line: `export AGENT_TOKEN='${token}'`,
      },
    ],
  },
  {
    name: 'VS Code and other programs',
    steps: [
      {
        about: html`In the configuration file of the program. Some, such as VS Code, name the first field <code>servers</code>. The program must
          accept a header: those that accept only OAuth cannot connect.`,
        label: 'configuration of a program',
        line: mcpConfig(token),
      },
    ],
  },
  {
    name: 'Terminal client',
    steps: [
      {
        about: 'For scripts. A person signs in with memory login instead:',
        label: 'terminal client',
        needsClient: true,
        line: `${environment(token)}\nmemory search 'the word or the question'`,
      },
    ],
  },
  {
    name: 'Plain HTTP',
    steps: [
      {
        about: html`Each request has the token in its header, and need not name a Team. <a href=${new URL('docs', ROOT).href}>All routes</a>`,
        label: 'search with curl',
        line: [
          `curl -s ${new URL('v1/memory/search', ROOT)}`,
          `-H 'Authorization: Bearer ${token}'`,
          `-H 'Content-Type: application/json'`,
          `-d '{"query": "the word or the question", "embeddingMode": "auto"}'`,
        ].join(' \\\n  '),
      },
    ],
  },
];

/**
 * How programs are connected, with the lines to copy.
 * @param {object} props
 * @param {string} props.token
 */
export const Connect = ({ token }) => html`
  <div class="programs">
    ${programs(token).map(
      ({ name, steps }, index) => html`
        <details key=${name} open=${index === 0}>
          <summary>${name}</summary>
          ${steps.map(
            ({ about, label, line, needsClient = false }) => html`
              <p class="quiet">${about}</p>
              ${needsClient && html`<${InstallClient} />`}
              <${CommandLine} label=${label} line=${line} />
            `,
          )}
        </details>
      `,
    )}
  </div>
`;
