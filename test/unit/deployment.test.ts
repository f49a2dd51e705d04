import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { COPIED, PICTURES } from '../../pack.ts';
import { SETTINGS } from '../../shared/settings/definitions.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
/** Without comments, which may name what is not so. */
const code = (path: string) => read(path).replaceAll(/(^|\s)#.*$/gm, '');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

const procfile = code('Procfile');
const dockerfile = code('Dockerfile');
const compose = code('docker-compose.yml');
const manifest = JSON.parse(read('package.json')) as {
  version: string;
  engines: { node: string };
  scripts: Record<string, string>;
  devDependencies: Record<string, string>;
};

/** What is indented below a top-level key of the compose file, and below one of its services. */
const block = (name: string) =>
  compose.match(new RegExp(`^${name}:.*\\n((?:[ \\t].*\\n|\\n)*)`, 'm'))?.[1] ?? assert.fail(`no ${name}`);
const service = (name: string) =>
  block('services').match(new RegExp(`^ {2}${name}:\\n((?: {4}.*\\n|\\s*\\n)*)`, 'm'))?.[1] ??
  assert.fail(`no service ${name}`);

/** The compose file, with its anchors replaced. */
const services = parse(read('docker-compose.yml'), { merge: true }) as {
  'x-environment': Record<string, string>;
  services: Record<
    string,
    { healthcheck?: { test?: string[] }; mem_limit?: string; logging?: { options: Record<string, string> } }
  >;
};

describe('the deployment files', () => {
  test('every command starts a file that exists, and both processes are started', () => {
    const mains = {
      Procfile: all(procfile, /^\w+: .*node .*?(\S+\.ts(?: --check)?)$/gm),
      Dockerfile: all(dockerfile, /^CMD \["node", "(\S+\.ts)"\]$/gm),
      'docker-compose.yml': all(compose, /command: \["node", "(\S+\.ts)"\]/g),
    };
    assert.deepEqual(mains, {
      Procfile: ['api/main.ts --check', 'api/main.ts', 'worker/main.ts'],
      Dockerfile: ['start.ts'],
      'docker-compose.yml': ['api/main.ts', 'worker/main.ts'],
    });
    for (const command of Object.values(mains).flat()) {
      const [path = ''] = command.split(' ');
      assert.ok(existsSync(new URL(path, root)), path);
    }
    assert.match(procfile, /^web: /m, 'the name that platforms route HTTP to');
  });

  test('every command sets the same variables and flags that limit memory', () => {
    const settings = (command = '') => all(command, /((?:MALLOC_\w+|--max-semi-space-size)=\d+)/g).sort();
    const { start, api, worker } = manifest.scripts;
    const expected = settings(start);
    assert.equal(expected.length, 3);
    for (const command of [api, worker, ...procfile.trim().split('\n'), dockerfile]) {
      assert.deepEqual(settings(command), expected, command);
    }
  });

  test('every command of the service first requires the Node that the manifest does', () => {
    const required = all(read('require-node.cjs'), /REQUIRED = (\d+);/g);
    assert.equal(manifest.engines.node, `>=${required.join()}`);
    for (const name of ['start', 'api', 'worker', 'cli', 'operator', 'fetch-model', 'test'])
      assert.match(manifest.scripts[name] ?? '', /^node require-node\.cjs && /, name);
  });

  test('npm run operator runs the terminal client', () => {
    assert.equal(manifest.scripts['operator'], manifest.scripts['cli']);
  });

  test('the build of the image gets what a release is made of, and nothing else', () => {
    const ignore = code('.dockerignore').split('\n');
    assert.ok(ignore.includes('*'), 'ignores by default');
    const included = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const path of included) assert.ok(existsSync(new URL(path, root)), path);
    const copied = COPIED.map((path) => path.split('/', 1)[0] ?? path);
    const made = [...copied, PICTURES.from, 'pack.ts', 'package.json', 'package-lock.json'];
    assert.deepEqual(included.sort(), [...new Set(made)].sort());
  });

  test('the image has the release, without the Node that a release brings along', () => {
    const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    assert.deepEqual(all(final, /^COPY (.+)$/gm), ['--from=release /build/release ./']);
    const stage = dockerfile.slice(0, dockerfile.lastIndexOf('\nFROM '));
    // A change of the sources does not install the packages again.
    assert.deepEqual(all(stage, /^((?:COPY|RUN) .+)$/gm).slice(0, 4), [
      'COPY package.json package-lock.json .npmrc ./',
      'RUN npm ci',
      'COPY . .',
      'RUN npm run pack',
    ]);
    assert.match(
      dockerfile,
      /^RUN npm ci --omit=dev && rm -r node_modules\/node node_modules\/\.bin\/node$/m,
    );
  });

  test('every image has an exact version, and the Node version is that of the tests', () => {
    assert.deepEqual(all(dockerfile, /^ARG NODE_IMAGE=(.+)$/gm), [
      `node:${manifest.devDependencies['node']}-trixie-slim`,
    ]);
    assert.deepEqual(new Set(all(dockerfile, /^FROM (\S+)/gm)), new Set(['${NODE_IMAGE}']));
    const images = all(compose, /image: (\S+)/g);
    assert.deepEqual(images.sort(), [
      'pgvector/pgvector:0.8.6-pg17-bookworm',
      `team-memory:${manifest.version}`,
    ]);
  });

  test('the workflow runs .ci/run on the same Node, and builds the image', () => {
    const workflow = code('.github/workflows/ci.yml');
    assert.deepEqual(all(workflow, /image: (\S+)/g), [`node:${manifest.devDependencies['node']}-trixie`]);
    const commands = all(workflow, /run: (.+)$/gm);
    assert.ok(commands.includes('bash .ci/run') && commands.includes('docker build .'));
  });

  test('.ci/run runs the two commands of the README, where nothing can be skipped', () => {
    const script = code('.ci/run');
    assert.deepEqual(all(script, /^step '.+' (.+)$/gm), [
      'npm ci </dev/null',
      'npm test </dev/null',
      'clean',
    ]);
    assert.match(script, /^export CI="\$\{CI:-true\}"$/m);
    assert.match(read('README.md'), /^npm ci && npm test$/m);
  });

  test('the image runs without root and without development tools, and has a health check', () => {
    const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    assert.deepEqual(all(final, /^USER (\S+)$/gm), ['node']);
    assert.ok(final.indexOf('USER node') < final.indexOf('\nCMD '), 'before the command');
    assert.match(dockerfile, /npm ci --omit=dev/);
    assert.match(final, /NODE_ENV=production/);
    assert.match(final, /^STOPSIGNAL SIGTERM$/m);
    assert.match(final, /^HEALTHCHECK [^]*\/livez/m);
  });

  test('no secret has a default', () => {
    for (const name of ['MEMORY_API_TOKEN', 'POSTGRES_PASSWORD']) {
      const uses = all(compose, new RegExp(`\\$\\{${name}(.*?)\\}`, 'g'));
      assert.ok(uses.length > 0, name);
      for (const use of uses) assert.match(use, /^:\?./, name);
    }
    assert.doesNotMatch(dockerfile, /TOKEN|PASSWORD|SECRET/);
  });

  test('docker-compose.yml publishes only the API, and only on loopback', () => {
    assert.deepEqual(all(compose, /^ *ports:\n((?: +- .+\n)+)/gm), ['      - "127.0.0.1:8787:8787"\n']);
    assert.match(service('api'), /ports:/);
  });

  test('the database owner of the compose file is not a superuser, and no superuser has a password', () => {
    const [owner] = all(compose, /MEMORY_DATABASE_URL: postgres:\/\/(\w+):/g);
    assert.equal(all(service('database'), /POSTGRES_USER: (\w+)/g)[0], 'postgres');
    assert.match(
      service('database'),
      /configs:\n +- source: owner\n +target: \/docker-entrypoint-initdb\.d\//,
    );
    const [script = ''] = all(block('configs'), /owner:\n +file: (\S+)/g);
    const made = code(script);
    assert.match(made, new RegExp(`create role ${owner} login createrole password`));
    assert.match(made, new RegExp(`create database memory owner ${owner};`));
    assert.doesNotMatch(made, /create role .*(superuser|bypassrls)/i);
    assert.match(made, /alter role postgres password null;/);
  });

  test('services wait for the database, restart after a failure and have minimal rights', () => {
    const confined = [
      /restart: unless-stopped/,
      /stop_grace_period: 30s/,
      /read_only: true/,
      /cap_drop:\n +- ALL/,
      /security_opt:\n +- no-new-privileges:true/,
    ];
    for (const rule of confined) {
      assert.match(block('x-service'), rule);
      assert.match(service('database'), rule);
    }
    assert.match(block('x-service'), /depends_on:\n +database:\n +condition: service_healthy/);
    for (const name of ['api', 'worker']) assert.match(service(name), /<<: \*service/, name);
    assert.match(service('database'), /user: postgres/);
    assert.match(service('database'), /pg_isready/);
    assert.match(service('database'), /database:\/var\/lib\/postgresql\/data/);
    assert.match(service('api'), /\/readyz/);
  });

  test('the compose file passes the names of the first start and the form of logs, with the defaults of the settings', () => {
    const { 'x-environment': environment } = services;
    const variables = ['MEMORY_COMPANY_NAME', 'MEMORY_TEAM_NAME', 'MEMORY_OWNER_EMAIL', 'MEMORY_LOG_FORMAT'];
    for (const variable of variables) {
      const setting = Object.values(SETTINGS).find((one) => one.variable === variable);
      assert.equal(environment[variable], `\${${variable}:-${String(setting?.default)}}`);
    }
  });

  test('every service has a health check, a limit of memory and logs that are rotated', () => {
    for (const [name, { healthcheck, mem_limit: limit, logging }] of Object.entries(services.services)) {
      assert.ok(Array.isArray(healthcheck?.test), name);
      assert.match(limit ?? '', /^\$\{[A-Z]+_MEMORY:-\d+[gm]\}$/, name);
      assert.deepEqual(Object.keys(logging?.options ?? {}), ['max-size', 'max-file'], name);
    }
    const { test: command = [] } = services.services['worker']?.healthcheck ?? {};
    assert.deepEqual(command.slice(0, 2), ['CMD', 'node']);
    assert.ok(existsSync(new URL(command[2] ?? '', root)), command[2]);
  });
});
