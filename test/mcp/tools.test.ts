import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countJsonTokens } from '../../api/mcp/text.ts';
import { MAX_ANSWER_TOKENS } from '../../api/mcp/tool.ts';
import type { Nothing } from '../../shared/schemas/search.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { callerOf } from '../support/client/client.ts';
import { FAULT, plantImports } from '../support/import-records.ts';
import { called, callTool, toolOutcome } from '../support/mcp.ts';
import { addMemory } from '../support/memories.ts';
import { giveOriginal, sha256Of } from '../support/originals.ts';
import { ownerScope } from '../support/scopes.ts';
import { addClient, addPerson, addTeam, archiveTeam, type Caller } from '../support/team.ts';

const service = await openTestApp({ MEMORY_API_PUBLIC_URL: 'https://memory.example/base' });

interface Result {
  id: string;
  title: string;
  url: string;
  text: string;
  location: { chunkId: string };
  when: string;
  score: number;
}
interface Found {
  results: Result[];
  mode: string;
  nothing?: Nothing;
  note?: string;
}

/** Stores a text with these chunks, and returns the id of its source. */
async function ingest(caller: Caller, chunks: readonly string[], fields: object = {}): Promise<string> {
  const body = { title: 'A document', chunks: chunks.map((text) => ({ text })), ...fields };
  return (await caller.api.ingestSource(body)).source.id;
}

describe('the tool search', () => {
  test('returns one result for each source, with its passages in the order of the text', async () => {
    const company = await service.company();
    const chunks = ['walrus first', 'a gull', 'walrus second', 'walrus third'];
    const id = await ingest(company, chunks, { uri: 'https://docs.example/walrus' });
    const other = await ingest(company, ['one walrus more']);
    const { results } = await called<Found>(company, 'search', { query: 'walrus' });
    assert.deepEqual(results.map((result) => result.id).sort(), [id, other].sort());
    const result = results.find((candidate) => candidate.id === id);
    assert.equal(result?.text, 'walrus first\n\n[…]\n\nwalrus second\n\nwalrus third');
    assert.equal(result?.url, 'https://docs.example/walrus');
    assert.equal(result?.title, 'A document');
    assert.match(result?.when ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  test('cites the page of a source in the console if its uri is not one of the web', async () => {
    const company = await service.company();
    const urls: Record<string, string> = {
      none: '',
      mail: 'mailto:a@example.com',
      script: 'javascript:alert(1)',
    };
    for (const [word, uri] of Object.entries(urls)) {
      const id = await ingest(company, [`narwhal ${word}`], uri === '' ? {} : { uri });
      const { results } = await called<Found>(company, 'search', { query: word, kinds: ['ingest'] });
      assert.deepEqual(
        results.map((result) => result.url),
        [`https://memory.example/base/sources/${id}?team=${company.teamId}`],
      );
    }
  });

  test('says that it searches by keywords only where the service makes no query vectors', async () => {
    const company = await service.company();
    await ingest(company, ['a walrus']);
    const found = await called<Found>(company, 'search', { query: 'walrus' });
    assert.equal(found.mode, 'keyword');
    assert.match(found.note ?? '', /keywords only: this service makes no query vectors/);
  });

  test('says how to continue if there can be more results than its limit', async () => {
    const company = await service.company();
    for (let n = 0; n < 3; n += 1) await ingest(company, [`a walrus ${n}`]);
    const found = await called<Found>(company, 'search', { query: 'walrus', limit: 2 });
    assert.equal(found.results.length, 2);
    assert.match(found.note ?? '', /raise limit/);
    const all = await called<Found>(company, 'search', { query: 'walrus' });
    assert.doesNotMatch(all.note ?? '', /raise limit/);
  });

  test('says why nothing was found, and what to do next', async () => {
    const company = await service.company();
    const id = await ingest(company, ['a walrus'], { title: 'Animals' });
    await plantImports(service, company, 1, { filename: 'animals.pdf' });
    const query = { query: 'animals flamingo', tags: ['none'] };
    const found = await called<Found>(company, 'search', query);
    assert.deepEqual(found.results, []);
    assert.deepEqual(found.nothing?.unknownWords, ['flamingo']);
    assert.deepEqual(found.nothing.nearest, { sourceId: id, title: 'Animals' });
    assert.match(found.note ?? '', /Nothing was found\. No text in this scope has: flamingo\./);
    assert.match(found.note ?? '', /do not find yet: animals\.pdf \(failed\)\./);
    assert.match(found.note ?? '', new RegExp(`nearest title is "Animals": fetch ${id} `));
    const some = await called<Found>(company, 'search', { query: 'walrus' });
    assert.equal(some.nothing, undefined);
    assert.doesNotMatch(some.note ?? '', /Nothing was found/);
  });

  test('says no more of a search without results than an answer has room for', async () => {
    const company = await service.company();
    const title = '量'.repeat(300);
    await ingest(company, ['a walrus'], { title });
    await plantImports(service, company, 5, { filename: title });
    const query = { query: `${'量'.repeat(300)} ${'子計'.repeat(1800)}`, tags: ['none'] };
    const found = await called<Found>(company, 'search', query);
    assert.ok(countJsonTokens(found) <= MAX_ANSWER_TOKENS);
    assert.equal(found.nothing?.nearest?.title, title);
  });

  test('filters by kind and by time, and a day counts as a whole', async () => {
    const company = await service.company();
    await ingest(company, ['a walrus']);
    await addMemory(company, 'published', { content: 'a walrus that was learned' });
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const count = async (args: object) =>
      (await called<Found>(company, 'search', { query: 'walrus', ...args })).results.length;
    assert.equal(await count({}), 2);
    assert.equal(await count({ kinds: ['memory'] }), 1);
    assert.equal(await count({ since: today, until: today }), 2);
    assert.equal(await count({ since: tomorrow }), 0);
    assert.equal(await count({ until: `${today}T00:00:00Z` }), 0);
    assert.equal(await toolOutcome(company, 'search', { query: 'a', since: 'lately' }), 'invalid_request');
  });

  test('names the field of an argument that it does not accept', async () => {
    const company = await service.company();
    const { text } = await callTool(company, 'search', { query: 'walrus', limit: 51 });
    assert.equal(text, 'invalid_request: /limit: must be a whole number from 1 to 50.');
    const unknown = await callTool(company, 'search', { query: 'walrus', topK: 3 });
    assert.equal(unknown.text, 'invalid_request: /topK: is not a known field.');
  });
});

describe('the tool fetch', () => {
  test('returns the whole text of a source with its address and what is known of it', async () => {
    const company = await service.company();
    const id = await ingest(company, ['one', 'two'], { metadata: { author: 'someone' }, tags: ['sea'] });
    const found = await called<{ text: string; url: string; metadata: Record<string, unknown> }>(
      company,
      'fetch',
      { id },
    );
    assert.equal(found.text, 'one\n\ntwo');
    assert.equal(found.url, `https://memory.example/base/sources/${id}?team=${company.teamId}`);
    const { kind, layer, tags, custom, next } = found.metadata;
    assert.deepEqual(
      { kind, layer, tags, custom, next },
      { kind: 'ingest', layer: 'team', tags: ['sea'], custom: { author: 'someone' }, next: null },
    );
  });

  test('tells where the file of an imported source is, for the same credential', async () => {
    const company = await service.company();
    const id = await ingest(company, ['one']);
    type Found = { metadata: { original: { url: string } | null } };
    const original = async () => (await called<Found>(company, 'fetch', { id })).metadata.original;
    assert.equal(await original(), null);
    const content = Buffer.from('An original');
    await giveOriginal(service.database, ownerScope(company), id, content);
    const url = `https://memory.example/base/v1/memory/sources/${id}/original`;
    assert.deepEqual(await original(), {
      mediaType: 'text/plain',
      bytes: content.length,
      sha256: sha256Of(content),
      url,
    });
    const path = url.slice('https://memory.example/base'.length);
    assert.deepEqual((await company.send('GET', path)).rawPayload, content);
  });

  test('returns a long text in parts that together are the text', async () => {
    const company = await service.company();
    const chunks = Array.from({ length: 130 }, (_, n) => `${n} ${'wave '.repeat(200)}`);
    const id = await ingest(company, chunks);
    const parts: string[] = [];
    for (let next: string | null = id; next !== null; ) {
      const part: { text: string; metadata: { next: string | null } } = await called(company, 'fetch', {
        id: next,
      });
      parts.push(part.text);
      next = part.metadata.next;
    }
    assert.ok(parts.length > 1);
    assert.equal(parts.join('\n\n'), chunks.join('\n\n'));
  });

  test('refuses to continue in a text that has been replaced', async () => {
    const company = await service.company();
    const long = (word: string) => Array.from({ length: 130 }, (_, n) => `${n} ${`${word} `.repeat(200)}`);
    const id = await ingest(company, long('wave'), { externalId: 'the text' });
    const first = await called<{ metadata: { next: string } }>(company, 'fetch', { id });
    const replaced = {
      title: 'A document',
      chunks: long('foam').map((text) => ({ text })),
      externalId: 'the text',
    };
    assert.equal((await company.ask.ingestSource(replaced)).statusCode, 200);
    const outcome = await toolOutcome(company, 'fetch', { id: first.metadata.next });
    assert.equal(outcome, 'invalid_request');
    const { text } = await callTool(company, 'fetch', { id: first.metadata.next });
    assert.equal(text, 'invalid_request: /id: the text was replaced; fetch it from its id.');
    const [, chunk] = first.metadata.next.split(':');
    for (const wrong of [`${id}:${chunk}:x`, `${id}:${chunk}:-1`, `${id}:${chunk}:`, `${id}:${chunk}:1:2`]) {
      assert.equal(await toolOutcome(company, 'fetch', { id: wrong }), 'not_found', wrong);
    }
  });

  test('returns the same error for an unknown and a malformed id', async () => {
    const company = await service.company();
    const other = await service.company();
    const foreign = await ingest(other, ['a walrus']);
    const texts = new Set<string>();
    for (const id of [foreign, 'nonsense', `${foreign}:nonsense`]) {
      texts.add((await callTool(company, 'fetch', { id })).text);
    }
    assert.deepEqual(
      [...texts],
      ['not_found: Not found. Check the id: it must be one that another tool returned.'],
    );
  });
});

describe('the tool expand', () => {
  test('returns a passage with those around it', async () => {
    const company = await service.company();
    await ingest(company, ['one', 'two', 'the walrus', 'four', 'five']);
    const { results } = await called<Found>(company, 'search', { query: 'walrus' });
    const chunk = results[0]?.location.chunkId;
    const { chunks } = await called<{ chunks: { text: string }[] }>(company, 'expand', {
      chunk,
      before: 1,
      after: 1,
    });
    assert.deepEqual(
      chunks.map(({ text }) => text),
      ['two', 'the walrus', 'four'],
    );
  });

  test('returns no chunks for an id that is out of reach, and says so', async () => {
    const company = await service.company();
    const found = await called<{ chunks: object[]; note: string }>(company, 'expand', {
      chunk: 'nonsense',
    });
    assert.deepEqual(found.chunks, []);
    assert.match(found.note, /cannot reach/);
  });
});

describe('the tool whoami', () => {
  test('lists the Teams, and the clients of the selected one', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const teamId = await addTeam(service, company);
    const own = await called(company, 'whoami');
    assert.deepEqual(own['clients'], [{ id: clientId, name: 'A client', access: 'write' }]);
    assert.deepEqual(own['canWrite'], { teamLayer: true, clients: 1 });
    const { mode, search } = own['embedding'] as Record<string, string>;
    assert.deepEqual([mode, search], ['client-provided', 'keyword']);
    assert.equal((own['teams'] as object[]).length, 2);
    const other = await called(company, 'whoami', { team: teamId });
    assert.equal(other['team'], teamId);
    assert.deepEqual(other['clients'], []);
  });

  test('answers a caller who has not chosen one of several Teams', async () => {
    const company = await service.company();
    await addTeam(service, company);
    const unnamed = callerOf(service.app, { authorization: company.headers.authorization });
    const own = await called(unnamed, 'whoami');
    assert.equal(own['team'], null);
    assert.equal((own['teams'] as object[]).length, 2);
    assert.equal(await toolOutcome(unnamed, 'search', { query: 'walrus' }), 'team_required');
  });
});

describe('the tool remember', () => {
  test('stores a text that a search finds at once, and the same text once', async () => {
    const company = await service.company();
    const text = `The walrus sleeps at noon. ${'It does so every day. '.repeat(10)}`;
    const first = await called(company, 'remember', { text });
    const again = await called(company, 'remember', { text });
    assert.deepEqual([first['status'], again['status']], ['created', 'duplicate']);
    assert.equal(first['id'], again['id']);
    const { results } = await called<Found>(company, 'search', { query: 'walrus' });
    assert.equal(results[0]?.id, first['id']);
    assert.equal(
      results[0]?.title,
      'The walrus sleeps at noon. It does so every day. It does so every day. It does…',
    );
  });

  test('replaces the text of a key', async () => {
    const company = await service.company();
    const key = 'the habits';
    const first = await called(company, 'remember', {
      text: 'The walrus sleeps.',
      key,
      title: 'Habits',
    });
    const second = await called(company, 'remember', {
      text: 'The walrus swims.',
      key,
      title: 'Habits',
    });
    const retitled = await called(company, 'remember', {
      text: 'The walrus swims.',
      key,
      title: 'Ways',
    });
    assert.deepEqual(
      [first, second, retitled].map(({ status }) => status),
      ['created', 'replaced', 'replaced'],
    );
    assert.equal(new Set([first, second, retitled].map(({ id }) => id)).size, 1);
    assert.deepEqual((await called<Found>(company, 'search', { query: 'sleeps' })).results, []);
  });

  test('keeps the title of a key if it is given none', async () => {
    const company = await service.company();
    const key = 'the habits';
    const remember = (args: object) => called(company, 'remember', { key, ...args });
    await remember({ text: 'The walrus sleeps.', title: 'Habits' });
    assert.equal((await remember({ text: 'The walrus swims.' }))['status'], 'replaced');
    assert.equal((await remember({ text: 'The walrus swims.' }))['status'], 'duplicate');
    const { results } = await called<Found>(company, 'search', { query: 'swims' });
    assert.deepEqual(
      results.map(({ title }) => title),
      ['Habits'],
    );
    const clientId = await addClient(service, company);
    const { id } = await remember({ text: 'The walrus of the client.', client: clientId });
    const { title } = await called(company, 'fetch', { id });
    assert.equal(title, 'The walrus of the client.');
  });

  test('lists similar published memories of the same layer', async () => {
    const company = await service.company();
    const content = 'The walrus sleeps at noon on the flat rock near the harbour';
    const memory = await addMemory(company, 'published', { content });
    const { similar } = await called<{ similar: { memoryId: string }[] }>(company, 'remember', {
      text: `${content}, every day`,
    });
    assert.deepEqual(
      similar.map(({ memoryId }) => memoryId),
      [memory.id],
    );
  });

  test('accepts every text that it says it accepts, however its characters are escaped', async () => {
    const company = await service.company();
    const escaped = JSON.stringify(`walrus ${'\u0001'.repeat(159_990)}`);
    const call = (text: string) =>
      company.ask.sendMcpMessage(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call",' +
          `"params":{"name":"remember","arguments":{"text":${text}}}}`,
      );
    const answer = await call(escaped);
    assert.equal(answer.statusCode, 200);
    type Answer = { result: { structuredContent?: { status: string } } };
    assert.equal(answer.json<Answer>().result.structuredContent?.status, 'created');
    const long = await callTool(company, 'remember', { text: 'a'.repeat(160_001) });
    assert.match(long.text, /^invalid_request: \/text: /);
  });

  test('accepts a day as expiry, to its end in UTC, or a time', async () => {
    const company = await service.company();
    const expiry = async (args: object) => {
      const { id } = await called<{ id: string }>(company, 'remember', args);
      const source = await company.ask.getSource(id);
      return source.json<Source>().expiresAt;
    };
    assert.equal(await expiry({ text: 'one', expires: ' 2999-03-01 ' }), '2999-03-01T23:59:59.999Z');
    assert.equal(
      await expiry({ text: 'two', expires: '2999-03-01T09:30:00+01:00' }),
      '2999-03-01T08:30:00.000Z',
    );
    const today = new Date().toISOString().slice(0, 10);
    assert.equal(await expiry({ text: 'three', expires: today }), `${today}T23:59:59.999Z`);
    assert.equal(await expiry({ text: 'four' }), null);
    for (const [expires, message] of [
      ['tomorrow', 'must be a day such as 2026-03-01, or a time with its zone such as 2026-03-01T09:30:00Z'],
      [
        '2999-02-31',
        'must be a day such as 2026-03-01, or a time with its zone such as 2026-03-01T09:30:00Z',
      ],
      [
        '2999-03-01T09:30:00',
        'must be a day such as 2026-03-01, or a time with its zone such as 2026-03-01T09:30:00Z',
      ],
      ['2020-03-01', 'must be a time in the future'],
      ['0000-01-01', 'must be in the years 1 to 9999'],
    ] as const) {
      const { text } = await callTool(company, 'remember', { text: 'The walrus sleeps.', expires });
      assert.equal(text, `invalid_request: /expires: ${message}.`);
    }
  });

  test('stores tags, by which search filters, and keeps those of a key', async () => {
    const company = await service.company();
    const remember = (args: object) => called(company, 'remember', args);
    const { id } = await remember({ text: 'The walrus sleeps.', tags: ['Sea', 'ICE'], key: 'habits' });
    await remember({ text: 'The walrus swims.', tags: ['sea'] });
    const found = async (tags: string[]) =>
      (await called<Found>(company, 'search', { query: 'walrus', tags })).results.length;
    assert.deepEqual([await found(['sea']), await found(['SEA', 'ice']), await found(['land'])], [2, 1, 0]);
    const replaced = await remember({ text: 'The walrus dives.', key: 'habits' });
    assert.deepEqual([replaced['id'], replaced['status'], await found(['ice'])], [id, 'replaced', 1]);
    const { text } = await callTool(company, 'remember', { text: 'a walrus', tags: [''] });
    assert.match(text, /^invalid_request: \/tags\/0: /);
  });

  test('keeps the tags of a text that waits for a decision', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const changed = await service.app.inject({
      method: 'PATCH',
      url: '/v1/team',
      headers: company.headers,
      payload: { publish: 'review' },
    });
    assert.equal(changed.statusCode, 200, changed.body);
    const { id, status } = await called<{ id: string; status: string }>(member, 'remember', {
      text: 'The walrus sleeps.',
      tags: ['Sea'],
    });
    assert.equal(status, 'review');
    const memory = await company.ask.getMemory(id);
    assert.deepEqual(memory.json<{ tags: string[] }>().tags, ['sea'], memory.body);
  });
});

describe('the tools of captures and memories', () => {
  test('stage a session once, claim it, make a memory of it and decide on it', async () => {
    const company = await service.company();
    const staged = { session: 'a session', sequence: 1, text: 'The walrus sleeps at noon.' };
    const first = await called(company, 'stage_session', staged);
    const again = await called(company, 'stage_session', { ...staged, text: 'Something else.' });
    assert.deepEqual([first['status'], again['status']], ['created', 'duplicate']);
    assert.equal(first['id'], again['id']);
    const { batch } = await called<{ batch: { id: string; captures: { id: string; summary: string }[] } }>(
      company,
      'claim_captures',
    );
    assert.deepEqual(
      batch.captures.map(({ id, summary }) => ({ id, summary })),
      [{ id: first['id'], summary: staged.text }],
    );
    const item = { captureIds: [first['id']], action: 'review', title: 'Habits', content: staged.text };
    const completing = { batchId: batch.id, items: [item] };
    const { results } = await called<{ results: { state: string; memoryId: string }[] }>(
      company,
      'complete_captures',
      completing,
    );
    assert.deepEqual(await called(company, 'complete_captures', completing), {
      results,
      redactions: [],
    });
    const { memoryId: id } = results[0] ?? {};
    const published = await called(company, 'decide_memory', { id, version: 1, action: 'publish' });
    assert.deepEqual([published['state'], published['version']], ['published', 2]);
    const stale = await callTool(company, 'decide_memory', { id, version: 1, action: 'delete' });
    assert.match(
      stale.text,
      /^version_conflict: The memory is now at version 2\. Read the memory again with GET /,
    );
    const found = await called<Found>(company, 'search', { query: 'walrus' });
    assert.deepEqual(
      found.results.map((result) => result.id),
      [published['sourceId']],
    );
  });

  test('complete a capture with a day as expiry of its memory', async () => {
    const company = await service.company();
    const { id } = await stageCapture(company);
    const { batch } = await called<{ batch: { id: string } }>(company, 'claim_captures');
    const complete = (expiresAt: string) => {
      const item = {
        captureIds: [id],
        action: 'publish',
        title: 'Habits',
        content: 'The walrus sleeps.',
        expiresAt,
      };
      return callTool<{ results: { memoryId: string }[] }>(company, 'complete_captures', {
        batchId: batch.id,
        items: [item],
      });
    };
    assert.match((await complete('soon')).text, /^invalid_request: \/items\/0\/expiresAt: must be a day/);
    const { value } = await complete('2999-03-01');
    const memory = await company.ask.getMemory(value.results[0]?.memoryId);
    assert.equal(memory.json<{ expiresAt: string }>().expiresAt, '2999-03-01T23:59:59.999Z');
  });

  test('move a memory to a client by its name, and without one to the Team layer', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { id } = await addMemory(company, 'published', {});
    const move = (args: object) => callTool(company, 'decide_memory', { id, action: 'move', ...args });
    const moved = await called(company, 'decide_memory', {
      id,
      version: 1,
      action: 'move',
      client: 'a client',
    });
    assert.deepEqual([moved['layer'], moved['clientId'], moved['version']], ['client', clientId, 2]);
    assert.match(
      (await move({ version: 2, client: 'all' })).text,
      /^invalid_request: \/client: must name one/,
    );
    assert.match((await move({ version: 2, client: 'nobody' })).text, /^scope_forbidden/);
    const other = await move({ version: 2, action: 'delete', client: clientId });
    assert.match(other.text, /^invalid_request: \/client: is allowed only with move/);
    const back = await called(company, 'decide_memory', { id, version: 2, action: 'move' });
    assert.equal(back['layer'], 'team');
  });

  test('name only arguments that decide_memory has', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', {});
    const { text } = await callTool(company, 'decide_memory', {
      id: memory.id,
      version: memory.version,
      action: 'update',
    });
    assert.equal(text, 'invalid_request: /content: is required with update when title is absent.');
  });

  test('refuse a memory that does not exist before the archived Team, as the route does', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'review', {});
    await archiveTeam(service, company.teamId);
    const decide = (args: object) =>
      toolOutcome(company, 'decide_memory', { version: 1, action: 'publish', ...args });
    assert.equal(await decide({ id: company.teamId }), 'not_found');
    assert.equal(await decide({ id: memory.id, action: 'discard', title: 'A title' }), 'invalid_request');
    assert.equal(await decide({ id: memory.id }), 'team_archived');
  });

  test('claim only as many captures as fit, and return the rest of a long summary', async () => {
    const company = await service.company();
    const summary = Array.from({ length: 6_000 }, (_, n) => `line ${n}\n`)
      .join('')
      .slice(0, 64_000);
    await stageCapture(company, { summary });
    const short = await stageCapture(company, { summary: 'short' });
    type Claimed = {
      batch: { captures: { summary: string; next?: string }[] } | null;
      rest?: { summary: string; next: string | null };
    };
    const { batch } = await called<Claimed>(company, 'claim_captures', { limit: 20 });
    assert.equal(batch?.captures.length, 1);
    let text = batch.captures[0]?.summary ?? '';
    for (let next: string | null = batch.captures[0]?.next ?? null; next !== null; ) {
      const { rest }: Claimed = await called<Claimed>(company, 'claim_captures', { next });
      text += rest?.summary;
      next = rest?.next ?? null;
    }
    assert.equal(text, summary);
    const others = await called<{ batch: { captures: { id: string }[] } }>(company, 'claim_captures');
    assert.deepEqual(
      others.batch.captures.map(({ id }) => id),
      [short.id],
    );
    assert.deepEqual(await called(company, 'claim_captures'), { batch: null });
  });

  test('measure no more of a summary than an answer has room for', async (t) => {
    const company = await service.company();
    await stageCapture(company, { summary: 'é'.repeat(64_000) });
    const stringify = t.mock.method(JSON, 'stringify');
    await called(company, 'claim_captures');
    const lengths = stringify.mock.calls
      .map(({ arguments: [value] }) => value as unknown)
      .filter((value) => typeof value === 'string')
      .map(({ length }) => length);
    stringify.mock.restore();
    assert.ok(Math.max(...lengths) < 48_000, `${Math.max(...lengths)} characters`);
  });

  test('return the rest of a summary only to the claimer of its batch', async () => {
    const company = await service.company();
    const staged = await stageCapture(company, { summary: 'short' });
    const next = `${staged.id}:0`;
    assert.equal(await toolOutcome(company, 'claim_captures', { next }), 'not_found');
    await called(company, 'claim_captures');
    assert.equal(await toolOutcome(company, 'claim_captures', { next }), 'ok');
    const others = [await service.company(), await addPerson(service, company, { teamRole: 'admin' })];
    for (const other of others) {
      assert.equal(await toolOutcome(other, 'claim_captures', { next }), 'not_found');
    }
    for (const wrong of [`${staged.id}:99`, `${staged.id}:-1`, `${staged.id}:x`]) {
      assert.equal(await toolOutcome(company, 'claim_captures', { next: wrong }), 'invalid_request');
    }
  });
});

describe('the tool import_status', () => {
  test('lists imports with the reason of a failure, and goes on after the last one', async () => {
    const company = await service.company();
    const ids = await plantImports(service, company, 60);
    type Listed = { imports: { id: string; error: object }[]; note?: string };
    const first = await called<Listed>(company, 'import_status');
    assert.deepEqual(first.imports[0]?.error, FAULT);
    const [, next] = /with the id (after:\S+) to continue/.exec(first.note ?? '') ?? [];
    const second = await called<Listed>(company, 'import_status', { id: next });
    assert.deepEqual(
      [...first.imports, ...second.imports].map(({ id }) => id),
      ids.toReversed(),
    );
    assert.equal(second.note, undefined);
    const one = await called<Listed>(company, 'import_status', { id: ids[3] });
    assert.deepEqual(
      one.imports.map(({ id }) => id),
      [ids[3]],
    );
  });
});
