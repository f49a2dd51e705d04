import { toWebRequest } from '@modelcontextprotocol/node';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Body } from '../../shared/schemas/common.ts';
import { assertStorableBody } from '../bodies/storable.ts';
import { limitHeaders } from '../plugins/errors.ts';
import { disconnectSignal } from '../request/disconnect-signal.ts';
import { MCP_JSON_LIMITS } from '../request/json-limits.ts';
import type { Routes } from '../types.ts';
import { MCP_ADDRESS } from './address.ts';
import { callTool, type ToolRequest } from './call-tool.ts';
import { fromAllowedOrigin } from './origin.ts';
import { isListed } from './permitted.ts';
import { openProtocol } from './protocol.ts';
import { inToolSpan } from './tool-span.ts';
import { TOOLS } from './tools/index.ts';
import { readMessage } from './wire/message.ts';

type NodeRequest = Parameters<typeof toWebRequest>[0];

const Fields = Type.Record(Type.String(), Type.Unknown());
const head = { jsonrpc: Type.Literal('2.0'), id: Type.Optional(Type.Unknown()) };
/** A request or a notification of the protocol. */
const McpRequest = Body(
  { ...head, method: Type.String(), params: Type.Optional(Fields) },
  'one JSON-RPC 2.0 message of the Model Context Protocol',
);
/** An answer of the protocol. */
const McpResponse = Type.Object({
  ...head,
  result: Type.Optional(Fields),
  error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
});

/** A response with an error of the protocol. */
const refusal = (description: string) => ({
  description,
  content: { 'application/json': { schema: McpResponse } },
});

/** The request as the library takes it. It needs no address, and that of a caller may not be one. */
function webRequestOf({ headers }: FastifyRequest, message: unknown): Promise<Request> {
  const request = { method: 'POST', url: '/', headers: { ...headers, host: 'localhost' } };
  return toWebRequest(request as unknown as NodeRequest, message);
}

/** POST /v1/mcp: the Model Context Protocol, without sessions and without streams. */
export const mcpRoute: Routes = (app, deps) => {
  const answerMessage = openProtocol(deps.logger);
  app.post(
    MCP_ADDRESS,
    {
      onRequest: fromAllowedOrigin(deps.config),
      // The protocol answers a message that is not valid with an error of its own.
      attachValidation: true,
      // Each tool checks what it needs. A fault of the arguments and a rate limit are results of a call.
      config: { permission: 'any', jsonLimits: MCP_JSON_LIMITS, checksBody: true, answersOverLimit: true },
      errorHandler: (error, { overLimit }) => {
        throw overLimit ?? error;
      },
      schema: {
        operationId: 'sendMcpMessage',
        summary: 'Call tools by the Model Context Protocol',
        tags: ['mcp'],
        body: McpRequest,
        response: {
          200: McpResponse,
          202: Type.Null({ description: 'Accepted: the message was a notification' }),
          400: refusal('The message is not valid in the protocol, or a batch'),
          404: refusal('The method does not exist in the protocol'),
        },
      },
    },
    async (request, reply) => {
      const { body, identity, overLimit } = request;
      const { message, args, isCall } = readMessage(body);
      if (overLimit !== null) {
        if (!isCall) throw overLimit;
        reply.headers(limitHeaders(overLimit));
      }
      assertStorableBody(message, false);
      const asking: ToolRequest = {
        deps: { ...deps, embedder: app.queryEmbedder },
        request,
        reply,
        signal: disconnectSignal(reply),
      };
      const answer = await answerMessage(await webRequestOf(request, message), message, {
        tools: TOOLS.filter((tool) => isListed(tool, identity)),
        knows: (name) => TOOLS.some((tool) => tool.name === name),
        call: (name) => inToolSpan(message, name, () => callTool(asking, name, args)),
      });
      // Not the web response itself: Fastify would set its status after the hooks that read the status. As bytes, because
      // Fastify adds a charset to the type of a text, which programs do not expect.
      reply.code(answer.status as 200).headers(Object.fromEntries(answer.headers));
      const text = Buffer.from(await answer.text());
      return reply.send((text.length === 0 ? undefined : text) as never);
    },
  );
};
