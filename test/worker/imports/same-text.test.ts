import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Source } from '../../../shared/schemas/sources.ts';
import { openTestApp } from '../../support/app.ts';
import { outcome } from '../../support/sign-in.ts';
import { removeSource } from '../../support/source-library.ts';
import { addClient } from '../../support/team.ts';
import { sameTextFiles, TEXT } from './same-text-files.ts';

const service = await openTestApp();
const { send, read, importFiles, activeSources, find } = sameTextFiles(service);

describe('imported files with the same text', () => {
  test('have a source for each name, and the later ones name the first', async () => {
    const company = await service.company();
    const [first, second, third] = await importFiles(company, 'pumps.txt', 'valves.txt', 'taps.txt');
    assert.equal(new Set([first, second, third]).size, 3);
    assert.deepEqual(await activeSources(company), [
      ['pumps.txt', null],
      ['valves.txt', first],
      ['taps.txt', first],
    ]);
    const single = await company.api.getSource(second!);
    assert.equal(single.sameAs, first);
    assert.deepEqual(
      (await find(company, 'shut at nine')).map(({ source_id, duplicates }) => [source_id, duplicates]),
      [[third, 2]],
      'the text once',
    );
    for (const name of ['pumps', 'valves', 'taps']) assert.equal((await find(company, name)).length, 1, name);
  });

  test('are a duplicate if the name is the same too, and so is the text if it is ingested later', async () => {
    const company = await service.company();
    const [first, again] = await importFiles(company, 'pumps.txt', 'pumps.txt');
    assert.equal(first, again);
    const ingested = await company.ask.ingestSource({ title: 'Valves', text: TEXT });
    const { source, duplicate } = ingested.json<{ source: Source; duplicate: boolean }>();
    assert.deepEqual([source.id, duplicate], [first, true]);
  });

  test('stay when the first is deleted: the next one is the first then, and the deleted name can come again', async () => {
    const company = await service.company();
    const [first = '', second = ''] = await importFiles(company, 'pumps.txt', 'valves.txt', 'taps.txt');
    assert.equal(outcome(await removeSource(company, first)), '204');
    assert.deepEqual(await activeSources(company), [
      ['valves.txt', null],
      ['taps.txt', second],
    ]);
    assert.equal((await find(company, 'shut at nine')).length, 1);
    const [back] = await importFiles(company, 'pumps.txt');
    assert.notEqual(back, first);
    assert.deepEqual((await activeSources(company)).at(-1), ['pumps.txt', second]);
    assert.equal(outcome(await removeSource(company, back ?? '')), '204', 'a later one');
    assert.deepEqual(await activeSources(company), [
      ['valves.txt', null],
      ['taps.txt', second],
    ]);
  });

  test('name no source of another layer', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await importFiles(company, 'pumps.txt');
    const [id = ''] = await send(company, ['valves.txt'], clientId);
    await read(company, id, clientId);
    assert.deepEqual(await activeSources(company), [
      ['pumps.txt', null],
      ['valves.txt', null],
    ]);
  });

  test('have one source for each name and one first, also if they are read at the same time', async () => {
    const company = await service.company();
    const ids = await send(company, ['pumps.txt', 'valves.txt', 'taps.txt', 'pumps.txt']);
    await Promise.all(ids.map((id) => read(company, id)));
    const sources = await activeSources(company);
    assert.deepEqual(sources.map(([title]) => title).toSorted(), ['pumps.txt', 'taps.txt', 'valves.txt']);
    assert.equal(new Set(sources.flatMap(([, sameAs]) => sameAs ?? [])).size, 1);
    assert.equal(sources.filter(([, sameAs]) => sameAs === null).length, 1);
  });
});
