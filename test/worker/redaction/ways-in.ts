import { claimBatch, stageCapture } from '../../support/captures.ts';
import type { Method } from '../../support/client/client.ts';
import { callTool } from '../../support/mcp.ts';
import { addMemory } from '../../support/memories.ts';
import { along, type Caller, CLAIM } from '../../support/team.ts';
import { file } from '../../support/workspace.ts';

/** Makes a credential that nothing else in the test contains. */
export type MakeSecret = () => string;

/** What a request answered: its status, and its body as text. */
export interface Answered {
  way: string;
  status: number;
  text: string;
}

interface WayIn {
  way: string;
  /** The paths of the credentials that it reports, in order. */
  paths: string[];
  /** Whether it is accepted in the mode `redact`: a push is not. */
  isRefusedInRedact?: true;
  send: (make: MakeSecret) => Promise<Answered>;
}

/** Every request that stores a text, with a credential in each of its fields. Prepares what they need. */
export async function waysIn(company: Caller, admin: Caller & { wanted: string }): Promise<WayIn[]> {
  const review = await addMemory(company, 'review');
  const published = await addMemory(company, 'published');
  const ofTool = await addMemory(company, 'review');
  const ingested = await company.ask.ingestSource({ title: 'x', text: 'plain' });
  const sourceId = ingested.json<{ source: { id: string } }>().source.id;
  const request = async (way: string, caller: Caller, method: Method, url: string, body: object) => {
    const { statusCode, body: text } = await caller.send(method, url, body);
    return { way, status: statusCode, text };
  };
  const post = (url: string, body: object) => request(`POST ${url}`, company, 'POST', url, body);
  const tool = async (name: string, args: object) => {
    const { isError, text } = await callTool(company, name, args);
    const refused = text.startsWith('secret_detected') ? 422 : 400;
    return { way: name, status: isError ? refused : 200, text };
  };
  const batch = async () => {
    await stageCapture(company);
    const claimed = await claimBatch(company, { limit: 20 });
    return { batchId: claimed?.id ?? '', captureIds: claimed?.captures.map(({ id }) => id) ?? [] };
  };
  const tags = (secret: string) => [`a ${secret}`];
  return [
    {
      way: 'ingest of a text',
      paths: ['/title', '/text', '/uri', '/externalId', '/metadata/note', '/metadata/list/0', '/tags/0'],
      send: (make) =>
        post('/v1/memory/ingest', {
          title: `Title ${make()}`,
          text: `Some text with ${make()} in it.`,
          uri: `https://files.test/${make()}`,
          externalId: `id ${make()}`,
          metadata: { note: make(), list: [make()], number: 1 },
          tags: tags(make()),
        }),
    },
    {
      way: 'ingest of chunks',
      paths: ['/chunks/1/text'],
      send: (make) =>
        post('/v1/memory/ingest', {
          title: 'Chunks',
          chunks: [
            { text: 'A plain chunk.', embedding: along(3) },
            { text: `A chunk with ${make()}.`, embedding: along(4) },
          ],
          ...CLAIM,
        }),
    },
    {
      way: 'capture',
      paths: ['/sessionId', '/summary', '/metadata/note'],
      send: (make) =>
        post('/v1/memory/captures', {
          sessionId: `session ${make()}`,
          summary: `We used ${make()}.`,
          metadata: { note: make() },
        }),
    },
    {
      way: 'completed items',
      paths: [
        '/items/0/title',
        '/items/0/content',
        '/items/0/metadata/note',
        '/items/0/tags/0',
        '/items/1/content',
      ],
      send: async (make) => {
        const { batchId, captureIds } = await batch();
        const fields = { title: `Title ${make()}`, content: `It is ${make()}.`, metadata: { note: make() } };
        const items = [
          { captureIds, action: 'publish', ...fields, tags: tags(make()), embedding: along(5), ...CLAIM },
          {
            captureIds,
            action: 'review',
            title: 'Another',
            content: `Or ${make()}.`,
            embedding: along(6),
            ...CLAIM,
          },
        ];
        return post('/v1/memory/consolidation/complete', { batchId, items });
      },
    },
    {
      way: 'publication with an edited text',
      paths: ['/title', '/content'],
      send: (make) =>
        post('/v1/memory/memories', {
          action: 'publish',
          memoryId: review.id,
          title: `Title ${make()}`,
          content: `Content ${make()}.`,
        }),
    },
    {
      way: 'update of a memory',
      paths: ['/decisions/0/title', '/decisions/0/content', '/decisions/0/tags/0'],
      send: async (make) => {
        const fields = { title: `Title ${make()}`, content: `Content ${make()}.`, tags: tags(make()) };
        const decisions = [{ action: 'update', memoryId: published.id, ...fields }];
        const answer = await post('/v1/memory/memories', { decisions });
        return { ...answer, status: answer.text.includes('"status":422') ? 422 : answer.status };
      },
    },
    {
      way: 'change of a source',
      paths: ['/title', '/tags/0'],
      send: (make) =>
        request('PATCH source', company, 'PATCH', `/v1/memory/sources/${sourceId}`, {
          title: `Title ${make()}`,
          tags: tags(make()),
        }),
    },
    {
      way: 'names of an import',
      paths: ['/items/0/filename', '/items/0/title', '/items/0/tags/0'],
      send: (make) =>
        post('/v1/memory/imports', {
          items: [
            { filename: `${make()}.txt`, title: `Title ${make()}`, tags: tags(make()), text: 'plain words' },
          ],
        }),
    },
    {
      way: 'reason of an access request',
      paths: ['/reason'],
      send: (make) =>
        request('access request', admin, 'POST', '/v1/company/access-requests', {
          teamId: admin.wanted,
          access: 'read',
          reason: `Because ${make()}`,
        }),
    },
    {
      way: 'stored query',
      paths: ['/query'],
      send: (make) =>
        post('/v1/memory/search', {
          query: `what is ${make()}`,
          scope: {},
          embeddingMode: 'keyword',
          storeQueryText: true,
        }),
    },
    {
      way: 'push',
      paths: ['/files/0/path', '/files/0/contentBase64'],
      isRefusedInRedact: true,
      send: (make) =>
        post('/v1/workspace/push', { files: [file(`team/a ${make()}.env`, `KEY=x\n${make()}\n`)] }),
    },
    {
      way: 'remember',
      paths: ['/title', '/text', '/key'],
      send: (make) =>
        tool('remember', { title: `T ${make()}`, text: `Remember ${make()}.`, key: `key ${make()}` }),
    },
    {
      way: 'stage_session',
      paths: ['/session', '/text'],
      send: (make) =>
        tool('stage_session', { session: `s ${make()}`, sequence: 1, text: `Learned ${make()}.` }),
    },
    {
      way: 'complete_captures',
      paths: ['/items/0/title', '/items/0/content'],
      send: async (make) => {
        const { batchId, captureIds } = await batch();
        const item = { captureIds, action: 'review', title: `Title ${make()}`, content: `It is ${make()}.` };
        return tool('complete_captures', { batchId, items: [item] });
      },
    },
    {
      way: 'decide_memory',
      paths: ['/title', '/content'],
      send: (make) =>
        tool('decide_memory', {
          id: ofTool.id,
          version: ofTool.version,
          action: 'publish',
          title: `Title ${make()}`,
          content: `It is ${make()}.`,
        }),
    },
  ];
}

/** Imports a text and an HTML page, each with a credential, and returns the ids. */
export async function importFiles(caller: Caller, make: MakeSecret): Promise<string[]> {
  const page = `<title>Page ${make()}</title><h1>Heading</h1><p>A page with ${make()} in it.</p>`;
  const answer = await caller.ask.importFiles({
    items: [
      { filename: 'notes.txt', text: `First line.\n\nA note with ${make()} in it.` },
      { filename: 'page.html', contentBase64: Buffer.from(page).toString('base64') },
    ],
  });
  return answer.json<{ imports: { id: string }[] }>().imports.map(({ id }) => id);
}
