import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
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
});
