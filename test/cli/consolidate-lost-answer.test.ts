import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListedMemory } from '../../shared/schemas/memories.ts';
import { openTestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { type Fate, openPlaces } from './between.ts';
import { openHomes } from './cli.ts';
import { signedInOwner } from './cli-person.ts';
import { captureStates, program } from './consolidation.ts';

const service = await openTestApp();
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const newPerson = await openHomes();
const between = openPlaces();

const COMPLETE = '/v1/memory/consolidation/complete';
const CONTENT = 'Run this:\n\n```sh\nnpm ci\n```\n\nThen wait.';

/** A program that prints what this expression makes of the JSON of a valid answer. */
const printing = (expression: string) =>
  `const [{ id }] = JSON.parse(input.slice(input.indexOf('Captures:') + 9));
  const item = { captureIds: [id], action: 'publish', title: 'Setup', content: ${JSON.stringify(CONTENT)} };
  const json = JSON.stringify({ items: [item] }, null, 2);
  const fence = '\`\`\`';
  console.log(${expression});`;

describe('cli consolidate --with', () => {
  for (const [form, expression] of [
    ['as JSON', 'json'],
    ['between fences', "fence + 'json\\n' + json + '\\n' + fence"],
    [
      'between fences after some words',
      "'Here you are:\\n' + fence + '\\n' + json + '\\n' + fence + '\\nDone.'",
    ],
  ] as const) {
    test(`accepts a content with a code block in an answer ${form}`, async () => {
      const cli = await signedInOwner(service, base, newPerson);
      await stageCapture(cli.company);
      const command = await program(cli.person, printing(expression));
      const ended = await cli.person.run(['consolidate', '--with', command]);
      assert.equal(ended.code, 0, ended.stderr);
      const answer = await cli.company.ask.listMemories();
      const [memory] = answer.json<{ items: ListedMemory[] }>().items;
      assert.equal(memory?.content, CONTENT);
    });
  }

  for (const fate of ['is lost', 'loses its answer'] as const) {
    test(`completes the batch once when the first completion ${fate}`, async () => {
      const fates: Fate[] = [fate];
      const { url } = await between(base, ({ path }) =>
        path === COMPLETE ? (fates.shift() ?? 'passes') : 'passes',
      );
      const cli = await signedInOwner(service, url, newPerson);
      await stageCapture(cli.company);
      const command = await program(cli.person, printing('json'));
      const ended = await cli.person.run(['consolidate', '--with', command]);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stderr, /cannot be reached.*, again in /);
      assert.deepEqual(await captureStates(cli.company), { staged: 0, claimed: 0, completed: 1 });
    });
  }
});
