import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { columns } from '../../cli/terminal/columns.ts';
import type { SearchResponse } from '../../shared/schemas/search.ts';
import type { IngestRequest, Source } from '../../shared/schemas/sources.ts';
import { openTestApp } from '../support/app.ts';
import { type Caller } from '../support/client/client.ts';
import { plantImport } from '../support/import-records.ts';
import { addClient, addPerson, along, CLAIM } from '../support/team.ts';
import { assertRefused, openHomes, otherServices, runAtTerminal } from './cli.ts';
import { signedInOwner } from './cli-person.ts';

const service = await openTestApp({ MEMORY_EMBEDDING_MODEL: CLAIM.embeddingModel });
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const newPerson = await openHomes();
const openOther = otherServices();
const owner = () => signedInOwner(service, base, newPerson);

/** The titles of the hits, best first. */
const titles = ({ hits }: SearchResponse) => hits.map(({ title }) => title);

describe('cli ingest', () => {
  test('stores a file under its name, and standard input under a title', async () => {
    const { person, text, data } = await owner();
    await writeFile(join(person.home, 'vpn.md'), 'The gateway is PGW-4012.');
    assert.match(
      await text(
        'ingest',
        'vpn.md',
        '--tag=network',
        '--expires=2098-07-01',
        '--occurred=2024-02-29T10:00:00+01:00',
      ),
      /^Stored vpn\.md \([\w-]+\) in 1 passage\.\n$/,
    );
    assert.match(await text('ingest', 'vpn.md'), /^Already stored as vpn\.md /);
    for (const args of [
      ['--title', 'Piped'],
      ['--title', 'Dash', '-'],
    ]) {
      const ended = await person.run(['ingest', ...args], { input: `a text of ${args[1]}` });
      assert.equal(ended.code, 0, ended.stderr);
    }
    const { items } = await data<{ items: Source[] }>('sources');
    assert.deepEqual(
      items.map(({ title, tags, occurredAt, expiresAt }) => [title, tags, occurredAt, expiresAt]),
      [
        ['Dash', [], null, null],
        ['Piped', [], null, null],
        ['vpn.md', ['network'], '2024-02-29T09:00:00.000Z', '2098-07-01T23:59:59.999Z'],
      ],
    );
  });

  test('stores in a client, replaces a text by --external-id, and keeps the address', async () => {
    const { company, person, data } = await owner();
    const clientId = await addClient(service, company);
    const store = (text: string) =>
      person.run(
        [
          'ingest',
          '--json',
          '--title',
          'A',
          '--client',
          'a client',
          '--external-id',
          'x',
          '--uri',
          'https://a.example',
        ],
        { input: text },
      );
    const { source } = JSON.parse((await store('one')).stdout) as { source: Source };
    assert.deepEqual([source.clientId, source.externalId, source.uri], [clientId, 'x', 'https://a.example']);
    await store('two');
    const { items } = await data<{ items: Source[] }>('sources', '--client', clientId);
    assert.deepEqual(
      items.map(({ id }) => id),
      [source.id],
    );
  });

  test('refuses what is no text, and standard input without a title', async () => {
    const { person } = await owner();
    await writeFile(join(person.home, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
    assertRefused(await person.run(['ingest', 'binary']), /binary is not UTF-8 text: import reads/);
    assertRefused(await person.run(['ingest', 'missing']), /missing cannot be read \(ENOENT\)/);
    assertRefused(await person.run(['ingest'], { input: 'text' }), /--title: required/);
    for (const occurred of ['7d', '2026-02-30', '2026-02-30T10:00:00Z']) {
      const args = ['ingest', '-', '--title', 'x', '--occurred', occurred];
      assertRefused(await person.run(args, { input: 'text' }), /--occurred: expected a date/);
    }
    for (const expires of ['tomorrow', '2001-01-01']) {
      const args = ['ingest', '-', '--title', 'x', '--expires', expires];
      assertRefused(
        await person.run(args, { input: 'text' }),
        /--expires: (expected a date|must be in the future)/,
      );
    }
    assertRefused(await person.run(['ingest', '-', '--title', 'x'], { input: ' \n' }), /contains no text/);
  });
});

describe('cli feedback', () => {
  test('stores a verdict on a hit of an own search, and refuses another verdict', async () => {
    const { company, person, text, data } = await owner();
    await store(company, { title: 'Gateway', text: 'The gateway is PGW-4012.' });
    const { queryId, hits } = await data<SearchResponse>('search', 'gateway');
    const chunk = hits[0]?.chunk_id ?? '';
    const args = ['feedback', chunk, '--query', queryId];
    assert.equal(
      await text(...args, '--verdict', 'outdated', '--note', 'It moved.'),
      `Stored that ${chunk} is outdated.\n`,
    );
    assertRefused(
      await person.run([...args, '--verdict', 'bad']),
      /--verdict: expected useful, wrong or outdated/,
    );
    assertRefused(await person.run(['feedback', chunk, '--verdict', 'wrong']), /--query: required/);
  });
});

describe('cli search', () => {
  test('finds by keywords where the service makes no vectors, without a vector of the caller', async () => {
    const { company, text, data } = await owner();
    await store(company, { title: 'Gateway', text: 'The gateway is PGW-4012.', tags: ['network'] });
    await store(company, { title: 'Lunch', text: 'Lunch is at noon.' });
    const answer = await data<SearchResponse>('search', 'PGW-4012', 'gateway');
    assert.deepEqual([answer.embedding.mode, titles(answer)], ['keyword', ['Gateway']]);
    const shown = await text('search', 'PGW-4012');
    assert.match(shown, /^ 1 {2}Gateway {2}passage [\w-]+$/m);
    assert.match(shown, /^ {4}ingest, Team layer, \d{4}-\d\d-\d\d, #network$/m);
    assert.match(shown, /^ {4}The gateway is PGW-4012\.$/m);
    assert.match(shown, /^1 hit, by keywords\.$/m);
    assert.equal(await text('search', 'zzyzx'), 'No hits, by keywords.\nNo passage has: zzyzx.\n');
  });

  test('says why nothing was found, in lines of a terminal', async () => {
    const { company, person, text } = await owner();
    await store(company, { title: 'The gateway of the canteen', text: 'Lunch is at noon.' });
    await plantImport(service, company, { filename: 'gateway handbook.pdf' });
    const query = ['search', '--tag', 'none', 'gateway', 'flamingo', 'zzyzx'];
    const lines = [
      'No hits, by keywords.',
      'No passage has: flamingo, zzyzx.',
      'Not found by searches yet: gateway handbook.pdf (failed).',
    ];
    const shown = await text(...query);
    assert.deepEqual(shown.split('\n').slice(0, 3), lines);
    assert.match(shown, /^Nearest title: The gateway of the canteen \(source [\w-]+\)\.$/m);
    const narrow = await runAtTerminal(person, query, [], 60);
    assert.ok(
      narrow.shown.split('\n').every((line) => columns(line.trimEnd()) <= 60),
      narrow.shown,
    );
    assert.match(narrow.shown, /^No passage has: flamingo, zzyzx\.\r?$/m);
  });

  test('searches the layers, kinds, times and tags that its options name', async () => {
    const { company, person, data } = await owner();
    const clientId = await addClient(service, company);
    await store(company, { title: 'Team', text: 'common words', tags: ['a', 'b'] });
    await store(company, { title: 'Client', text: 'common words of a client', scope: { clientId } });
    const found = async (...args: string[]) =>
      titles(await data<SearchResponse>('search', 'common', ...args)).sort();
    assert.deepEqual(await found(), ['Team']);
    assert.deepEqual(await found('--client', 'A client'), ['Client', 'Team']);
    assert.deepEqual(await found('--client', 'all'), ['Client', 'Team']);
    assert.deepEqual(await found('--client', 'all', '--limit', '1').then(({ length }) => length), 1);
    assert.deepEqual(await found('--tag', 'a', '--tag', 'b'), ['Team']);
    assert.deepEqual(await found('--tag', 'a', '--tag', 'c'), []);
    assert.deepEqual(await found('--kind', 'memory', '--kind', 'file'), []);
    assert.deepEqual(await found('--kind', 'ingest'), ['Team']);
    assert.deepEqual([await found('--since', '1h'), await found('--until', '1h')], [['Team'], []]);
    assert.deepEqual(await found('--since', '2020-01-31', '--until', '2020-02-01T09:00:00Z'), []);
    await store(company, { title: 'Dated', text: 'common days', occurredAt: '2020-01-31' });
    assert.deepEqual(await found('--since', '2020-01-31', '--until', '2020-01-31'), ['Dated']);
    assert.deepEqual(await found('--until', '2020-01-30'), []);
    const refused = (...args: string[]) => person.run(['search', 'common', ...args]);
    for (const time of ['soon', '2026-13-01', '1.5d', ''])
      assertRefused(await refused('--since', time), /--since: expected a date/);
    assertRefused(await refused('--limit', '51'), /--limit: expected a whole number from 1 to 50/);
    assertRefused(await refused('--client', 'nobody'), /no client named "nobody"/);
    assertRefused(await refused('--kind', 'thing'), /--kind: expected ingest, import, memory or file/);
  });

  test('--explain shows the ranks of each hit, and the terms of the query', async () => {
    const { company, person, text } = await owner();
    await store(company, { title: 'Gateway', text: 'The gateway is PGW-4012.' });
    const shown = await text('search', 'gateway', '--explain');
    assert.match(shown, /^ {4}score [\d.]+; not found by meaning; by keywords 1; terms: .*gateway/m);
    assert.match(shown, /^Term +Passages +Weight$/m);
    const reader = await addPerson(service, company, { teamRole: 'member' });
    const env = { MEMORY_API_TOKEN: reader.token };
    const refused = await person.run(['search', 'gateway', '--explain', '--url', base], { env });
    assertRefused(refused, /full_access_required/);
  });

  test('uses the vector of the command of its profile, and fails if the command does', async () => {
    const { company, person, text, data } = await owner();
    const vector = along(7);
    await company.ask.ingestSource({
      title: 'By meaning',
      chunks: [{ text: 'quite other words', embedding: vector }],
      ...CLAIM,
    });
    const script = join(person.home, 'embed.mjs');
    const use = async (program: string) => {
      await writeFile(script, program);
      const command = `'${process.execPath}' '${script}'`;
      assert.match(
        await text('profile', 'set', '--embed-with', command),
        /makes the vectors of queries with/,
      );
    };
    await use(`process.stdin.setEncoding('utf8');
      let query = ''; for await (const part of process.stdin) query += part;
      console.log(JSON.stringify(query === 'zzyzx' ? ${JSON.stringify(vector)} : []));`);
    const answer = await data<SearchResponse>('search', 'zzyzx');
    assert.deepEqual([answer.embedding.mode, titles(answer)], ['client-provided', ['By meaning']]);
    assertRefused(await person.run(['search', 'other']), /expected a JSON array of numbers from: /);
    await use('process.exit(3)');
    assertRefused(await person.run(['search', 'zzyzx']), /the command failed \(exit code 3\)/);
    await use('console.log("[1, 2]")');
    assertRefused(await person.run(['search', 'zzyzx']), /embedding_dimension_mismatch/);
    await text('profile', 'set', '--embed-with', '');
    assert.equal((await data<SearchResponse>('search', 'zzyzx')).embedding.mode, 'keyword');
  });

  test('sends the model for which the command was chosen, and doctor compares it', async () => {
    const { company, person, text } = await owner();
    await store(company, { title: 'A', text: 'a text' });
    const file = join(person.home, '.config', 'team-memory', 'settings.json');
    await text('profile', 'set', '--embed-with', `echo '${JSON.stringify(along(7))}'`);
    const settings = JSON.parse(await readFile(file, 'utf8')) as { embeddingModel: string };
    assert.equal(settings.embeddingModel, CLAIM.embeddingModel);
    assert.match(await text('search', 'text'), /by meaning and keywords/);
    const save = (more: object) => writeFile(file, JSON.stringify({ ...settings, ...more }));
    await save({ embeddingModel: 'another-model' });
    assertRefused(await person.run(['search', 'text']), /embedding_model_mismatch/);
    assert.match(
      await text('doctor'),
      new RegExp(
        `^Vectors +warning +echo makes vectors of another-model, not of ${CLAIM.embeddingModel}`,
        'm',
      ),
    );
    await save({ embeddingModel: undefined });
    assertRefused(await person.run(['search', 'text']), /no model for its command: .*profile set/);
  });

  test('lets the service choose, and asks whether it makes vectors only for a profile with a command', async () => {
    const { person, text } = await owner();
    let bodies: string[] = [];
    const other = await openOther((request, response) => {
      if (request.url === '/v1/health') {
        const embedder = { mode: 'server', model: 'm', dim: 1024, serverModeEnabled: true };
        response.end(
          JSON.stringify({ ok: true, version: '0.1.0', commit: null, backend: 'pglite', embedder }),
        );
        return;
      }
      request.on('data', (part: Buffer) => bodies.push(part.toString()));
      request.on('end', () => response.end('{}'));
    });
    const env = { MEMORY_API_TOKEN: 'a-token-of-this-test' };
    const sent = async () => {
      bodies = [];
      await person.run(['search', 'x', '--url', other.url], { env });
      return JSON.parse(bodies.join('')) as unknown;
    };
    const expected = { query: 'x', scope: {}, topK: 8, embeddingMode: 'auto' };
    assert.deepEqual([await sent(), other.asked], [expected, ['/v1/memory/search']]);
    await text('profile', 'set', '--embed-with', 'no-such-command');
    assert.deepEqual(await sent(), expected);
    assert.deepEqual(other.asked.slice(1), ['/v1/health', '/v1/memory/search']);
  });
});

describe('cli expand', () => {
  test('shows a passage with those before and after it', async () => {
    const { company, person, text, data } = await owner();
    const chunks = ['one', 'two', 'three', 'four'].map((word) => ({ text: `chunk ${word}` }));
    await company.ask.ingestSource({ title: 'Numbers', chunks });
    const id = (await data<SearchResponse>('search', 'three')).hits[0]?.chunk_id ?? '';
    const shown = await text('expand', id, '--before', '1', '--after', '0');
    assert.match(shown, /^Numbers\n {4}ingest, Team layer/);
    assert.deepEqual(
      [...shown.matchAll(/^ {4}(chunk \w+)$/gm)].map(([, chunk]) => chunk),
      ['chunk two', 'chunk three'],
    );
    assert.match(shown, new RegExp(`^> 2 ${id}$`, 'm'));
    assertRefused(await person.run(['expand', 'none']), /you can reach no passage with this id/);
    assertRefused(await person.run(['expand', id, '--before', '11']), /--before: expected/);
    assertRefused(await person.run(['expand']), /name a passage/);
  });
});

describe('cli sources', () => {
  test('lists as many as asked for over several pages, with the names of clients', async () => {
    const { company, text, data } = await owner();
    const clientId = await addClient(service, company);
    await store(company, {
      title: 'Red',
      text: 'red',
      scope: { clientId },
      tags: ['x'],
      occurredAt: '2020-01-31',
    });
    for (let n = 0; n < 3; n += 1) await store(company, { title: `Blue ${n}`, text: `blue ${n}` });
    const shown = await text('sources', '--tag', 'x');
    assert.match(shown, /^Source +Kind +Date +Updated +Passages +Layer +Tags +Title$/m);
    assert.match(
      shown,
      /^[\w-]{36} {2}ingest {2}2020-01-31 {2}\d{4}-\d\d-\d\d {2}1 {9}A client {2}x {5}Red$/m,
    );
    const { items } = await data<{ items: Source[] }>('sources', '--limit', '2');
    assert.deepEqual(
      items.map(({ title }) => title),
      ['Blue 2', 'Blue 1'],
    );
    assert.match(await text('sources', '--limit', '2'), /There may be more: --limit lists more than 2\.\n$/);
    const red = await data<{ items: Source[] }>('sources', '--since', '2020-01-31', '--until', '2020-01-31');
    assert.deepEqual(
      red.items.map(({ title }) => title),
      ['Red'],
    );
    assert.equal(await text('sources', '--containing', 'green'), 'No sources.\n');
    assert.equal(await text('sources', '--archived'), 'No sources.\n');
  });
});

/** Stores a text as a caller. */
async function store(caller: Caller, body: IngestRequest): Promise<void> {
  await caller.api.ingestSource(body);
}
