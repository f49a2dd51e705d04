import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookedAgent } from '../frame/hooks.ts';
import { connectByCommand } from './connect.ts';

/** The model of the script, by the Responses API. It comes before the tables that `codex mcp add` writes. */
const modelSettings = (model: string) => `model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
wire_api = "responses"
`;

/** Without these, Codex on a busy machine asks the model before it knows the tools. */
const WAITING = `required = true
startup_timeout_sec = 60
`;

export const codex: HookedAgent = {
  name: 'Codex',
  program: 'codex',
  inGuide: true,
  command: 'codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox "$PROMPT"',
  hookName: 'codex',
  hookCommand:
    'codex exec --dangerously-bypass-hook-trust --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox "$PROMPT"',
  refusal: /AuthRequired.*invalid_token/,
  prepare: async (room, place, model) => {
    await connectByCommand('Codex', room, place);
    const file = join('.codex', 'config.toml');
    const connected = await readFile(join(room.home, file), 'utf8');
    // The table of the service is the last one.
    await room.write(file, `${modelSettings(model)}${connected}\n${WAITING}`);
    return {};
  },
};
