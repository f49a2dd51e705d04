import process from 'node:process';
import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';

const { AGENT_TOKEN, MCP, MODEL, PROMPT } = process.env;
const client = new MCPClient({
  servers: {
    'team-memory': {
      url: new URL(MCP),
      requestInit: { headers: { Authorization: `Bearer ${AGENT_TOKEN}` } },
    },
  },
});
const agent = new Agent({
  id: 'agent',
  name: 'Agent',
  instructions: 'Use the tools.',
  model: { id: 'local/scripted', url: `${MODEL}/v1`, apiKey: 'none' },
  tools: await client.listTools(),
});
const { text } = await agent.stream(PROMPT, { maxSteps: 20 });
console.log(await text);
await client.disconnect();
