import { claimBatch, stageCapture } from '../../support/captures.ts';
import type { Answer, Ask } from '../../support/client/client.ts';
import { callTool } from '../../support/mcp.ts';
import { addMemory } from '../../support/memories.ts';
import { addSource } from '../../support/source-library.ts';
import { along, type Caller, CLAIM } from '../../support/team.ts';
import { file } from '../../support/workspace.ts';

/** Makes a credential that nothing else in the test contains. */
export type MakeSecret = () => string;

/** A request that stores texts, and what it answered. */
export interface Answered {
  way: string;
  status: number;
  text: string;
  /** The paths of the credentials in its body, which it is to report. */
  paths: string[];
}

const WITH_SECRET = /ghp_\w/;

/** Where a body has a credential, also in Base64. */
function pathsIn(value: unknown, path = ''): string[] {
  if (typeof value === 'string') {
    const isEncoded = path.endsWith('Base64');
    return WITH_SECRET.test(isEncoded ? Buffer.from(value, 'base64').toString() : value) ? [path] : [];
  }
  return Object.entries(value ?? {}).flatMap(([name, member]) => pathsIn(member, `${path}/${name}`));
}

/** Every request that stores a text, with a credential in each of its fields. Prepares what they need. */
export async function waysIn(
  company: Caller,
  admin: Caller & { wanted: string },
): Promise<((make: MakeSecret) => Promise<Answered>)[]> {
  const [review, published] = [await addMemory(company, 'review'), await addMemory(company, 'published')];
  const ofTool = await addMemory(company, 'review');
  const { id: sourceId } = await addSource(company);
  const request =
    <N extends keyof Ask>(
      operation: N,
      body: (make: MakeSecret) => object | Promise<object>,
      { path = [] as string[], caller = company } = {},
    ) =>
    async (make: MakeSecret): Promise<Answered> => {
      const sent = await body(make);
      const ask = caller.ask[operation] as (...given: unknown[]) => Promise<Answer>;
      const { statusCode, body: text } = await ask(...path, sent);
      // Of several decisions, each has a status of its own.
      const status = text.includes('"status":422') ? 422 : statusCode;
      return { way: operation, status, text, paths: pathsIn(sent) };
    };
  const tool =
    (way: string, args: (make: MakeSecret) => object | Promise<object>) =>
    async (make: MakeSecret): Promise<Answered> => {
      const given = await args(make);
      const { isError, text } = await callTool(company, way, given);
      const refused = text.startsWith('secret_detected') ? 422 : 400;
      return { way, status: isError ? refused : 200, text, paths: pathsIn(given) };
    };
  const batch = async () => {
    await stageCapture(company);
    const claimed = await claimBatch(company, { limit: 20 });
    return { batchId: claimed?.id ?? '', captureIds: claimed?.captures.map(({ id }) => id) ?? [] };
  };
  const texts = (make: MakeSecret) => ({ title: `Title ${make()}`, content: `It is ${make()}.` });
  const tags = (make: MakeSecret) => [`a ${make()}`];
  return [
    request('ingestSource', (make) => ({
      title: `Title ${make()}`,
      text: `Some text with ${make()} in it.`,
      uri: `https://files.test/${make()}`,
      externalId: `id ${make()}`,
      metadata: { note: make(), list: [make()], number: 1 },
      tags: tags(make),
    })),
    request('ingestSource', (make) => ({
      title: 'Chunks',
      chunks: [
        { text: 'A plain chunk.', embedding: along(3) },
        { text: `A chunk with ${make()}.`, embedding: along(4) },
      ],
      ...CLAIM,
    })),
    request('stageCapture', (make) => ({
      sessionId: `session ${make()}`,
      summary: `We used ${make()}.`,
      metadata: { note: make() },
    })),
    request('completeCaptures', async (make) => {
      const { batchId, captureIds } = await batch();
      const embedded = { captureIds, embedding: along(5), ...CLAIM };
      return {
        batchId,
        items: [
          { ...embedded, action: 'publish', ...texts(make), metadata: { note: make() }, tags: tags(make) },
          { ...embedded, action: 'review', title: 'Another', content: `Or ${make()}.` },
        ],
      };
    }),
    request('decideMemory', (make) => ({ action: 'publish', memoryId: review.id, ...texts(make) })),
    request('decideMemory', (make) => ({
      decisions: [{ action: 'update', memoryId: published.id, ...texts(make), tags: tags(make) }],
    })),
    request('changeSource', (make) => ({ title: `Title ${make()}`, tags: tags(make) }), { path: [sourceId] }),
    request('importFiles', (make) => ({
      items: [{ filename: `${make()}.txt`, title: `Title ${make()}`, tags: tags(make), text: 'plain words' }],
    })),
    request(
      'requestAccess',
      (make) => ({ teamId: admin.wanted, access: 'read', reason: `Because ${make()}` }),
      { caller: admin },
    ),
    request('searchMemory', (make) => ({
      query: `what is ${make()}`,
      scope: {},
      embeddingMode: 'keyword',
      storeQueryText: true,
    })),
    request('pushFiles', (make) => ({ files: [file(`team/a ${make()}.env`, `KEY=x\n${make()}\n`)] })),
    tool('remember', (make) => ({ title: make(), text: `Remember ${make()}.`, key: `key ${make()}` })),
    tool('stage_session', (make) => ({
      session: `s ${make()}`,
      sequence: 1,
      text: `Learned ${make()}.`,
    })),
    tool('complete_captures', async (make) => {
      const { batchId, captureIds } = await batch();
      return { batchId, items: [{ captureIds, action: 'review', ...texts(make) }] };
    }),
    tool('decide_memory', (make) => ({
      id: ofTool.id,
      version: ofTool.version,
      action: 'publish',
      ...texts(make),
    })),
  ];
}

/** Imports a text and an HTML page, each with a credential, and returns the ids. */
export async function importFiles(caller: Caller, make: MakeSecret): Promise<string[]> {
  const page = `<title>Page ${make()}</title><h1>Heading</h1><p>A page with ${make()} in it.</p>`;
  const { imports } = await caller.api.importFiles({
    items: [
      { filename: 'notes.txt', text: `First line.\n\nA note with ${make()} in it.` },
      { filename: 'page.html', contentBase64: Buffer.from(page).toString('base64') },
    ],
  });
  return imports.map(({ id }) => id);
}
