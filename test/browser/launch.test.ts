import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';

const NAME = '--disable-features=';

describe('the browser of the tests', { skip: withoutBrowser }, () => {
  test('all that Playwright turns off stays off', async (t) => {
    const browser = await launchBrowser();
    t.after(() => browser.close());
    const system = await browser.newBrowserCDPSession();
    const { commandLine } = await system.send('SystemInfo.getInfo');
    const lists = commandLine.split(' ').filter((option) => option.startsWith(NAME));
    const [ofPlaywright = [], used = []] = lists.map((list) => list.slice(NAME.length).split(','));
    assert.equal(lists.length, 2);
    assert.ok(ofPlaywright.length > 0);
    assert.deepEqual(
      ofPlaywright.filter((feature) => !used.includes(feature)),
      [],
    );
  });
});
