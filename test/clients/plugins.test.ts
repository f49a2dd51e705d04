import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKOUT } from '../cli/cli.ts';
import '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';
import type { Program } from './frame/programs.ts';
import { testsOf } from './frame/results.ts';
import { openRoom, type Room } from './frame/room.ts';
import { listen } from './frame/service.ts';

const service = await listen();

/** The terminal client, as one file if the run has written it. */
const CLIENT = process.env['MEMORY_TEST_CLIENT'] ?? CHECKOUT;

/** An agent that installs plugins. */
interface PluginAgent {
  name: string;
  program: Program;
  /** Checks the manifests. */
  validate?: string;
  /** Adds the repository as a marketplace, and installs its plugin, as the guide says. */
  install: string;
  /** Prints the plugin as installed. */
  list: string;
  installed: RegExp;
  /** Prints the MCP server of the plugin. */
  servers: string;
  server: RegExp;
}

const AGENTS: readonly PluginAgent[] = [
  {
    name: 'Claude Code',
    program: 'claude-code',
    validate: `claude plugin validate --strict . && claude plugin validate --strict cli/integrations/claude-code`,
    install: 'claude plugin marketplace add ./ && claude plugin install team-memory@team-memory',
    list: 'claude plugin list',
    installed: /team-memory@team-memory[^]*enabled/,
    servers: 'claude mcp list',
    server: /team-memory: memory mcp .*Connected/,
  },
  {
    name: 'Codex',
    program: 'codex',
    install: 'codex plugin marketplace add ./ && codex plugin add team-memory@team-memory',
    list: 'codex plugin list',
    installed: /team-memory@team-memory +installed, enabled/,
    servers: 'codex mcp list',
    server: /^team-memory +memory +mcp /m,
  },
];

/** Puts the terminal client on the path of a room, as `npm install --global` does. */
async function installClient(room: Room): Promise<Record<string, string>> {
  const folder = join(room.home, 'bin');
  await room.write('bin/memory', `#!/bin/sh\nexec '${process.execPath}' '${CLIENT}' "$@"\n`);
  await chmod(join(folder, 'memory'), 0o755);
  return { PATH: `${folder}:${room.env['PATH']}` };
}

for (const { name, program, validate, install, list, installed, servers, server } of AGENTS) {
  const define = testsOf('Coding agents', name, program);

  define(
    'plugin',
    'installs the plugin of the repository, with hooks that work and the MCP server',
    async () => {
      const room = await openRoom(program);
      const env = {
        ...(await installClient(room)),
        MEMORY_API_TOKEN: await service.newToken(),
        MEMORY_API_PUBLIC_URL: service.url,
        MEMORY_HOOK_TIMEOUT_MS: '20000',
        ROOT,
      };
      const run = async (command: string) => {
        const { code, output } = await room.run(`cd "$ROOT" && ${command}`, env);
        assert.equal(code, 0, output);
        return output;
      };
      if (validate !== undefined) await run(validate);
      await run(install);
      assert.match(await run(list), installed);
      assert.match(await run(servers), server);
      const checked = await run('memory doctor');
      for (const event of ['SessionStart', 'UserPromptSubmit', 'Stop', 'PreCompact', 'SessionEnd'])
        assert.match(checked, new RegExp(`^Hook +ok +${name}, ${event} \\(plugin\\) works`, 'm'));
    },
  );
}
