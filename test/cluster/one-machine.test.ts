import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readPage } from '../documents/page.ts';
// Declares that this file starts programs.
import '../support/needs/command.ts';
import { ROOT } from '../support/root.ts';
import {
  endServers,
  freePort,
  listens,
  makeFolder,
  runInside,
  startInside,
  waitFor,
} from './servers/debian.ts';

/* A deployment on one machine: the compose file, as Docker Compose reads it, and the proxy in front of it. */

after(endServers);

describe('docker-compose.yml', () => {
  test('is valid for Docker Compose', async () => {
    const { path, inside } = await makeFolder('compose');
    await mkdir(join(path, 'db'));
    for (const file of ['docker-compose.yml', 'db/compose-owner.sh']) {
      await copyFile(join(ROOT, file), join(path, file));
    }
    const env = { MEMORY_API_TOKEN: 'token-of-the-service', POSTGRES_PASSWORD: 'password', HOME: inside };
    await runInside('docker-compose', ['--project-directory', inside, 'config', '--quiet'], env);
  });
});

describe('the Caddyfile of the documents', () => {
  const block = readPage('docs/operations/deploy.md').blocks.find(({ info }) => info === 'caddy');

  test('is valid and gives the service the address of the caller, whatever the caller claims', async (t) => {
    const seen: IncomingHttpHeaders[] = [];
    const service = createServer((incoming, response) => {
      seen.push(incoming.headers);
      response.end();
    });
    const [front, back] = [await freePort(), await freePort()];
    await new Promise<void>((resolve) => service.listen(back, '127.0.0.1', resolve));
    t.after(() => service.close());
    const text = block?.text ?? '';
    assert.match(text, /^memory\.example\.com \{$/m);
    assert.match(text, /reverse_proxy 127\.0\.0\.1:8787$/m);

    const { path, inside } = await makeFolder('caddy');
    const env = { HOME: inside };
    const files = { 'Caddyfile.written': `${text}\n`, Caddyfile: localCaddyfile(text, front, back) };
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(path, name), content, { mode: 0o644 });
      await runInside('caddy', ['validate', '--adapter', 'caddyfile', '--config', `${inside}/${name}`], env);
    }
    const caddy = startInside(
      'caddy',
      ['run', '--adapter', 'caddyfile', '--config', `${inside}/Caddyfile`],
      env,
    );
    await waitFor(() => listens(front), caddy);

    let headers: IncomingHttpHeaders = {};
    await waitFor(async () => {
      headers = await answerFrom(front);
      return true;
    }, caddy);
    assert.match(headers['strict-transport-security'] ?? '', /^max-age=\d+$/);
    const [received] = seen;
    assert.equal(received?.['x-forwarded-for'], '127.0.0.2');
    assert.equal(received?.['x-forwarded-proto'], 'https');
    assert.equal(received?.host, `localhost:${front}`);
  });
});

/** The file with ports and a certificate of this machine. */
function localCaddyfile(text: string, front: number, back: number): string {
  const options = 'admin off\nskip_install_trust\nauto_https disable_redirects\ndefault_bind 127.0.0.1';
  const site = text
    .replace('memory.example.com {', `localhost:${front} {\n\ttls internal`)
    .replace('127.0.0.1:8787', `127.0.0.1:${back}`);
  return `{\n${options}\n}\n${site}\n`;
}

/** The headers of an answer to a caller at 127.0.0.2 that claims another address. */
function answerFrom(port: number): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    request(
      {
        host: 'localhost',
        port,
        localAddress: '127.0.0.2',
        rejectUnauthorized: false,
        headers: { 'X-Forwarded-For': '203.0.113.9' },
      },
      (response) => {
        response.resume();
        resolve(response.headers);
      },
    )
      .on('error', reject)
      .end();
  });
}
