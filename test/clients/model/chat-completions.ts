import { MODEL, type Protocol, textOf, writeEvents, writeJson } from './protocol.ts';

interface Body {
  stream?: boolean;
  messages: { role: string; content: unknown }[];
  tools?: { function: { name: string; parameters?: unknown } }[];
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** The chat completions of OpenAI, as llama.cpp and others have them too. */
export const chatCompletions: Protocol = {
  accepts: (path) => path.endsWith('/chat/completions'),
  read: (body) => {
    const { stream, messages, tools = [] } = body as Body;
    return {
      tools: tools.map(({ function: { name, parameters } }) => ({ name, schema: parameters })),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)),
      streams: stream === true,
    };
  },
  write: (response, reply, streams) => {
    const message =
      'call' in reply
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                index: 0,
                id: `call_${reply.id}`,
                type: 'function',
                function: { name: reply.call.tool.name, arguments: JSON.stringify(reply.call.args) },
              },
            ],
          }
        : { role: 'assistant', content: reply.text };
    const reason = 'call' in reply ? 'tool_calls' : 'stop';
    const common = { id: `chatcmpl-${reply.id}`, created: 1, model: MODEL };
    if (!streams) {
      const choices = [{ index: 0, message, finish_reason: reason }];
      writeJson(response, { ...common, object: 'chat.completion', choices, usage: USAGE });
      return;
    }
    const chunk = { ...common, object: 'chat.completion.chunk' };
    writeEvents(response, [
      { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
      { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }] } },
      { data: { ...chunk, choices: [], usage: USAGE } },
      { data: '[DONE]' },
    ]);
  },
};
