import process from 'node:process';
import { createMCPClient } from '@ai-sdk/mcp';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, streamText } from 'ai';

const { AGENT_TOKEN, MCP, MODEL, PROMPT } = process.env;
const client = await createMCPClient({
  transport: { type: 'http', url: MCP, headers: { Authorization: `Bearer ${AGENT_TOKEN}` } },
});
const local = createOpenAICompatible({ name: 'local', baseURL: `${MODEL}/v1` });
const { text } = streamText({
  model: local('scripted'),
  tools: await client.tools(),
  stopWhen: isStepCount(20),
  prompt: PROMPT,
});
console.log(await text);
await client.close();
