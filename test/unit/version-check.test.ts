import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compareVersions, installAdvice, versionNotice } from '../../cli/client/service-checks.ts';

describe('the version of the terminal client', () => {
  test('fits a service up to one minor version apart, in both directions', () => {
    for (const [own, service, expected] of [
      ['0.1.0', '0.1.9', 'fits'],
      ['0.1.0', '0.2.0', 'fits'],
      ['0.2.0', '0.1.0', 'fits'],
      ['0.1.0', '0.3.0', 'older'],
      ['0.10.0', '0.8.7', 'newer'],
      ['0.9.0', '1.0.0', 'older'],
      ['2.0.0', '1.9.0', 'newer'],
      ['0.1.0', 'unknown', 'fits'],
    ] as const)
      assert.equal(compareVersions(own, service), expected, `${own} and ${service}`);
  });

  test('is installed from the service, and over http that is not loopback from https first', () => {
    const install = (url: string) => `npm install -g ${url}/cli.tgz`;
    for (const url of ['https://m.example/team', 'http://127.0.0.1:8787', 'http://localhost:8787'])
      assert.equal(installAdvice(url), install(url));
    assert.equal(installAdvice('http://[::1]:8787'), "npm install -g 'http://[::1]:8787/cli.tgz'");
    assert.equal(
      installAdvice('http://m.example:8787'),
      `${install('https://m.example')}, or, only where the service has no https, ${install('http://m.example:8787')}`,
    );
    assert.match(installAdvice('https://m.example/$(x)'), /'https:\/\/m\.example\/\$\(x\)\/cli\.tgz'$/);
  });

  test('has a notice of one line only if it does not fit', () => {
    assert.equal(versionNotice('https://m.example', '0.2.0', '0.1.0'), null);
    assert.equal(
      versionNotice('https://m.example', '0.3.0', '0.1.0'),
      'this program has version 0.1.0, which is older than 0.3.0 of the service at https://m.example: install that one with npm install -g https://m.example/cli.tgz',
    );
  });
});
