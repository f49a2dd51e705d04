import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { raw } from 'jq-wasm';

/** Sends its arguments and its input to this process, and prints the answer. */
const script = (url: string) => `#!/bin/sh
{ printf '%s\\0' "$#" "$@"; cat; } | curl -s --fail-with-body --data-binary @- ${url}
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
      (error: unknown) => response.writeHead(400).end(`${String(error)}\n`),
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

async function answer(request: IncomingMessage): Promise<string> {
  const [count = '0', ...rest] = (await buffer(request)).toString('utf8').split('\0');
  const options = rest.slice(0, Number(count));
  const filter = options.pop() ?? '.';
  const output = await raw(rest.slice(Number(count)).join('\0'), filter, options);
  return output === '' || output.endsWith('\n') ? output : `${output}\n`;
}
