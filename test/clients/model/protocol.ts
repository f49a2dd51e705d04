import type { IncomingMessage, ServerResponse } from 'node:http';

/** A tool that a program offers to the model, by the name that the model must use. */
export interface OfferedTool {
  name: string;
  /** The group that the tool belongs to, where a protocol has groups. */
  namespace?: string;
  /** The schema of its arguments. */
  schema?: unknown;
}

/** What a program asks of the model, in whatever protocol. */
export interface Asked {
  /** The whole request. */
  body: unknown;
  tools: OfferedTool[];
  /** The texts of the results of tools in this conversation, oldest first. */
  results: string[];
  /** Whether the answer is to be sent in pieces. */
  streams: boolean;
}

/** What the model answers: a call of one tool, or a text, which ends the turn. Its id occurs once: programs replace messages of the same id. */
export type Reply = { id: string } & ({ call: { tool: OfferedTool; args: object } } | { text: string });

/** How one kind of model server speaks. */
export interface Protocol {
  /** Whether a request is one for an answer of the model. */
  accepts: (path: string) => boolean;
  read: (body: unknown, request: IncomingMessage) => Omit<Asked, 'body'>;
  write: (response: ServerResponse, reply: Reply, streams: boolean) => void;
}

/** The name that the answers give the model. */
export const MODEL = 'scripted';

export function writeJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Sends events of a stream, each as one line of JSON, with the name of the event if it has one. */
export function writeEvents(
  response: ServerResponse,
  events: readonly { event?: string; data: unknown }[],
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { event, data } of events) {
    if (event !== undefined) response.write(`event: ${event}\n`);
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}

/** The text of a content that is a text, or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content.map((part: { text?: string }) => part.text ?? JSON.stringify(part)).join('\n');
}
