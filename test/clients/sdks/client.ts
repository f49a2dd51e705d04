import type { ToolCaller } from '../frame/story.ts';

/** What the tests use of a client of the protocol, of whichever library. */
export interface ProtocolClient {
  listTools: () => Promise<{ tools: { name: string }[] }>;
  callTool: (call: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>;
  close: () => Promise<void>;
}

export function callerOf(client: ProtocolClient): ToolCaller {
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (tool, args) => JSON.stringify(await client.callTool({ name: tool, arguments: args })),
    close: () => client.close(),
  };
}
