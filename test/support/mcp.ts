import assert from 'node:assert/strict';
import { Value } from 'typebox/value';
import { TOOLS } from '../../api/mcp/tools/index.ts';
import { type Caller } from './team.ts';

/** What a tool returned: its value, or the text of its error. */
export interface Called<T = Record<string, unknown>> {
  value: T;
  /** The text of the answer. */
  text: string;
  isError: boolean;
}

/** Sends a message of the protocol, in the revision of 2025. */
export function sendMessage(
  caller: Caller,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
) {
  return caller.ask.sendMcpMessage({ jsonrpc: '2.0', id: 1, method, params }, headers);
}

/** Calls a tool, whatever comes of it. An answer must have the same JSON as a value and as text, as the tool describes it. */
export async function callTool<T = Record<string, unknown>>(
  caller: Caller,
  name: string,
  args: object = {},
): Promise<Called<T>> {
  const answer = await sendMessage(caller, 'tools/call', { name, arguments: args });
  assert.equal(answer.statusCode, 200, answer.body);
  const { result } = answer.json<{
    result: { content: { type: string; text: string }[]; structuredContent?: T; isError?: boolean };
  }>();
  assert.ok(result, answer.body);
  const [content, ...others] = result.content;
  assert.equal(content?.type, 'text');
  assert.deepEqual(others, []);
  const { text } = content;
  if (result.isError === true) {
    assert.equal(result.structuredContent, undefined);
    return { value: {} as T, text, isError: true };
  }
  assert.deepEqual(JSON.parse(text), result.structuredContent);
  const tool = TOOLS.find((candidate) => candidate.name === name);
  assert.ok(tool);
  assert.deepEqual(Value.Errors(tool.output, result.structuredContent), []);
  return { value: result.structuredContent as T, text, isError: false };
}

/** What a tool returns where the call is to succeed. */
export async function called<T = Record<string, unknown>>(
  caller: Caller,
  name: string,
  args: object = {},
): Promise<T> {
  const { value, isError, text } = await callTool<T>(caller, name, args);
  assert.equal(isError, false, text);
  return value;
}

/** `ok`, or the code of the error that a tool returned. */
export async function toolOutcome(caller: Caller, name: string, args: object = {}): Promise<string> {
  const { isError, text } = await callTool(caller, name, args);
  return isError ? (text.split(':', 1)[0] ?? '') : 'ok';
}

/** The names of the tools that a caller sees, in order. */
export async function listedTools(caller: Caller): Promise<string[]> {
  const answer = await sendMessage(caller, 'tools/list');
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<{ result: { tools: { name: string }[] } }>().result.tools.map(({ name }) => name);
}
