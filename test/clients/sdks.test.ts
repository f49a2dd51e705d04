import '../support/needs/process.ts';
import { testAgents } from './frame/agent-story.ts';
import { listen } from './frame/service.ts';
import { testCallers } from './frame/story.ts';
import { agentLibraries, protocolLibraries } from './sdks/libraries.ts';

const service = await listen();

testAgents('Libraries', agentLibraries, service);
testCallers('Libraries', protocolLibraries, service);
