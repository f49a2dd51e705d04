import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type * as Jq from 'jq-wasm';

/** Sends its arguments and its input to this process, and prints the answer; an error as jq does, on standard error. */
const script = (url: string) => `#!/bin/sh
if output=$({ printf '%s\\0' "$#" "$@"; cat; } | curl -s --fail-with-body --data-binary @- ${url}); then
  [ -z "$output" ] || printf '%s\\n' "$output"
else
  printf '%s\\n' "$output" >&2
  exit 5
fi
`;

/**
 * Makes a folder with a `jq` for PATH: jq itself, compiled to WebAssembly, so that no test depends on what the machine
 * has. It runs in this process, because loading it for each of many calls takes seconds. The last argument of a call is
 * the filter; files as arguments are not supported.
 */
export async function startJq(folder: string): Promise<{ bin: string; stop(): void }> {
  const server = createServer((request, response) => {
    void answer(request).then(
      (output) => response.end(output),
      (error: unknown) => response.writeHead(400).end((error as Error).message),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'jq'), script(`http://127.0.0.1:${port}`));
  await chmod(join(bin, 'jq'), 0o755);
  return {
    bin,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** One instance of jq fails with "memory access out of bounds" after some 200 calls (jq-wasm 1.0.1). */
const CALLS_OF_AN_INSTANCE = 100;
const require = createRequire(import.meta.url);
let calls = 0;

/** jq, loaded again now and then. */
function loadJq(): typeof Jq {
  if (calls % CALLS_OF_AN_INSTANCE === 0) {
    const loaded = Object.keys(require.cache).filter((path) => path.includes('/node_modules/jq-wasm/'));
    for (const path of loaded) delete require.cache[path];
  }
  calls += 1;
  return require('jq-wasm') as typeof Jq;
}

async function answer(request: IncomingMessage): Promise<string> {
  const [count = '0', ...rest] = (await buffer(request)).toString('utf8').split('\0');
  const options = rest.slice(0, Number(count));
  const filter = options.pop() ?? '.';
  return loadJq().raw(rest.slice(Number(count)).join('\0'), filter, options);
}
