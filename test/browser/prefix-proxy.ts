import { once } from 'node:events';
import { createServer, request as sendOnward } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that serves a service below a path, and nothing else. */
export async function prefixProxy(base: string, prefix: string) {
  const proxy = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    const path = url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : '/outside';
    const onward = sendOnward(base + path, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    base: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
