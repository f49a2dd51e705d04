import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { countTokens } from '../../api/mcp/text.ts';
import { newAgentToken } from '../../shared/formats/agent-token.ts';
import { newId } from '../../shared/ids.ts';
import type { Nothing } from '../../shared/schemas/search.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { callerOf } from '../support/client/client.ts';
import { plantImports } from '../support/import-records.ts';
import { callTool } from '../support/mcp.ts';
import { addMemories } from '../support/memories.ts';

const service = await openTestApp();

const MOST = 10_000;
const MOST_OF_FETCH = 20_000;

/** Calls a tool that is to succeed. Its text must be within the bound. */
async function bounded<T>(company: SignedIn, name: string, args: object = {}): Promise<T> {
  const { value, text, isError } = await callTool<T>(company, name, args);
  assert.equal(isError, false, text);
  const most = name === 'fetch' ? MOST_OF_FETCH : MOST;
  assert.ok(countTokens(text) <= most, `${name}: ${countTokens(text)} tokens`);
  return value;
}

/** All parts of a text, each with the position at which it was fetched. */
async function fetchParts(company: SignedIn, id: string): Promise<{ at: string; text: string }[]> {
  const parts: { at: string; text: string }[] = [];
  for (let at: string | null = id; at !== null; ) {
    type Part = { text: string; metadata: { next: string | null } };
    const part: Part = await bounded<Part>(company, 'fetch', { id: at });
    parts.push({ at, text: part.text });
    at = part.metadata.next;
  }
  return parts;
}

/** Characters of one to six characters in JSON, of one or two code units, and of a fifth to five tokens. */
const filler = fc.constantFrom('a', ' ', '\n', '"', '\\', '\u0001', 'é', '𝄞', '…', '日', 'ཀ', '7');
/** A text of so many characters: mostly of one kind, so that lengths reach the limits. */
const textOf = (maxLength: number) =>
  fc
    .record({ filler, length: fc.oneof(fc.integer({ min: 0, max: maxLength }), fc.constant(maxLength)) })
    .map(({ filler: character, length }) => character.repeat(length));
const named = (maxLength: number) => textOf(maxLength - 1).map((text) => `n${text}`);

const source = fc.record({
  title: named(300),
  uri: fc.option(named(2000).map((text) => `https://a.example/${text}`.slice(0, 2000).toWellFormed())),
  metadata: fc.constantFrom({}, { note: 'x'.repeat(16_000) }, { note: '"'.repeat(8_000) }),
  chunks: fc.array(
    textOf(7_990).map((text) => `walrus ${text}`),
    { minLength: 1, maxLength: 12 },
  ),
});

test('no answer about sources is longer than its bound, whatever they contain, and fetch leaves nothing out', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(source, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 50 }),
      async (sources, limit) => {
        const company = await service.company();
        for (const { title, uri, metadata, chunks } of sources) {
          // Equal texts would be one source, and equal chunks one hit.
          const own = chunks.map((text) => ({ text: `${newId()} ${text}`.slice(0, 8000).toWellFormed() }));
          const body = { title, metadata, chunks: own, ...(uri !== null && { uri }) };
          await company.api.ingestSource(body);
        }
        type Found = {
          results: { id: string; text: string; location: { chunkId: string } }[];
          note?: string;
        };
        const { results, note } = await bounded<Found>(company, 'search', { query: 'walrus', limit });
        assert.ok(results.length > 0 && results.every(({ text }) => text !== ''));
        if (results.length < Math.min(limit, sources.length)) assert.match(note ?? '', /did not fit/);
        for (const { id, location } of results.slice(0, 2)) {
          const expanded = await bounded<{ chunks: { chunk_id: string }[] }>(company, 'expand', {
            chunk: location.chunkId,
            before: 10,
            after: 10,
          });
          assert.ok(expanded.chunks.some(({ chunk_id }) => chunk_id === location.chunkId));
          let text = '';
          for (const part of await fetchParts(company, id)) {
            // A position with an offset is within a chunk.
            text += text === '' || part.at.split(':').length === 3 ? part.text : `\n\n${part.text}`;
          }
          const stored = await service.database.query<{ text: string }>(
            'select text from memory.chunk where source_id = $1 order by ordinal',
            [id],
          );
          assert.equal(text, stored.map(({ text }) => text).join('\n\n'));
        }
      },
    ),
    { numRuns: 15 },
  );
});

test('no answer about captures is longer than its bound, and no summary loses a character', async () => {
  const capture = fc.record({
    sessionId: named(300),
    summary: named(64_000),
    // The last one does not fit into an answer.
    metadata: fc.constantFrom({}, { note: '"'.repeat(3_000) }, { note: '"'.repeat(8_000) }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(capture, { minLength: 1, maxLength: 20 }), async (captures) => {
      const company = await service.company();
      // Captures show the name of their agent token, which is long in JSON.
      const agent = await createAgent(service, company, company, { name: `n${'\u0001'.repeat(299)}` });
      const staged = new Map<string, string>();
      for (const given of captures) {
        const { id } = await stageCapture(agent, given);
        staged.set(id, given.summary);
      }
      type Claimed = {
        batch: { captures: { id: string; summary: string; next?: string }[] } | null;
        rest?: { summary: string; next: string | null };
      };
      const read = new Map<string, string>();
      for (;;) {
        const { batch } = await bounded<Claimed>(company, 'claim_captures', { limit: 20 });
        if (batch === null) break;
        for (const { id, summary, next: first } of batch.captures) {
          let text = summary;
          for (let next = first ?? null; next !== null; ) {
            const { rest } = await bounded<Claimed>(company, 'claim_captures', { next });
            text += rest?.summary ?? '';
            next = rest?.next ?? null;
          }
          read.set(id, text);
        }
      }
      assert.deepEqual(read, staged);
    }),
    { numRuns: 10 },
  );
});

test('an answer says that it has only a part of a passage, and where the rest is', async () => {
  const company = await service.company();
  // In JSON, longer than an answer.
  const text = `walrus ${'\u0001'.repeat(7_900)}`;
  await company.api.ingestSource({ title: 'A document', chunks: [{ text }] });
  type Found = { results: { location: { chunkId: string }; text: string }[]; note: string };
  const { results, note } = await bounded<Found>(company, 'search', { query: 'walrus', limit: 1 });
  assert.ok((results[0]?.text.length ?? 0) < text.length);
  assert.match(note, /cut or left out: fetch or expand a result for the rest/);
  assert.doesNotMatch(note, /raise limit/);
  const chunk = results[0]?.location.chunkId;
  const expanded = await bounded<{ note: string }>(company, 'expand', { chunk });
  assert.match(expanded.note, /The passage is cut, .*: fetch its source for the rest/);
});

test('the metadata of a source that does not fit is named', async () => {
  const company = await service.company();
  const metadata = { note: '7'.repeat(16_300) };
  const uri = `https://a.example/${'\u0001'.repeat(2_000)}`;
  const tags = Array.from({ length: 20 }, (_, n) => `${n}${'ཀ'.repeat(40)}`);
  const body = { title: 'ཀ'.repeat(300), chunks: [{ text: 'walrus' }], metadata, uri, tags };
  const { id } = (await company.api.ingestSource(body)).source;
  type Found = { url: string; text: string; note: string; metadata: { uri: string | null; custom?: object } };
  const found = await bounded<Found>(company, 'fetch', { id });
  assert.deepEqual([found.text, found.metadata.uri, found.metadata.custom], ['walrus', null, undefined]);
  assert.match(found.url, /\/sources\//);
  assert.equal(found.note, `Its metadata did not fit: GET /v1/memory/sources/${id} returns it.`);
});

describe('answers with many records are within the bound', () => {
  const longName = '"'.repeat(300);

  test('of whoami, with many clients and Teams', async () => {
    const company = await service.company();
    // More clients than one answer reads.
    await service.database.query(
      `insert into identity.client (company_id, team_id, id, name, folded_name)
       select $1, $2, gen_random_uuid(), $3, n::text from generate_series(1, 1100) n`,
      [company.companyId, company.teamId, longName],
    );
    await service.database.query(
      `insert into identity.team (company_id, id, name, folded_name)
       select $1, gen_random_uuid(), $2, n::text from generate_series(1, 100) n`,
      [company.companyId, 'ཀ'.repeat(300)],
    );
    type Own = { clients: object[]; teams: object[]; note: string };
    const { clients, teams, note } = await bounded<Own>(company, 'whoami');
    assert.ok(teams.length > 0);
    const left = `${101 - teams.length} Teams and ${1_100 - clients.length} clients are not listed`;
    assert.ok(note.includes(left), note);
    const unnamed = callerOf(service.app, { authorization: company.headers.authorization });
    const refused = await callTool(unnamed, 'search', { query: 'walrus' });
    assert.match(refused.text, /^team_required/);
    assert.ok(countTokens(refused.text) <= MOST, `${countTokens(refused.text)} tokens`);
  });

  test('of import_status, with long names and reasons', async () => {
    const company = await service.company();
    await plantImports(service, company, 60, { filename: '\u0001'.repeat(300) });
    const unread = ['page', 'sheet', 'part', 'attachment'].map((kind) => {
      return { kind, names: Array.from({ length: 1000 }, () => '"'.repeat(200)), reason: 'damaged' };
    });
    await service.database.query(
      `update memory.import set error_message = $2, unread = $3 where team_id = $1`,
      [company.teamId, '"'.repeat(5_000), JSON.stringify(unread)],
    );
    let seen = 0;
    for (let id: string | null = null; ; ) {
      type Listed = { imports: object[]; note?: string };
      const { imports, note = '' }: Listed = await bounded<Listed>(company, 'import_status', { id });
      seen += imports.length;
      id = /with the id (after:\S+) to continue/.exec(note)?.[1] ?? null;
      if (id === null) break;
    }
    assert.equal(seen, 60);
  });

  test('of complete_captures and remember, with similar memories', async () => {
    const company = await service.company();
    const content = `The walrus sleeps at noon on the flat rock ${'"'.repeat(900)}`;
    const given = { content, title: longName };
    await addMemories(company, 'published', [given, given, given]);
    const { id: captureId } = await stageCapture(company);
    const { batch } = await bounded<{ batch: { id: string } }>(company, 'claim_captures');
    const items = Array.from({ length: 40 }, () => ({ captureIds: [captureId], action: 'review', ...given }));
    type Completed = { results: { similar: object[] }[]; note: string };
    const args = { batchId: batch.id, items };
    const { results, note } = await bounded<Completed>(company, 'complete_captures', args);
    assert.equal(results.length, 40);
    assert.ok((results[0]?.similar.length ?? 0) > 0);
    assert.match(note, /similar memories did not fit/);
    const { similar } = await bounded<{ similar: object[] }>(company, 'remember', { text: content });
    assert.ok(similar.length > 0);
  });

  test('of complete_captures, with credentials in fields with long names', async () => {
    const company = await service.company();
    await company.api.changeSelectedTeam({ redaction: 'flag' });
    const { id: captureId } = await stageCapture(company);
    const { batch } = await bounded<{ batch: { id: string } }>(company, 'claim_captures');
    const metadata = { [`n${'日'.repeat(5_000)}`]: newAgentToken().token };
    const item = {
      captureIds: [captureId],
      action: 'review',
      title: longName,
      content: 'The walrus',
      metadata,
    };
    const args = { batchId: batch.id, items: Array.from({ length: 40 }, () => item) };
    const { redactions } = await bounded<{ redactions: object[] }>(company, 'complete_captures', args);
    assert.equal(redactions.length, 20);
  });

  test('of search without results, with unknown words and waiting files with long names', async () => {
    const company = await service.company();
    const title = '量'.repeat(300);
    await company.api.ingestSource({ title, text: 'a walrus' });
    await plantImports(service, company, 5, { filename: title });
    const query = { query: `${title} ${'子計'.repeat(1800)}`, tags: ['none'] };
    const { nothing } = await bounded<{ nothing: Nothing }>(company, 'search', query);
    assert.equal(nothing.nearest?.title, title);
  });
});
