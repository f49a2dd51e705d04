import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { CreateBucketCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort, listens, makeFolder, runInside, type Server, startInside, waitFor } from './debian.ts';

/*
 * The gateway of Ceph, which has the interface of S3. It needs no cluster: it keeps everything in files of SQLite.
 */

/** A running gateway, with one user who can do everything. */
export interface ObjectGateway {
  /** Where ranges are correct. */
  readonly endpoint: string;
  /** The gateway itself, where ranges have wrong bytes. */
  readonly directEndpoint: string;
  /** The credentials of the user, as the variables of AWS. */
  readonly credentials: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string };
  /** A client that the service has no part in. */
  readonly client: S3Client;
  createBucket(name: string): Promise<void>;
  /** The process that runs now. */
  server(): Server;
  /** Starts it again on the same port, with the same objects, after it was killed. */
  start(): Promise<void>;
}

const USER = ['--no-mon-config', '-n', 'client.rgw'];

/**
 * Listens in front of the gateway. Requests pass unchanged, with their signatures. Ranges are answered here from the whole
 * object: without a cluster, Ceph 18.2.7 returns the bytes at the beginning of the object, and more than it announces.
 */
async function startFront(gatewayPort: number, client: S3Client): Promise<number> {
  const sendRange = async (path: string, range: string, answer: ServerResponse) => {
    const [, Bucket = '', ...key] = path.split('?', 1)[0]?.split('/') ?? [];
    const [first = 0, last = 0] = range.replace('bytes=', '').split('-').map(Number);
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key.join('/') }));
    const whole = Buffer.from((await Body?.transformToByteArray()) ?? []);
    const part = whole.subarray(first, last + 1);
    const headers = {
      'content-length': part.length,
      'content-range': `bytes ${first}-${last}/${whole.length}`,
    };
    answer.writeHead(206, headers).end(part);
  };
  const front = createServer((asked, answer) => {
    const { method = 'GET', url = '/', headers } = asked;
    if (headers.range !== undefined) {
      sendRange(url, headers.range, answer).catch(() => answer.destroy());
      return;
    }
    const passed = request({ host: '127.0.0.1', port: gatewayPort, method, path: url, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers);
      got.pipe(answer).on('error', () => undefined);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  // The tests end without closing it.
  front.listen(0, '127.0.0.1').unref();
  await once(front, 'listening');
  const address = front.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Starts a gateway. */
export async function startGateway(): Promise<ObjectGateway> {
  const { path, inside } = await makeFolder('radosgw');
  const port = await freePort();
  const file = join(inside, 'ceph.conf');
  const settings = {
    rgw_backend_store: 'dbstore',
    rgw_config_store: 'dbstore',
    dbstore_db_dir: inside,
    dbstore_config_uri: `file:${inside}/config.db`,
    rgw_frontends: `beast endpoint=127.0.0.1:${port}`,
    rgw_data: inside,
    run_dir: inside,
    keyring: `${inside}/keyring`,
    admin_socket: '',
    log_file: '',
    log_to_stderr: 'true',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  await writeFile(join(path, 'ceph.conf'), ['[client.rgw]', ...lines, ''].join('\n'));
  const [access, secret] = ['key-of-the-tests', 'secret-of-the-tests'];
  const user = ['--uid=tests', '--display-name=tests', `--access-key=${access}`, `--secret=${secret}`];
  await runInside('radosgw-admin', ['-c', file, ...USER, 'user', 'create', ...user]);

  let server: Server;
  const start = async () => {
    server = startInside('radosgw', ['-c', file, ...USER, '-f']);
    await waitFor(() => listens(port), server);
  };
  await start();
  const directEndpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({
    endpoint: directEndpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: access, secretAccessKey: secret },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const front = await startFront(port, client);
  return {
    endpoint: `http://127.0.0.1:${front}`,
    directEndpoint,
    credentials: { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret },
    client,
    createBucket: async (Bucket) => {
      await client.send(new CreateBucketCommand({ Bucket }));
    },
    server: () => server,
    start,
  };
}
