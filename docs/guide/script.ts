import * as memory from './client.ts';

const options = { headers: { authorization: `Bearer ${process.env['AGENT_TOKEN']}` } };

/** The data of a success. An error names its code, and what is wrong. */
function dataOf<R extends { status: number; data: unknown }>(answer: R) {
  if (answer.status >= 300) {
    const { code, detail } = answer.data as memory.Problem;
    throw new Error(`${code}: ${detail}`);
  }
  return answer.data as Extract<R, { status: 200 | 201 }>['data'];
}

const ferry = { title: 'Ferry', text: 'The ferry to the island leaves at 7:40.', externalId: 'ferry' };
const { source, duplicate } = dataOf(await memory.ingestSource(ferry, options));
console.log(duplicate ? 'Known:' : 'Stored:', source.title);

const search = { query: 'island ferry', embeddingMode: 'auto', topK: 1 } as const;
const { hits } = dataOf(await memory.searchMemory(search, options));
for (const { title, text } of hits) console.log(`${title}: ${text}`);
