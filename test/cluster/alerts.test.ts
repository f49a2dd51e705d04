import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { MONITORING, readAlerts } from '../support/alerts.ts';
import { ROOT } from '../support/root.ts';
import { endServers, makeFolder, runInside } from './servers/debian.ts';

const RULES = 'alerts.yml';
const TESTS = 'alerts-test.yml';

after(endServers);

/** Copies the rules and their tests to where promtool can read them. */
async function copyRules(): Promise<{ path: string; inside: string }> {
  const folder = await makeFolder('alerts');
  for (const file of [RULES, TESTS]) {
    await copyFile(join(ROOT, MONITORING, file), join(folder.path, file));
  }
  return folder;
}

describe('the alerts for Prometheus', () => {
  test('promtool accepts the rules', async () => {
    const { inside } = await copyRules();
    const said = await runInside('promtool', ['check', 'rules', join(inside, RULES)]);
    assert.match(said, /SUCCESS: 19 rules found/);
  });

  test('each alert fires at its time and not before, and ends when the fault ends', async () => {
    const { inside } = await copyRules();
    assert.match(await runInside('promtool', ['test', 'rules', join(inside, TESTS)]), /SUCCESS/);
  });

  test('the times of every alert are tested, also that it does not fire', async () => {
    const text = await readFile(join(ROOT, MONITORING, TESTS), 'utf8');
    const tested = (form: RegExp) => new Set([...text.matchAll(form)].map(([, alert]) => alert));
    const alerts = readAlerts().map(({ alert }) => alert);
    const fires = tested(/alertname: (\w+)\n\s+exp_alerts:\n\s+- exp_labels/g);
    const isSilent = tested(/alertname: (\w+)\n\s+exp_alerts: \[\]/g);
    assert.deepEqual([...fires].sort(), alerts.toSorted());
    assert.deepEqual([...isSilent].sort(), alerts.toSorted());
  });

  for (const [what, from, to] of [
    ['waits longer', 'for: 2m', 'for: 3m'],
    ['has another threshold', '> 600', '> 900'],
    ['is not kept apart by job', 'max by (job) (memory_workers)', 'max(memory_workers)'],
  ] as const) {
    test(`the tests of the times fail if an alert ${what}`, async () => {
      const { path, inside } = await copyRules();
      const text = await readFile(join(path, RULES), 'utf8');
      assert.ok(text.includes(from));
      await writeFile(join(path, RULES), text.replaceAll(from, to));
      await assert.rejects(runInside('promtool', ['test', 'rules', join(inside, TESTS)]));
    });
  }
});
