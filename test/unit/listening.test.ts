import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { checkAddress, listeningFault } from '../../api/server.ts';
import type { ConfigError } from '../../shared/config.ts';

const check = async (address: { host: string; port: number }) => {
  const [result] = await Array.fromAsync(checkAddress(address));
  return `${result?.state} ${result?.text}`;
};

/** Runs a test while a server answers each request with this body. */
async function whileServed(body: string, run: (address: { host: string; port: number }) => Promise<void>) {
  const server = createServer((_, answer) => answer.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await run({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  server.close();
  await once(server, 'close');
}

test('--check fails if another program uses the address, and warns if it is a service of this kind', async () => {
  await whileServed('hello', async (address) => {
    assert.match(
      await check(address),
      /^failed MEMORY_API_PORT: 127\.0\.0\.1:\d+ is in use; stop the process .* or set another port$/,
    );
  });
  await whileServed('{"ok":true,"backend":"pglite","embedder":{}}', async (address) => {
    assert.match(await check(address), /^warning 127\.0\.0\.1:\d+ is in use by a running service: stop it /);
  });
  assert.equal(await check({ host: '127.0.0.1', port: 0 }), 'ok a free port of 127.0.0.1');
  assert.match(
    await check({ host: '192.0.2.1', port: 0 }),
    /^failed MEMORY_API_HOST: 192\.0\.2\.1 is not an address /,
  );
});

test('a port that this user cannot use is refused with the user and an example', () => {
  const refused = Object.assign(new Error('x'), { code: 'EACCES' });
  const fault = listeningFault(refused, { host: '0.0.0.0', port: 80 }) as ConfigError;
  assert.match(
    fault.message,
    /^MEMORY_API_PORT: user \d+ has no permission to listen on 0\.0\.0\.0:80; .* such as MEMORY_API_PORT=8787$/,
  );
});
