import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as sendOnward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { openTestApp } from '../support/app.ts';
import { PASSWORD } from '../support/invites.ts';
import { heading, keptSession, openPage, sendForm } from '../support/pages.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { askSession } from '../support/sign-in.ts';
import { linkPages } from './links.ts';
import { openBrowser } from './open-browser.ts';

const service = await openTestApp();
const { base: inner, browser, skip } = await openBrowser(service);
const { app } = service;

const PAGES = linkPages(service);

/** The page and everything that it and its scripts load, by path. */
async function filesOf(name: string): Promise<Map<string, Awaited<ReturnType<typeof app.inject>>>> {
  const files = new Map<string, Awaited<ReturnType<typeof app.inject>>>();
  const open = [`/${name}`];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (files.has(path)) continue;
    const answer = await app.inject(path);
    files.set(path, answer);
    const loaded =
      /(?:src=|href=|from ?|import\()["']((?:\.{1,2}|assets|join|accept|reset)\/[^"']+\.(?:js|css))["']/g;
    for (const [, to = ''] of answer.body.matchAll(loaded)) {
      open.push(new URL(to, `http://service${path}`).pathname);
    }
  }
  return files;
}

for (const name of ['jobs', ...PAGES.map((page) => page.name)]) {
  describe(`the files of /${name}`, () => {
    test('page and assets have strict headers, are not cached and set no cookie', async () => {
      const files = await filesOf(name);
      assert.ok(files.size >= 10, [...files.keys()].join());
      for (const [path, { statusCode, headers }] of files) {
        assert.equal(statusCode, 200, path);
        const policy = String(headers['content-security-policy']).split('; ');
        for (const rule of [
          "default-src 'none'",
          "script-src 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "form-action 'none'",
          "require-trusted-types-for 'script'",
        ]) {
          assert.ok(policy.includes(rule), `${path}: ${rule}`);
        }
        assert.equal(headers['referrer-policy'], 'no-referrer');
        assert.equal(headers['x-content-type-options'], 'nosniff');
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal(headers['set-cookie'], undefined);
      }
    });

    test('the page contains no inline script and no inline style', async () => {
      const { body } = await app.inject(`/${name}`);
      assert.doesNotMatch(body, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
    });
  });
}

describe('the pages of links in a browser', { skip }, () => {
  for (const { name, asks, done, make } of PAGES) {
    test(`no address, Referer or log line contains a token from /${name} to the session`, async (t) => {
      const lines: string[] = [];
      // Without the redaction of the service's logger: the pages must not depend on it.
      const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
      const logged = await buildTestedApp({ ...service, logger });
      t.after(() => logged.close());
      const asked: string[] = [];
      logged.server.on('request', ({ method, url, headers }) => {
        const { authorization, ...others } = headers;
        if (authorization !== undefined) asked.push('(a request with Authorization)');
        asked.push(`${method} ${url} ${JSON.stringify(others)}`);
      });
      const base = await logged.listen({ host: '127.0.0.1', port: 0 });
      const { token } = await make(await service.company());
      const { page, faults } = await openPage(browser, `${base}/${name}#token=${token}`);
      await sendForm(page, { name: asks, password: PASSWORD });
      await heading(page, done);
      const session = await keptSession(page);
      await page.reload();
      await heading(page, 'You are signed in');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await heading(page, 'You are signed out');
      const [wire, log] = [asked.join('\n'), lines.join('')];
      assert.match(wire, /POST \/v1\/auth\/logout/);
      assert.match(log, /\/v1\/auth\/logout/);
      assert.doesNotMatch(wire, /"referer"/i);
      for (const secret of [token, session, PASSWORD]) {
        assert.ok(!wire.includes(secret) && !log.includes(secret));
      }
      assert.deepEqual(faults, []);
    });
  }

  for (const { name, asks, done, make } of PAGES) {
    test(`/${name} works behind a proxy that adds a prefix`, async (t) => {
      const proxy = createServer((request, response) => {
        const { method, headers, url = '' } = request;
        if (!url.startsWith('/memory/')) {
          response.writeHead(502).end();
          return;
        }
        const path = url.slice('/memory'.length);
        const onward = sendOnward(inner + path, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        request.pipe(onward);
      });
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      t.after(() => {
        proxy.closeAllConnections();
        proxy.close();
      });
      const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/memory`;
      const { token } = await make(await service.company());
      const { page, faults } = await openPage(browser, `${base}/${name}#token=${token}`);
      await sendForm(page, { name: asks, password: PASSWORD });
      await heading(page, done);
      assert.equal((await askSession(service, await keptSession(page))).statusCode, 200);
      await page.reload();
      await heading(page, 'You are signed in');
      assert.deepEqual(faults, []);
    });
  }
});
