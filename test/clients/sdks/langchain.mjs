import process from 'node:process';
import { ChatAnthropic } from '@langchain/anthropic';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { createAgent } from 'langchain';

const { AGENT_TOKEN, MCP, MODEL, PROMPT } = process.env;
const client = new MultiServerMCPClient({
  'team-memory': { transport: 'http', url: MCP, headers: { Authorization: `Bearer ${AGENT_TOKEN}` } },
});
const model = new ChatAnthropic({ model: 'scripted', apiKey: 'none', anthropicApiUrl: MODEL });
const agent = createAgent({ model, tools: await client.getTools() });
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: PROMPT }] });
console.log(messages.at(-1)?.text);
await client.close();
