import process from 'node:process';
import { Agent, MCPServerStreamableHttp, run } from '@openai/agents';

const { AGENT_TOKEN, MCP, PROMPT } = process.env;
const server = new MCPServerStreamableHttp({
  name: 'team-memory',
  url: MCP,
  requestInit: { headers: { Authorization: `Bearer ${AGENT_TOKEN}` } },
});
await server.connect();
const agent = new Agent({ name: 'Agent', model: 'scripted', mcpServers: [server] });
const result = await run(agent, PROMPT, { stream: true, maxTurns: 20 });
await result.completed;
console.log(result.finalOutput);
await server.close();
