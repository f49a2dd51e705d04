import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { chatCompletions } from './chat-completions.ts';
import { generateContent } from './generate-content.ts';
import { messages } from './messages.ts';
import { type Asked, MODEL, type OfferedTool, type Reply, writeJson } from './protocol.ts';
import { responses } from './responses.ts';

const PROTOCOLS = [chatCompletions, responses, messages, generateContent];

/** A call that the model asks for. Its arguments can depend on the results of the calls before it. */
export interface WantedCall {
  tool: string;
  args: (results: readonly string[]) => object;
}

/** A server of a model that follows a script, whatever it is told. */
export interface ScriptedModel {
  url: string;
  /** All that was asked of the model, oldest first. */
  asked: Asked[];
  /** Requests that it does not know, by method and path. */
  unknown: string[];
}

/** The text with which the model ends each turn. */
export const LAST_TEXT = 'All calls are done.';

/** What programs put before the names of the service's tools: `mcp__team-memory__`, `team-memory_`. */
const BEFORE = /^(?:mcp_+)?team[-_]memory[-_]+$/;

/** Whether a tool is this one of the service. */
export function isToolOfService({ namespace, name }: OfferedTool, wanted: string): boolean {
  const full = namespace === undefined ? name : `${namespace}__${name}`;
  return full === wanted || (full.endsWith(wanted) && BEFORE.test(full.slice(0, -wanted.length)));
}

/**
 * What follows in a conversation. It is read from the conversation itself, because programs ask the same model for
 * titles and other things in between.
 */
function replyTo({ tools, results }: Asked, calls: readonly WantedCall[]): Reply {
  const id = randomUUID().replaceAll('-', '');
  const next = calls[results.length];
  if (next === undefined) return { id, text: LAST_TEXT };
  const tool = tools.find((offered) => isToolOfService(offered, next.tool));
  if (tool === undefined) return { id, text: `The tool ${next.tool} is not offered.` };
  return { id, call: { tool, args: next.args(results) } };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as unknown);
}

/** Starts a model that asks for these calls, one after the other. It ends when the tests of the file are done. */
export async function startModel(calls: readonly WantedCall[]): Promise<ScriptedModel> {
  const asked: Asked[] = [];
  const unknown: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url = '/' } = request;
    const path = url.split('?', 1)[0] ?? '';
    const body = await readBody(request);
    const protocol = method === 'POST' ? PROTOCOLS.find(({ accepts }) => accepts(path)) : undefined;
    if (protocol !== undefined) {
      const one = { ...protocol.read(body, request), body };
      asked.push(one);
      protocol.write(response, replyTo(one, calls), one.streams);
      return;
    }
    if (path.endsWith('/models'))
      return writeJson(response, { object: 'list', data: [{ id: MODEL, object: 'model' }] });
    unknown.push(`${method} ${path}`);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not found"}}');
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      unknown.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, unknown };
}
