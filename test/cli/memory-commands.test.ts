import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { SearchResponse } from '../../shared/schemas/search.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { column, columns } from '../support/columns.ts';
import { plantImport } from '../support/import-records.ts';
import { addClient, along, CLAIM } from '../support/team.ts';
import { assertRefused } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, owner } = await openCli({ MEMORY_EMBEDDING_MODEL: CLAIM.embeddingModel });

/** The titles of the hits, best first. */
const titles = ({ hits }: SearchResponse) => column(hits, 'title');

describe('cli ingest', () => {
  test('stores a file under its name, and standard input under a title', async () => {
    const { person, text, data } = await owner();
    await writeFile(join(person.home, 'vpn.md'), 'The gateway is PGW-4012.');
    const dated = ['--expires=2098-07-01', '--occurred=2024-02-29T10:00:00+01:00'];
    const stored = await text('ingest', 'vpn.md', '--tag=network', ...dated);
    assert.match(stored, /^Stored vpn\.md \([\w-]+\) in 1 passage\.\n$/);
    assert.match(await text('ingest', 'vpn.md'), /^Already stored as vpn\.md /);
    await person.run(['ingest', '--title', 'Piped'], { input: 'a text' });
    await person.run(['ingest', '--title', 'Dash', '-'], { input: 'another text' });
    const { items } = await data<{ items: Source[] }>('sources');
    assert.deepEqual(columns(items, 'title', 'tags', 'occurredAt', 'expiresAt'), [
      ['Dash', [], null, null],
      ['Piped', [], null, null],
      ['vpn.md', ['network'], '2024-02-29T09:00:00.000Z', '2098-07-01T23:59:59.999Z'],
    ]);
  });

  test('stores in a client, replaces a text by --external-id, and keeps the address', async () => {
    const { company, person, data } = await owner();
    const clientId = await addClient(service, company);
    const args = ['--title=A', '--client=a client', '--external-id=x', '--uri=https://a.example'];
    const store = (input: string) => person.run(['ingest', '--json', ...args], { input });
    const { source } = JSON.parse((await store('one')).stdout) as { source: Source };
    assert.deepEqual([source.clientId, source.externalId, source.uri], [clientId, 'x', 'https://a.example']);
    await store('two');
    const { items } = await data<{ items: Source[] }>('sources', '--client', clientId);
    assert.deepEqual(column(items, 'id'), [source.id]);
  });

  test('refuses what is no text, and standard input without a title', async () => {
    const { person } = await owner();
    await writeFile(join(person.home, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
    assertRefused(await person.run(['ingest', 'binary']), /binary is not UTF-8 text: import reads/);
    assertRefused(await person.run(['ingest', 'missing']), /missing cannot be read \(ENOENT\)/);
    for (const [args, reason] of [
      [[], /--title: required/],
      [['--title=x', '--occurred=7d'], /--occurred: expected a date/],
      [['--title=x', '--occurred=2026-02-30T10:00:00Z'], /--occurred: expected a date/],
      [['--title=x', '--expires=tomorrow'], /--expires: expected a date/],
      [['--title=x', '--expires=2001-01-01'], /--expires: must be in the future/],
    ] as const) {
      assertRefused(await person.run(['ingest', ...args], { input: 'text' }), reason);
    }
    assertRefused(await person.run(['ingest', '--title', 'x'], { input: ' \n' }), /contains no text/);
  });
});

describe('cli feedback', () => {
  test('stores a verdict on a hit of an own search, and refuses another verdict', async () => {
    const { company, person, text, data } = await owner();
    await company.api.ingestSource({ title: 'Gateway', text: 'The gateway is PGW-4012.' });
    const { queryId, hits } = await data<SearchResponse>('search', 'gateway');
    const chunk = hits[0]?.chunk_id ?? '';
    const args = ['feedback', chunk, '--query', queryId];
    const shown = await text(...args, '--verdict', 'outdated', '--note', 'It moved.');
    assert.equal(shown, `Stored that ${chunk} is outdated.\n`);
    const bad = await person.run([...args, '--verdict', 'bad']);
    assertRefused(bad, /--verdict: expected useful, wrong or outdated/);
    assertRefused(await person.run(['feedback', chunk, '--verdict', 'wrong']), /--query: required/);
  });
});

describe('cli search', () => {
  test('finds by keywords where the service makes no vectors, without a vector of the caller', async () => {
    const { company, text, data } = await owner();
    await company.api.ingestSource({ title: 'Gateway', text: 'The gateway is PGW-4012.', tags: ['network'] });
    await company.api.ingestSource({ title: 'Lunch', text: 'Lunch is at noon.' });
    const answer = await data<SearchResponse>('search', 'PGW-4012', 'gateway');
    assert.deepEqual([answer.embedding.mode, titles(answer)], ['keyword', ['Gateway']]);
    const shown = await text('search', 'PGW-4012');
    assert.match(shown, /^ 1 {2}Gateway {2}passage [\w-]+$/m);
    assert.match(shown, /^ {4}ingest, Team layer, \d{4}-\d\d-\d\d, #network$/m);
    assert.match(shown, /^ {4}The gateway is PGW-4012\.$/m);
    assert.match(shown, /^1 hit, by keywords\.$/m);
    assert.equal(await text('search', 'zzyzx'), 'No hits, by keywords.\nNo passage has: zzyzx.\n');
  });

  test('says why nothing was found', async () => {
    const { company, text } = await owner();
    await company.api.ingestSource({ title: 'The gateway of the canteen', text: 'Lunch is at noon.' });
    await plantImport(service, company, { filename: 'gateway handbook.pdf' });
    const lines = [
      'No hits, by keywords.',
      'No passage has: flamingo, zzyzx.',
      'Not found by searches yet: gateway handbook.pdf (failed).',
    ];
    const shown = await text('search', '--tag', 'none', 'gateway', 'flamingo', 'zzyzx');
    assert.deepEqual(shown.split('\n').slice(0, 3), lines);
    assert.match(shown, /^Nearest title: The gateway of the canteen \(source [\w-]+\)\.$/m);
  });

  test('searches the layers, kinds, times and tags that its options name', async () => {
    const { company, person, data } = await owner();
    const clientId = await addClient(service, company);
    await company.api.ingestSource({ title: 'Team', text: 'common words', tags: ['a', 'b'] });
    await company.api.ingestSource({
      title: 'Client',
      text: 'common words of a client',
      scope: { clientId },
    });
    const found = async (...args: string[]) =>
      titles(await data<SearchResponse>('search', 'common', ...args)).sort();
    await company.api.ingestSource({ title: 'Dated', text: 'common days', occurredAt: '2020-01-31' });
    const inAll = ['--client', 'all'];
    for (const [args, expected] of [
      [[], 'Dated Team'],
      [['--client', 'A client'], 'Client Dated Team'],
      [inAll, 'Client Dated Team'],
      [['--tag', 'a', '--tag', 'b'], 'Team'],
      [['--kind', 'memory', '--kind', 'file'], ''],
      [['--kind', 'ingest'], 'Dated Team'],
      [['--since', '1h'], 'Team'],
      [['--until', '1h'], 'Dated'],
      [['--since', '2020-01-31', '--until', '2020-01-31'], 'Dated'],
    ] as const) {
      assert.equal((await found(...args)).join(' '), expected, args.join(' '));
    }
    assert.equal((await found(...inAll, '--limit', '1')).length, 1);
    for (const time of ['soon', '2026-13-01', '1.5d', ''])
      assertRefused(await person.run(['search', 'x', '--since', time]), /--since: expected a date/);
  });

  test('--explain shows the ranks of each hit, and the terms of the query', async () => {
    const { company, text } = await owner();
    await company.api.ingestSource({ title: 'Gateway', text: 'The gateway is PGW-4012.' });
    const shown = await text('search', 'gateway', '--explain');
    assert.match(shown, /^ {4}score [\d.]+; not found by meaning; by keywords 1; terms: .*gateway/m);
    assert.match(shown, /^Term +Passages +Weight$/m);
  });

  test('uses the vector of the command of its profile, and fails if the command does', async () => {
    const { company, person, text, data } = await owner();
    const vector = along(7);
    const chunks = [{ text: 'quite other words', embedding: vector }];
    await company.api.ingestSource({ title: 'By meaning', chunks, ...CLAIM });
    const script = join(person.home, 'embed.mjs');
    const use = async (program: string) => {
      await writeFile(script, program);
      const command = `'${process.execPath}' '${script}'`;
      const told = await text('profile', 'set', '--embed-with', command);
      assert.match(told, /makes the vectors of queries with/);
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
    await company.api.ingestSource({ title: 'A', text: 'a text' });
    const file = join(person.home, '.config', 'team-memory', 'settings.json');
    await text('profile', 'set', '--embed-with', `echo '${JSON.stringify(along(7))}'`);
    const settings = JSON.parse(await readFile(file, 'utf8')) as { embeddingModel: string };
    assert.equal(settings.embeddingModel, CLAIM.embeddingModel);
    assert.match(await text('search', 'text'), /by meaning and keywords/);
    const save = (more: object) => writeFile(file, JSON.stringify({ ...settings, ...more }));
    await save({ embeddingModel: 'another-model' });
    assertRefused(await person.run(['search', 'text']), /embedding_model_mismatch/);
    const told = `echo makes vectors of another-model, not of ${CLAIM.embeddingModel}`;
    assert.match(await text('doctor'), new RegExp(`^Vectors +warning +${told}`, 'm'));
    await save({ embeddingModel: undefined });
    assertRefused(await person.run(['search', 'text']), /no model for its command: .*profile set/);
  });
});

describe('cli expand', () => {
  test('shows a passage with those before and after it', async () => {
    const { company, person, text, data } = await owner();
    const chunks = ['one', 'two', 'three', 'four'].map((word) => ({ text: `chunk ${word}` }));
    await company.api.ingestSource({ title: 'Numbers', chunks });
    const id = (await data<SearchResponse>('search', 'three')).hits[0]?.chunk_id ?? '';
    const shown = await text('expand', id, '--before', '1', '--after', '0');
    assert.match(shown, /^Numbers\n {4}ingest, Team layer/);
    assert.deepEqual(shown.match(/(?<=^ {4})chunk \w+$/gm), ['chunk two', 'chunk three']);
    assert.match(shown, new RegExp(`^> 2 ${id}$`, 'm'));
    assertRefused(await person.run(['expand', 'none']), /you can reach no passage with this id/);
    assertRefused(await person.run(['expand']), /name a passage/);
  });
});

describe('cli sources', () => {
  test('lists as many as asked for over several pages, with the names of clients', async () => {
    const { company, text, data } = await owner();
    const clientId = await addClient(service, company);
    const red = { title: 'Red', text: 'red', tags: ['x'], occurredAt: '2020-01-31' };
    await company.api.ingestSource({ ...red, scope: { clientId } });
    for (let n = 0; n < 3; n += 1) await company.api.ingestSource({ title: `Blue ${n}`, text: `blue ${n}` });
    const shown = await text('sources', '--tag', 'x');
    assert.match(shown, /^Source +Kind +Date +Updated +Passages +Layer +Tags +Title$/m);
    const row = /^[\w-]{36} {2}ingest {2}2020-01-31 {2}\d{4}-\d\d-\d\d {2}1 {9}A client {2}x {5}Red$/m;
    assert.match(shown, row);
    const listed = async (...args: string[]) =>
      column((await data<{ items: Source[] }>('sources', ...args)).items, 'title');
    assert.deepEqual(await listed('--limit', '2'), ['Blue 2', 'Blue 1']);
    assert.match(await text('sources', '--limit', '2'), /There may be more: --limit lists more than 2\.\n$/);
    assert.deepEqual(await listed('--since', '2020-01-31', '--until', '2020-01-31'), ['Red']);
    assert.deepEqual(await listed('--containing', 'blue 1'), ['Blue 1']);
    assert.equal(await text('sources', '--archived'), 'No sources.\n');
  });
});
