import { CircleCheck, LoaderCircle } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { IssuedToken } from '../../../../shared/schemas/tokens.ts';
import { useList } from '../../app/data.ts';
import { ROOT } from '../../app/root.ts';
import { CommandLine } from '../../ui/copy.tsx';
import { Notice } from '../../ui/notice.tsx';
import { OnceDialog } from '../../ui/once.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Name, Time } from '../../ui/text.tsx';

const EVERY_MS = 3000;

/** A new secret, which the service shows only now, with the lines that contain it, and whether a program uses it. */
export function Issued({ issued: { record, token }, onClose }: { issued: IssuedToken; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);
  const copied = () => setCopied(true);
  return (
    <OnceDialog title={`Connect ${record.name}`} what="the token" isCopied={isCopied} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {/* What was used before says nothing of the new secret: the old one can still work. */}
        {record.lastUsedAt === null && <FirstCall record={record} />}
        <Programs token={token} onCopied={copied} />
        <div>
          <p className="mb-1 text-sm text-soft">
            Or the token itself. It is shown only now, and expires <Time at={record.expiresAt} />.
          </p>
          <CommandLine label="token" line={token} onCopied={copied} />
        </div>
      </div>
    </OnceDialog>
  );
}

/** Waits for the first use of the secret. It reads the list that the page shows, so that both say the same. */
function FirstCall({ record }: { record: IssuedToken['record'] }) {
  const { items, query } = useList('listTokens', {});
  const { lastUsedAt, lastUsedFrom } = items.find(({ id }) => id === record.id) ?? record;
  const isUsed = lastUsedAt !== null;
  const { refetch } = query;
  useEffect(() => {
    if (isUsed) return;
    const timer = setInterval(() => document.hidden || void refetch(), EVERY_MS);
    return () => clearInterval(timer);
  }, [isUsed, refetch]);
  const Icon = isUsed ? CircleCheck : LoaderCircle;
  return (
    <p
      role="status"
      className={`flex items-center gap-2 rounded-md border border-line p-3 ${isUsed ? 'font-medium text-good' : 'text-soft'}`}
    >
      <Icon aria-hidden size={16} className={`shrink-0 ${isUsed ? '' : 'animate-spin'}`} />
      <span>
        {isUsed ? 'Connected' : 'Waiting for the first call …'}
        {isUsed && lastUsedFrom !== null && [' from ', <Name key="from">{lastUsedFrom}</Name>]}
      </span>
    </p>
  );
}

/** In place of a token that is not known. */
export const NO_TOKEN = '<token>';

const MCP = new URL('v1/mcp', ROOT).href;
/** The address of the service, as the terminal client takes it. */
const SERVICE = ROOT.href.replace(/\/$/, '');

/** Lines to copy: the program that they connect, where they belong, and whether they need the terminal client. */
type Step = readonly [program: string, about: string, lines: string, needsClient?: 'client'];

const TERMINAL = 'In a terminal:';
const CODEX = 'In a terminal. Codex reads the token from its environment, so start it there too:';
const PROJECT = 'do not commit the token';
const OTHER =
  'In the configuration file of most programs with MCP. Those that accept only OAuth cannot connect.';
const HOOKS = 'Hooks, which also show the agent what fits each prompt, and stage what a session taught:';
const SCRIPTS = 'For scripts. A person signs in with “memory login” instead:';

/** What is copied to connect each program. docs/guide/mcp.md has the same lines; they are tested with the programs. */
function stepsWith(token: string): readonly Step[] {
  const header = `--header 'Authorization: Bearer ${token}'`;
  const http = `--transport http ${header} team-memory ${MCP}`;
  const servers = {
    'team-memory': { type: 'http', url: MCP, headers: { Authorization: `Bearer ${token}` } },
  };
  const json = (value: object) => JSON.stringify(value, null, 2);
  const environment = `export MEMORY_API_PUBLIC_URL=${SERVICE}\nexport MEMORY_API_TOKEN='${token}'\n`;
  const claude = `claude mcp add --transport http team-memory ${MCP} ${header}`;
  const codex = `codex mcp add team-memory --url ${MCP} --bearer-token-env-var AGENT_TOKEN`;
  const curl = [
    `curl -s ${new URL('v1/memory/search', ROOT).href}`,
    `-H 'Authorization: Bearer ${token}'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"query": "the word or the question", "embeddingMode": "auto"}'`,
  ];
  return [
    ['Claude Code', TERMINAL, claude],
    ['Claude Code', HOOKS, `${environment}memory hook install claude-code`, 'client'],
    ['Codex', CODEX, `export AGENT_TOKEN='${token}'\n${codex}`],
    ['Codex', HOOKS, `${environment}memory hook install codex`, 'client'],
    [
      'Cursor',
      `In ~/.cursor/mcp.json, or in .cursor/mcp.json of one project (${PROJECT}):`,
      json({ mcpServers: servers }),
    ],
    ['VS Code', `In .vscode/mcp.json of a project (${PROJECT}):`, json({ servers })],
    ['Gemini CLI', TERMINAL, `gemini mcp add --scope user ${http}`],
    ['Copilot CLI', TERMINAL, `copilot mcp add ${http}`],
    ['Other', OTHER, json({ mcpServers: servers })],
    ['Terminal', SCRIPTS, `${environment}memory search 'the word or the question'`, 'client'],
    ['HTTP', 'Each request has the token in its header:', curl.join(' \\\n  ')],
  ];
}

/** How a program is connected, with the lines to copy. */
export function Programs({ token, onCopied }: { token: string; onCopied?: () => void }) {
  const programs = Map.groupBy(stepsWith(token), ([program]) => program);
  const [shown, setShown] = useState('Claude Code');
  return (
    <div className="flex flex-col gap-3">
      <Segments
        label="Program"
        value={shown}
        options={[...programs.keys()].map((name) => ({ value: name, name }))}
        onChange={setShown}
      />
      {programs.get(shown)?.map(([program, about, line, needsClient]) => {
        const label = about === HOOKS ? `hooks of ${program}` : `connect ${program}`;
        return (
          <div key={about} className="flex flex-col gap-1">
            <p className="text-soft">{about}</p>
            {needsClient && <InstallClient />}
            <CommandLine {...{ label, line, onCopied }} />
          </div>
        );
      })}
    </div>
  );
}

/** How the terminal client is installed from this service. */
const InstallClient = () => (
  <>
    {/* Secure: over https, or from the machine of the service itself. */}
    {!globalThis.isSecureContext && (
      <Notice>
        First open this page at an address with https: over plain http, anybody on the way can change the
        program. If the service has no such address, ask its operator for the SHA-256, and compare it.
      </Notice>
    )}
    <CommandLine
      label="install the terminal client"
      line={`npm install -g ${new URL('cli.tgz', ROOT).href}`}
    />
    <p className="text-sm text-faint">
      Needs Node 20.19 or later.{' '}
      <a href={new URL('cli.tgz.sha256', ROOT).href} className="underline">
        SHA-256 of the package
      </a>
    </p>
  </>
);
