import '../support/needs/process.ts';
import { editors } from './commands/editors.ts';
import { inspector } from './commands/inspector.ts';
import { mcpRemote } from './commands/mcp-remote.ts';
import { mcporter } from './commands/mcporter.ts';
import { listen } from './frame/service.ts';
import { testCallers } from './frame/story.ts';

const service = await listen();

testCallers('Commands', [inspector, mcporter, mcpRemote, ...editors], service);
