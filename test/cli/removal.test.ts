import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { column } from '../support/columns.ts';
import { addMemory, decided, listMemories } from '../support/memories.ts';
import { addSource, archived, listSources } from '../support/source-library.ts';
import { addClient } from '../support/team.ts';
import { openPlaces } from './between.ts';
import { assertRefused } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, base, owner } = await openCli();
const newPlace = openPlaces();

const PROSE = 'The pump in hall four lost pressure again, so the crew closed valve nine and went home.';

describe('cli archive', () => {
  test('counts the sources that the options describe, and archives all of them only with --yes', async () => {
    const { company, text, data } = await owner();
    const clientId = await addClient(service, company);
    const kept = await addSource(company, { title: 'Pumps', tags: ['new'] });
    await addSource(company, { title: 'Pumps', tags: ['old'] });
    await addSource(company, { title: 'Valves', tags: ['old'], scope: { clientId } });
    const chosen = ['archive', '--tag', 'old', '--kind', 'ingest', '--before', '2100-01-01'];
    assert.equal(await text(...chosen, '--yes', '--dry-run'), '2 sources would be archived.\n');
    assert.equal(await text(...chosen), '2 sources would be archived. To archive them, add --yes.\n');
    assert.deepEqual(await data(...chosen, '--client', 'a client', '--dry-run'), { count: 1, dryRun: true });
    assert.equal(await text(...chosen, '--containing', 'valve', '--yes'), 'Archived 1 source.\n');
    assert.equal(await text(...chosen, '--yes'), 'Archived 1 source.\n');
    assert.equal(await text(...chosen, '--yes'), 'Archived 0 sources.\n');
    assert.deepEqual(column(await listSources(company, '?state=active'), 'id'), [kept.id]);
  });

  test('says how many sources were archived if a later request fails, and leaves out newer sources', async () => {
    let sent = 0;
    const place = await newPlace(base, ({ path }) =>
      path.endsWith('/archive') && (sent += 1) > 1 ? 'is lost' : 'passes',
    );
    const { company, person } = await owner(place.url);
    await addSource(company);
    const newer = await addSource(company);
    await service.database.query(
      `update memory.source set created_at = now() + interval '1 hour' where id = $1`,
      [newer.id],
    );
    const ended = await person.run(['archive', '--kind', 'ingest', '--yes']);
    assertRefused(ended, /cannot be reached.*; archived 1 source before this error/);
    assert.deepEqual(column(await listSources(company, '?state=active'), 'id'), [newer.id]);
    const filters = place.passed.map(({ body }) => (body as { filter?: object } | undefined)?.filter);
    assert.deepEqual(filters.at(-1), filters.at(-2));
  });

  test('is refused without an option that describes the sources', async () => {
    const { person } = await owner();
    assertRefused(await person.run(['archive']), /name the sources with --kind/);
    assertRefused(await person.run(['archive', '--kind', 'memory']), /--kind: expected ingest or import/);
    assertRefused(await person.run(['archive', '--before', 'soon']), /--before: expected a date/);
  });
});

describe('cli unarchive', () => {
  test('restores sources by their ids, and says of each that cannot be restored why', async () => {
    const { company, person, text, data } = await owner();
    const [a, b] = [await addSource(company, { title: 'A' }), await addSource(company)];
    for (const { id } of [a, b]) await archived(company, id);
    assert.equal(await text('unarchive', a.id), `Restored A (${a.id}).\n`);
    const ended = await person.run(['unarchive', a.id, b.id, 'nonsense']);
    assert.equal(ended.code, 1);
    const [first, second, third] = ended.stdout.split('\n');
    assert.match(first ?? '', new RegExp(`^Not restored: ${a.id}: .*conflict: The source is active`));
    assert.equal(second, `Restored A title (${b.id}).`);
    assert.match(third ?? '', /^Not restored: nonsense: .*not_found/);
    assert.match(ended.stderr, /2 of 3 sources could not be restored/);
    await archived(company, b.id);
    assert.deepEqual(await data('unarchive', b.id), {
      sources: [{ id: b.id, state: 'restored', title: 'A title' }],
    });
  });

  test('restores all sources of an audit event of an archive', async () => {
    const { company, person, text } = await owner();
    const ids: string[] = [];
    for (const title of ['A', 'B']) ids.push((await addSource(company, { title, tags: ['old'] })).id);
    const other = await addSource(company);
    await text('archive', '--tag', 'old', '--yes');
    await archived(company, other.id);
    const events = await company.all.listTeamAudit({ kind: 'memory.archive' });
    const [ofOne, ofMany] = column(events, 'id');
    const told = ids.map((id, n) => `Restored ${'AB'[n]} (${id}).\n`).join('');
    assert.equal(await text('unarchive', '--event', ofMany ?? ''), told);
    assert.equal(await text('unarchive', '--event', ofOne ?? ''), `Restored A title (${other.id}).\n`);
    const event = ['--event', newId()];
    assertRefused(await person.run(['unarchive', ...event]), /no event memory\.archive with the id/);
    for (const args of [[], [other.id, ...event]])
      assertRefused(await person.run(['unarchive', ...args]), /name the sources, or an audit event/);
  });
});

describe('cli move', () => {
  test('moves a source or a memory to a client, named by name or id, or to the Team layer', async () => {
    const { company, person, text, data } = await owner();
    const clientId = await addClient(service, company);
    const source = await addSource(company, { title: 'Cats' });
    const memory = await addMemory(company, 'published', { title: 'Dogs' });
    const move = ['move', source.id, '--to'];
    assert.equal(await text(...move, 'a client'), `Cats (${source.id}) is in A client now.\n`);
    assert.equal((await data<{ clientId: string }>(...move, clientId)).clientId, clientId);
    assert.equal(await text(...move, 'team'), `Cats (${source.id}) is in the Team layer now.\n`);
    const ofMemory = ['move', memory.id, '--memory', '--to', 'A client'];
    assert.equal(await text(...ofMemory), `Dogs (${memory.id}) is in A client now.\n`);
    assertRefused(await person.run(['move', source.id]), /--to: name a client/);
    assertRefused(await person.run(['move', source.id, '--to', 'nobody']), /--to: you can reach no client/);
    assertRefused(await person.run(['move', memory.sourceId ?? '', '--to', 'team']), /move the memory/);
    assertRefused(await person.run(['move', memory.id, '--to', 'team']), /not_found/);
  });
});

describe('cli purge', () => {
  test('deletes a source or a memory for good, only with --yes', async () => {
    const { company, person, text } = await owner();
    const { id } = await addSource(company);
    const memory = await addMemory(company, 'published');
    assertRefused(await person.run(['purge', 'source', id]), /--yes: required/);
    assert.equal(await text('purge', 'source', id, '--yes'), `Purged the source ${id}.\n`);
    assertRefused(await person.run(['purge', 'source', id, '--yes']), /not_found/);
    const ofMemory = ['purge', 'source', memory.sourceId ?? '', '--yes'];
    assertRefused(await person.run(ofMemory), /purge the memory/);
    assert.equal(await text('purge', 'memory', memory.id, '--yes'), `Purged the memory ${memory.id}.\n`);
    assert.deepEqual(await listSources(company), []);
    assert.deepEqual(await listMemories(company), []);
  });
});

describe('cli ingest', () => {
  test('names the sources with nearly the same text', async () => {
    const { company, person, text } = await owner();
    const { id } = await addSource(company, { title: 'The first', text: PROSE });
    await writeFile(join(person.home, 'pump.md'), PROSE.toUpperCase());
    const shown = await text('ingest', 'pump.md');
    const told = `These sources have nearly the same text:\n  100 %  The first (${id})\n`;
    assert.match(shown, /^Stored pump\.md /);
    assert.ok(shown.endsWith(`\n${told}`), shown);
  });
});

test('cli memories, versions and restore find an archived memory, publish an earlier text, and filter', async () => {
  const { company, person, text, data } = await owner();
  const { id } = await addMemory(company, 'published', { title: 'Port', content: 'The port is 8443.' });
  await decided(company, { action: 'update', memoryId: id, content: 'The port is 443.' });
  await decided(company, { action: 'delete', memoryId: id });
  assert.match(await text('memories', '--state', 'archived'), new RegExp(`${id}  archived  3 .* Port`));
  assert.match(await text('versions', id), /version 2[^]*The port is \[-8443-\]\{\+443\+\}\.[^]*version 1/);
  assertRefused(await person.run(['restore', id]), /--version/);
  assert.equal(await text('restore', id, '--version', '1'), `Port (${id}) is published.\n`);
  const clientId = await addClient(service, company);
  await addMemory(company, 'published', { title: 'Door', content: 'The door is open.' }, clientId);
  for (const [args, expected] of [
    [['--containing', 'port'], ['The port is 8443.']],
    [['--client', 'a client'], ['The door is open.']],
  ] as const) {
    const { items } = await data<{ items: Memory[] }>('memories', ...args);
    assert.deepEqual(column(items, 'content'), expected);
  }
});

test('cli unpublish and reopen put a memory back into review', async () => {
  const { company, person, text } = await owner();
  const { id } = await addMemory(company, 'published', { title: 'Port' });
  assert.equal(await text('unpublish', id), `Port (${id}) is in review.\n`);
  await decided(company, { action: 'discard', memoryId: id });
  assert.equal(await text('reopen', id), `Port (${id}) is in review.\n`);
  assertRefused(await person.run(['reopen', id]), /A memory in review cannot be reopened/);
});
