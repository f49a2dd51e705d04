import { toWebRequest } from '@modelcontextprotocol/node';
import { Type } from 'typebox';
import { disconnectSignal } from '../request/disconnect-signal.ts';
import type { Routes } from '../types.ts';
import { callTool, type ToolRequest } from './call-tool.ts';
import { fromAllowedOrigin } from './origin.ts';
import { isListed } from './permitted.ts';
import { openProtocol } from './protocol.ts';
import { TOOLS } from './tools/index.ts';

/** A request that Fastify has received, which always has a method. */
type NodeRequest = Parameters<typeof toWebRequest>[0];

/** A message of JSON-RPC 2.0. The protocol answers one that is not valid with an error of its own. */
const McpMessage = Type.Unknown({ description: 'one JSON-RPC 2.0 message of the Model Context Protocol' });

/** POST /v1/mcp: the Model Context Protocol, without sessions and without streams. */
export const mcpRoute: Routes = (app, deps) => {
  const answerMessage = openProtocol(deps.logger);
  app.post(
    '/v1/mcp',
    {
      onRequest: fromAllowedOrigin(deps.config),
      // Each tool checks what it needs.
      config: { permission: 'any' },
      schema: {
        summary: 'Call tools by the Model Context Protocol',
        tags: ['mcp'],
        body: McpMessage,
        response: {
          200: McpMessage,
          202: Type.Null({ description: 'Accepted: the message was a notification' }),
        },
      },
    },
    async (request, reply) => {
      const { body, identity } = request;
      const asking: ToolRequest = {
        deps: { ...deps, embedder: app.queryEmbedder },
        request,
        reply,
        signal: disconnectSignal(reply),
      };
      const answer = await answerMessage(await toWebRequest(request.raw as NodeRequest, body), body, {
        tools: TOOLS.filter((tool) => isListed(tool, identity)),
        knows: (name) => TOOLS.some((tool) => tool.name === name),
        call: (name, args) => callTool(asking, name, args),
      });
      return reply.send(answer);
    },
  );
};
