import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServiceRefusal } from '../../../cli/client/service-client.ts';
import { openInStep, TEAM, told } from './sync-in-step.ts';

const { inStep } = await openInStep();

/** Counts the requests to a route. */
function counter(route: string) {
  let asked = 0;
  const count = ({ path }: { path: string }) => {
    if (path.endsWith(route)) asked += 1;
    return Promise.resolve();
  };
  return { count, asked: () => asked };
}

test('a file that was replaced by an empty folder is reported once and stays in the service', async () => {
  const { workspace, folder } = await inStep({ 'team/a': 'a', 'team/b': 'b', 'team/c': 'c' });
  await folder.remove('team/a');
  await mkdir(join(folder.folder, 'team', 'a'));
  const lists = counter('/manifest');
  const outcome = await folder.sync(workspace.as(TEAM, lists.count));
  assert.deepEqual(told(outcome), ['not sent team/a: its path here is not a file']);
  assert.deepEqual([lists.asked(), workspace.live()['team/a']], [1, 'a']);
});

test('a file that was replaced by a folder with files is sent in one request', async () => {
  const { workspace, folder } = await inStep({ 'team/a': 'a', 'team/b': 'b', 'team/c': 'c' });
  await folder.remove('team/a');
  await folder.write('team/a/deep/d', 'd');
  const pushes = counter('/push');
  assert.deepEqual(told(await folder.sync(workspace.as(TEAM, pushes.count))), []);
  assert.deepEqual([pushes.asked(), workspace.live()], [1, await folder.tree()]);
});

test('a file that becomes a folder while the sync runs is reported once and not sent', async () => {
  const { workspace, folder } = await inStep({ 'team/a': 'a', 'team/b': 'b' });
  await folder.write('team/a', 'edited');
  const lists = counter('/manifest');
  const replacing = async (asked: { path: string }) => {
    await lists.count(asked);
    if (lists.asked() > 1 || !asked.path.endsWith('/manifest')) return;
    await folder.remove('team/a');
    await mkdir(join(folder.folder, 'team', 'a'));
  };
  const outcome = await folder.sync(workspace.as(TEAM, replacing));
  assert.deepEqual(told(outcome), ['not sent team/a: its path here is not a file']);
  assert.deepEqual([lists.asked(), workspace.live()['team/a']], [1, 'a']);
});

test('a failure of the service ends the run after one request', async () => {
  const { workspace, folder } = await inStep({ 'team/a': 'a' });
  for (const name of ['b', 'c', 'd']) await folder.write(`team/${name}`, name);
  const pushes = counter('/push');
  const failing = async (asked: { path: string }) => {
    await pushes.count(asked);
    if (asked.path.endsWith('/push')) throw new ServiceRefusal(500, 'internal', 'the service failed');
  };
  await assert.rejects(folder.sync(workspace.as(TEAM, failing)), /the service failed/);
  assert.equal(pushes.asked(), 1);
});
