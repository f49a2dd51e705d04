import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { commandFor } from '../frame/guide.ts';
import { openRoom } from '../frame/room.ts';
import type { CallerProgram } from '../frame/story.ts';
import { callerOf } from '../sdks/client.ts';

/** A bridge for programs that can only start commands: a client of the library starts it as they do. */
export const mcpRemote: CallerProgram = {
  name: 'mcp-remote',
  program: 'mcp-remote',
  inGuide: true,
  refusal: /Dynamic Client Registration rejected \(HTTP 404\)/,
  open: async (place) => {
    const room = await openRoom('mcp-remote');
    const client = new Client({ name: 'a test', version: '1' });
    const transport = new StdioClientTransport({
      command: 'bash',
      args: ['-c', `exec ${commandFor('mcp-remote', place)}`],
      env: { ...room.env, AGENT_TOKEN: place.token },
      cwd: room.home,
      stderr: 'pipe',
    });
    let said = '';
    transport.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    try {
      await client.connect(transport);
    } catch (error) {
      throw new Error(`${String(error)}\n${said}`);
    }
    return callerOf(client);
  },
};
