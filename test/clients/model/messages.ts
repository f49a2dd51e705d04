import { MODEL, type Protocol, textOf, writeEvents, writeJson } from './protocol.ts';

interface Body {
  stream?: boolean;
  messages: { content: string | { type: string; content?: unknown }[] }[];
  tools?: { name: string; input_schema?: unknown }[];
}

const USAGE = { input_tokens: 1, output_tokens: 1 };

/** The Messages API of Anthropic. */
export const messages: Protocol = {
  accepts: (path) => path.endsWith('/messages'),
  read: (body) => {
    const { stream, messages: turns, tools = [] } = body as Body;
    const blocks = turns.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    return {
      tools: tools.map(({ name, input_schema }) => ({ name, schema: input_schema })),
      results: blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => textOf(content)),
      streams: stream === true,
    };
  },
  write: (response, reply, streams) => {
    const isCall = 'call' in reply;
    const block = isCall
      ? { type: 'tool_use', id: `toolu_${reply.id}`, name: reply.call.tool.name, input: reply.call.args }
      : { type: 'text', text: reply.text };
    const reason = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null };
    const message = { id: `msg_${reply.id}`, type: 'message', role: 'assistant', model: MODEL, usage: USAGE };
    if (!streams) {
      writeJson(response, { ...message, content: [block], ...reason });
      return;
    }
    const begin = isCall ? { ...block, input: {} } : { type: 'text', text: '' };
    const delta = isCall
      ? { type: 'input_json_delta', partial_json: JSON.stringify(reply.call.args) }
      : { type: 'text_delta', text: reply.text };
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: begin },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: reason, usage: USAGE },
      { type: 'message_stop' },
    ];
    writeEvents(
      response,
      events.map((data) => ({ event: data.type, data })),
    );
  },
};
