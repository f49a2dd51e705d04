import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { sendFeedback } from '../../support/feedback.ts';
import { callTool } from '../../support/mcp.ts';
import { addSource, archived, readSource } from '../../support/source-library.ts';
import { addClient, along, CLAIM } from '../../support/team.ts';

const service = await openTestApp();

/** A word that only the text of the archived source has, and only there: no title, tag or id. */
const WORD = 'quokka';
const PROSE = `The ${WORD} in hall four lost pressure again, so the crew closed valve nine and went home.`;
const TEXTS = [PROSE, `${PROSE} The pump and the valve are shut.`] as const;
const ALL = { include: ['team' as const, 'client' as const] };

/** A source among others, with a chunk that has a vector and one that has none. */
async function place() {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const scope = { clientId };
  const others = ['One pump of the hall.', 'The valve and the pump are shut.', 'A crew went home.'];
  for (const [n, text] of others.entries()) {
    const chunks = [{ text, embedding: along(n + 1) }];
    await addSource(company, {
      title: `Other ${n}`,
      chunks,
      ...CLAIM,
      ...(n === 1 ? { scope } : {}),
    });
  }
  const source = await addSource(company, {
    title: 'A report',
    tags: ['night'],
    scope,
    chunks: [{ text: PROSE, embedding: along(1) }, { text: TEXTS[1] }],
    ...CLAIM,
  });
  const opened = await readSource(company, source.id);
  const body = { query: WORD, scope: ALL, queryEmbedding: along(1), ...CLAIM };
  const { queryId } = await company.api.searchMemory(body);
  return { company, clientId, source, chunkIds: opened.chunks.map(({ chunk_id }) => chunk_id), queryId };
}

type Place = Awaited<ReturnType<typeof place>>;

/** What a search of all layers answers, by words and by meaning unless the body says otherwise. */
const searched = async ({ company }: Place, body: object) =>
  (await company.ask.searchMemory({ scope: ALL, queryEmbedding: along(1), ...CLAIM, ...body })).body;
const toolTold = async ({ company }: Place, tool: string, args: object) =>
  (await callTool(company, tool, args)).text;

/** Everything that a reader can ask for. Each answer has the word if it can read the text of the source. */
const READERS: Record<string, (place: Place) => Promise<string>> = {
  'a search by words': async ({ company }) =>
    (await company.ask.searchMemory({ query: `${WORD} crew`, scope: ALL, embeddingMode: 'keyword' })).body,
  'a search by meaning': (at) => searched(at, { query: 'zzyzx' }),
  'a search of one source': (at) => searched(at, { query: 'crew', sourceIds: [at.source.id] }),
  'a search with neighbours': (at) => searched(at, { query: 'crew valve', neighbours: 2 }),
  'an expand': async ({ company, chunkIds }) =>
    (await company.ask.expandChunk({ chunkId: chunkIds[0] })).body,
  'a source with its chunks': async ({ company, source }) => (await company.ask.getSource(source.id)).body,
  'a claim of chunks without vectors': async ({ company }) =>
    (await company.ask.claimEmbeddings({ limit: 256 })).body,
  'the tool search': (at) => toolTold(at, 'search', { query: `${WORD} crew`, client: 'all' }),
  'the tool fetch': (at) => toolTold(at, 'fetch', { id: at.source.id }),
  'the tool expand': (at) => toolTold(at, 'expand', { chunk: at.chunkIds[0] }),
};

describe('the text of an archived source', () => {
  test('is read by no route, and by each of them again after it is restored', async () => {
    const at = await place();
    const { company, source } = at;
    const read = async () => {
      const readers: string[] = [];
      for (const [name, ask] of Object.entries(READERS))
        if ((await ask(at)).includes(WORD)) readers.push(name);
      return readers;
    };
    const all = Object.keys(READERS);
    assert.deepEqual(await read(), all);
    await archived(company, source.id);
    assert.deepEqual(await read(), []);
    await company.api.restoreSource(source.id);
    assert.deepEqual(await read(), all);
  });

  test('leaves no tag, explanation, near duplicate or feedback of it', async () => {
    const { company, clientId, source, chunkIds, queryId } = await place();
    const scope = { clientId };
    await archived(company, source.id);
    assert.doesNotMatch((await company.ask.listTags()).body, /night/);
    const asked = { query: WORD, scope: ALL, embeddingMode: 'keyword', explainSource: source.id };
    const { explain } = await company.api.searchMemory(asked);
    assert.deepEqual([explain?.source?.reason, explain?.source?.terms], ['archived', []]);
    // The same words, so that their similarity is no estimate.
    const near = { title: 'x', chunks: TEXTS.map((text) => ({ text: text.toUpperCase() })), scope };
    const similar = async () => (await company.api.ingestSource(near)).similarSources.length;
    assert.equal(await similar(), 0);
    const given = await sendFeedback(company, { queryId, chunkId: chunkIds[0], verdict: 'wrong' });
    assert.equal(given.statusCode, 404);
    await company.api.restoreSource(source.id);
    assert.equal(await similar(), 1);
    assert.match((await company.ask.listTags()).body, /night/);
  });
});
