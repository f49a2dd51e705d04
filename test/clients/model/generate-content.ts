import { MODEL, type Protocol, writeEvents, writeJson } from './protocol.ts';

interface Body {
  contents: { parts?: { functionResponse?: { response?: { output?: unknown } } }[] }[];
  tools?: {
    functionDeclarations?: { name: string; parametersJsonSchema?: unknown; parameters?: unknown }[];
  }[];
}

const isStream = (path: string) => path.endsWith(':streamGenerateContent');

/** The content generation of Gemini. */
export const generateContent: Protocol = {
  accepts: (path) => isStream(path) || path.endsWith(':generateContent'),
  read: (body, { url = '' }) => {
    const { contents, tools = [] } = body as Body;
    const parts = contents.flatMap((content) => content.parts ?? []);
    return {
      tools: tools
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map(({ name, parametersJsonSchema, parameters }) => ({
          name,
          schema: parametersJsonSchema ?? parameters,
        })),
      results: parts.flatMap(({ functionResponse }) => {
        if (functionResponse === undefined) return [];
        const output = functionResponse.response?.output ?? functionResponse.response;
        return [typeof output === 'string' ? output : JSON.stringify(output)];
      }),
      streams: isStream(url.split('?', 1)[0] ?? ''),
    };
  },
  write: (response, reply, streams) => {
    const part =
      'call' in reply
        ? { functionCall: { id: `call_${reply.id}`, name: reply.call.tool.name, args: reply.call.args } }
        : { text: reply.text };
    const answer = {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: MODEL,
    };
    if (streams) writeEvents(response, [{ data: answer }]);
    else writeJson(response, answer);
  },
};
