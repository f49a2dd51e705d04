import { MODEL, type OfferedTool, type Protocol, textOf, writeEvents, writeJson } from './protocol.ts';

interface Tool {
  type: string;
  name?: string;
  parameters?: unknown;
  /** Of a tool of the type `namespace`. */
  tools?: Tool[];
}

interface Body {
  stream?: boolean;
  input: string | { type?: string; output?: unknown }[];
  tools?: Tool[];
}

const USAGE = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

/** The tools of a request, those in a namespace too. */
function offered(tools: readonly Tool[], namespace?: string): OfferedTool[] {
  return tools.flatMap((tool) => {
    if (tool.type === 'namespace') return offered(tool.tools ?? [], tool.name);
    if (tool.name === undefined) return [];
    const group = namespace === undefined ? {} : { namespace };
    return [{ name: tool.name, schema: tool.parameters, ...group }];
  });
}

/** The Responses API of OpenAI. */
export const responses: Protocol = {
  accepts: (path) => path.endsWith('/responses'),
  read: (body) => {
    const { stream, input, tools = [] } = body as Body;
    const items = typeof input === 'string' ? [] : input;
    return {
      tools: offered(tools),
      results: items
        .filter(({ type }) => type === 'function_call_output')
        .map(({ output }) => textOf(output)),
      streams: stream === true,
    };
  },
  write: (response, reply, streams) => {
    const args = 'call' in reply ? JSON.stringify(reply.call.args) : '';
    const item =
      'call' in reply
        ? {
            type: 'function_call',
            id: `fc_${reply.id}`,
            call_id: `call_${reply.id}`,
            name: reply.call.tool.name,
            ...(reply.call.tool.namespace === undefined ? {} : { namespace: reply.call.tool.namespace }),
            arguments: args,
            status: 'completed',
          }
        : {
            type: 'message',
            id: `msg_${reply.id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: reply.text, annotations: [] }],
          };
    const begun = { id: `resp_${reply.id}`, object: 'response', created_at: 1, model: MODEL };
    const whole = { ...begun, status: 'completed', output: [item], usage: USAGE };
    if (!streams) {
      writeJson(response, whole);
      return;
    }
    const at = { output_index: 0, item_id: item.id };
    const inner =
      'call' in reply
        ? [
            { type: 'response.function_call_arguments.delta', ...at, delta: args },
            { type: 'response.function_call_arguments.done', ...at, arguments: args },
          ]
        : [{ type: 'response.output_text.delta', ...at, content_index: 0, delta: reply.text }];
    const events = [
      { type: 'response.created', response: { ...begun, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      ...inner,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ];
    writeEvents(
      response,
      events.map((data, index) => ({ event: data.type, data: { sequence_number: index, ...data } })),
    );
  },
};
