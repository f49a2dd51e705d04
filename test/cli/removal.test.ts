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
import { assertRefused } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, owner } = await openCli();

const PROSE = 'The pump in hall four lost pressure again, so the crew closed valve nine and went home.';

/** What a command prints that undo can take back. */
const withHint = (text: string) => `${text}\nTake it back: memory undo\n`;

describe('cli archive', () => {
  test('counts the sources that the options describe, and archives all of them only with --yes', async () => {
    const { company, text, data } = await owner();
    const clientId = await addClient(service, company);
    const kept = await addSource(company, { title: 'Pumps', tags: ['new'] });
    await addSource(company, { title: 'Pumps', tags: ['old'] });
    await addSource(company, { title: 'Valves', tags: ['old'], scope: { clientId } });
    await addMemory(company, 'published', { tags: ['old'] });
    const chosen = ['archive', '--tag', 'old', '--before', '2100-01-01'];
    assert.equal(await text(...chosen, '--yes', '--dry-run'), '2 sources would be archived.\n');
    assert.equal(await text(...chosen), '2 sources would be archived. To change them, add --yes.\n');
    assert.equal(await text(...chosen, '--before', '1d', '--dry-run'), '0 sources would be archived.\n');
    assert.deepEqual(await data(...chosen, '--client', 'a client', '--dry-run'), { count: 1, dryRun: true });
    assert.equal(await text(...chosen, '--containing', 'valve', '--yes'), withHint('Archived 1 source.'));
    assert.equal(await text(...chosen, '--yes'), withHint('Archived 1 source.'));
    assert.equal(await text(...chosen, '--yes'), 'Archived 0 sources.\n');
    assert.deepEqual(column(await listSources(company, '?state=active&kind=ingest'), 'id'), [kept.id]);
  });

  test('is refused without sources, and with options that describe none', async () => {
    const { person } = await owner();
    assertRefused(await person.run(['archive']), /name the sources by their ids, or with --kind/);
    assertRefused(await person.run(['archive', '--kind', 'memory']), /--kind: expected ingest or import/);
    assertRefused(await person.run(['archive', '--before', 'soon']), /--before: expected a date/);
  });
});

describe('cli unarchive', () => {
  test('restores sources by their ids, and says of each that cannot be restored why', async () => {
    const { company, person, text } = await owner();
    const [a, b] = [await addSource(company, { title: 'A' }), await addSource(company)];
    for (const { id } of [a, b]) await archived(company, id);
    assert.equal(await text('unarchive', a.id), withHint('Restored 1 source.'));
    const ended = await person.run(['unarchive', a.id, b.id, 'nonsense']);
    assert.equal(ended.code, 1);
    assert.match(
      ended.stdout,
      /^Restored 1 source\.\n1 source was already so\.\nNot restored:\n  nonsense: not_found: /,
    );
    assert.match(ended.stderr, /1 of 3 sources were not restored/);
  });

  test('restores all sources of an audit event of an archive, and all that options describe', async () => {
    const { company, person, text } = await owner();
    for (const title of ['A', 'B']) await addSource(company, { title, tags: ['old'] });
    const other = await addSource(company);
    await company.api.archiveSources({ filter: { tag: 'old' }, dryRun: false });
    await archived(company, other.id);
    const events = await company.all.listTeamAudit({ kind: 'memory.archive' });
    const [ofOne, ofMany] = column(events, 'id');
    assert.equal(await text('unarchive', '--event', ofMany ?? ''), withHint('Restored 2 sources.'));
    assert.equal(await text('unarchive', '--event', ofOne ?? ''), withHint('Restored 1 source.'));
    const event = ['--event', newId()];
    assertRefused(await person.run(['unarchive', ...event]), /no event memory\.archive with the id/);
    assertRefused(await person.run(['unarchive', other.id, ...event]), /--event, not both/);
    await text('archive', '--tag', 'old', '--yes');
    assert.equal(await text('unarchive', '--kind', 'ingest', '--yes'), withHint('Restored 2 sources.'));
  });
});

describe('cli move', () => {
  test('moves a source or a memory to a client, named by name or id, or to the Team layer', async () => {
    const { company, person, text } = await owner();
    const clientId = await addClient(service, company);
    const source = await addSource(company, { title: 'Cats' });
    const memory = await addMemory(company, 'published', { title: 'Dogs' });
    const move = ['move', source.id, '--to'];
    assert.equal(await text(...move, 'a client'), withHint('Moved 1 source to A client.'));
    assert.equal(await text(...move, clientId), 'Moved 0 sources to A client.\n1 source was already so.\n');
    assert.equal(await text(...move, 'team'), withHint('Moved 1 source to the Team layer.'));
    const ofMemory = ['move', memory.id, '--memory', '--to', 'A client'];
    assert.equal(await text(...ofMemory), `Dogs (${memory.id}) is in A client now.\n`);
    assertRefused(await person.run(['move', source.id]), /--to: name a client/);
    assertRefused(await person.run(['move', source.id, '--to', 'nobody']), /--to: you can reach no client/);
    const refused = await person.run(['move', memory.sourceId ?? '', memory.id, '--to', 'team']);
    assert.match(refused.stdout, /Dogs \([^)]+\): [^\n]*move the memory[^]*: not_found/);
    assert.match(refused.stderr, /2 of 2 sources were not moved/);
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
