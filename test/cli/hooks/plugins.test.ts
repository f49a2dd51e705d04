import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findCommand } from '../../../cli/program/registry.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { SETTINGS } from '../../../shared/settings/definitions.ts';
import { type Setting, variablesOf } from '../../../shared/settings/setting.ts';
import { CLIENT_VARIABLES } from '../../../shared/settings/unknown-variables.ts';
import { ROOT } from '../../support/root.ts';
import { AGENTS, type Agent, commandOf, readJson } from './hook-runs.ts';

/*
 * The rules that both programs enforce when they add a marketplace and install a plugin of it. `npm run test:clients`
 * does both with the programs themselves.
 */

interface Marketplace {
  name: string;
  owner?: { name: string };
  plugins: { name: string; source: string | { source: string; path: string }; policy?: object }[];
}

interface Manifest {
  name: string;
  version: string;
  hooks?: string;
  mcpServers?: string;
}

interface Servers {
  mcpServers: Record<string, { command: string; args: string[]; env_vars?: string[] }>;
}

const MARKETPLACES = {
  'claude-code': '.claude-plugin/marketplace.json',
  codex: '.agents/plugins/marketplace.json',
} as const satisfies Record<Agent, string>;
const MANIFESTS = {
  'claude-code': '.claude-plugin/plugin.json',
  codex: '.codex-plugin/plugin.json',
} as const satisfies Record<Agent, string>;
const HOOKS = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  Stop: 'turn-end',
  PreCompact: 'turn-end',
  SessionEnd: 'session-end',
} as const;

/** The folder of the plugin that the marketplace of an agent offers, and what the marketplace says of it. */
async function offeredPlugin(agent: Agent) {
  const marketplace = await readJson<Marketplace>(join(ROOT, MARKETPLACES[agent]));
  const [plugin, ...others] = marketplace.plugins;
  assert.deepEqual(others, []);
  assert.ok(plugin);
  const path = typeof plugin.source === 'string' ? plugin.source : plugin.source.path;
  return { marketplace, plugin, path, folder: join(ROOT, path) };
}

describe('the plugins', () => {
  for (const agent of AGENTS) {
    test(`of ${agent} is offered by a marketplace at the root, and its hooks are commands of memory`, async () => {
      const { marketplace, plugin, path, folder } = await offeredPlugin(agent);
      // Names have small letters and dashes, and a path begins with ./ and stays inside.
      for (const name of [marketplace.name, plugin.name]) assert.match(name, /^[a-z][a-z0-9-]*$/);
      assert.equal(path, `./cli/integrations/${agent}`);
      const { name, version } = await readJson<Manifest>(join(folder, MANIFESTS[agent]));
      assert.deepEqual([name, version], [plugin.name, packageJson.version]);
      const content = await readJson(join(folder, 'hooks', 'hooks.json'));
      assert.deepEqual(Object.keys(content.hooks), Object.keys(HOOKS));
      for (const [event, hook] of Object.entries(HOOKS))
        assert.equal(commandOf(content, event), `memory hook ${hook} --agent ${agent}`);
    });

    test(`of ${agent} brings the MCP server along, as a command of memory`, async () => {
      const { folder } = await offeredPlugin(agent);
      const { mcpServers } = await readJson<Servers>(join(folder, '.mcp.json'));
      const [name, ...others] = Object.keys(mcpServers);
      assert.deepEqual([name, others], ['team-memory', []]);
      const { command, args = [], env_vars = [] } = mcpServers['team-memory'] ?? {};
      assert.equal(command, 'memory');
      const called = findCommand(args);
      assert.equal('name' in called && called.name, 'mcp');
      const ofService: string[] = Object.values<Setting>(SETTINGS).flatMap(variablesOf);
      const known = [...ofService, ...CLIENT_VARIABLES, 'XDG_CONFIG_HOME'];
      for (const variable of env_vars) assert.ok(known.includes(variable), variable);
    });
  }

  test('have what only one of the programs requires', async () => {
    const claudeCode = await offeredPlugin('claude-code');
    assert.ok(claudeCode.marketplace.owner?.name);
    const codex = await offeredPlugin('codex');
    assert.deepEqual(codex.plugin.source, { source: 'local', path: codex.path });
    assert.deepEqual(codex.plugin.policy, { installation: 'AVAILABLE', authentication: 'ON_INSTALL' });
    const { hooks, mcpServers } = await readJson<Manifest>(join(codex.folder, MANIFESTS.codex));
    assert.deepEqual([hooks, mcpServers], ['./hooks/hooks.json', './.mcp.json']);
    const { mcpServers: servers } = await readJson<Servers>(join(codex.folder, '.mcp.json'));
    // Codex passes only these variables on.
    for (const variable of ['MEMORY_API_TOKEN', 'MEMORY_API_PUBLIC_URL', 'MEMORY_PROFILE'])
      assert.ok(servers['team-memory']?.env_vars?.includes(variable), variable);
  });
});
