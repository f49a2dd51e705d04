import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { issueOwnerResetLink } from './api/links/reset-link.ts';
import { type RunningApi, startApi } from './api/server.ts';
import { openQueue } from './db/queue.ts';
import { startBackend } from './db/startup.ts';
import { type Config, readConfig } from './shared/config.ts';
import { loadEnvironmentFile } from './shared/environment.ts';
import { closeOnSignal, failStartup } from './shared/lifecycle.ts';
import { createLogger } from './shared/logger.ts';
import { createPasswordHasher } from './shared/passwords.ts';
import { startWorker } from './worker/worker.ts';

/** What a person who started the service wants to know. To standard output, and never through the logger. */
async function announce(url: string): Promise<void> {
  const health = await fetch(`${url}/v1/health`);
  process.stdout.write(`Team memory listens on ${url}\nHealth: ${await health.text()}\n`);
}

/** Everything in this one process, on the embedded database. */
async function startEmbedded(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel, 'memory');
  for (const warning of config.warnings) logger.warn(warning);
  const { database, principal } = await startBackend(config, logger);
  const queue = await openQueue({ database, databaseUrl: null, supervise: true, logger });
  let api: RunningApi | undefined;
  try {
    api = await startApi({ config, database, queue, logger, passwords: createPasswordHasher() });
  } catch (error) {
    await queue.stop();
    await database.close();
    throw error;
  }
  const worker = await startWorker({ config, database, queue, logger });
  closeOnSignal(
    async () => {
      await api.stop();
      await worker.stop();
      await database.close();
    },
    (error) => logger.error({ err: error }, 'the service did not stop cleanly'),
  );
  await announce(api.localUrl);
  if (!principal.hasPassword) {
    const link = await issueOwnerResetLink(database, principal, config, api.localUrl);
    process.stdout.write(
      `Set the password of ${principal.email}, once, until ${link.expiresAt.toISOString()}:\n${link.url}\n`,
    );
  }
}

/** API and worker as two processes on PostgreSQL. If one ends, the other drains and this process exits with 1. */
async function startProcesses(): Promise<void> {
  const children = ['api/main.ts', 'worker/main.ts'].map((file) =>
    spawn(process.execPath, [join(import.meta.dirname, file)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
  children[0]?.on('message', (message) => {
    const { listening } = message as { listening?: string };
    if (listening !== undefined) announce(listening).catch(failStartup);
  });
  const running = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;
  let wanted = true;
  const drain = async () => {
    wanted = false;
    const left = children.filter(running);
    for (const child of left) child.kill('SIGTERM');
    await Promise.all(left.map((child) => once(child, 'exit')));
  };
  for (const child of children) {
    child.on('exit', () => {
      if (wanted) void drain().then(() => process.exit(1));
    });
  }
  closeOnSignal(drain, failStartup);
}

loadEnvironmentFile();
try {
  const config = readConfig(process.env);
  await (config.databaseUrl === null ? startEmbedded(config) : startProcesses());
} catch (error) {
  failStartup(error);
}
