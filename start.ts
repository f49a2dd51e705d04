import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { assertCanListen, checkAddress } from './api/listening.ts';
import { startApi } from './api/server.ts';
import { createPrincipalResetLink } from './core/identity/reset-links/create-principal-reset-link.ts';
import type { Database } from './db/driver/database.ts';
import type { EmbeddedDatabase } from './db/driver/embedded.ts';
import { openQueue } from './db/queue/queue.ts';
import type { Principal } from './db/startup/bootstrap.ts';
import { checkBackend } from './db/startup/check-backend.ts';
import { startBackend } from './db/startup/startup.ts';
import { type Config, readConfig } from './shared/config.ts';
import { closeOnSignal, exitOnSignal, failStartup } from './shared/lifecycle.ts';
import { createLogger, forwardLevelSwitch, switchLevelOnSignal } from './shared/logger.ts';
import { createPasswordHasher } from './shared/passwords.ts';
import { loadEnvironmentFile } from './shared/settings/environment.ts';
import { asksForCheck, checkSetup } from './shared/settings/setup-checks.ts';
import { startTracing } from './shared/tracing/start-tracing.ts';
import { checkModel } from './worker/embedder/check-model.ts';
import { startWorker } from './worker/worker.ts';

/** Prints the address and the health of the service on standard output, for the person who started it. */
async function announce(url: string): Promise<void> {
  process.stdout.write(`Team memory listens on ${url}\n`);
  // Errors are ignored: fetch refuses some ports, and the service may have been stopped by a signal.
  const health = await fetch(`${url}/v1/health`)
    .then((answer) => answer.text())
    .catch(() => null);
  if (health !== null) process.stdout.write(`Health: ${health}\n`);
}

/** Runs the API and the worker in this process, on the embedded database. */
async function startEmbedded(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel, 'memory', config.logFormat);
  switchLevelOnSignal(logger);
  const stopTracing = await startTracing(config, 'all', logger);
  for (const warning of config.warnings) logger.warn(warning);
  await assertCanListen(config);
  const { database, blobs, principal } = await startBackend(config, logger);
  try {
    const queue = await openQueue({ database, databaseUrl: null, supervise: true, logger, drainMs: 5_000 });
    const api = await startApi({ config, database, queue, logger, passwords: createPasswordHasher(), blobs });
    const worker = await startWorker({ config, database, blobs, queue, logger });
    // Only now: the startup writes little, and without it nothing could be read.
    (database as EmbeddedDatabase).setMinFree(config.minFreeDiskMegabytes, logger);
    closeOnSignal(
      {
        announce: api.announceStop,
        waitMs: config.drainSeconds * 1000,
        // The worker runs until then, because searches need it for the vectors of their queries.
        close: async () => {
          await api.stop();
          await worker.stop();
          await Promise.all([database.close(), stopTracing()]);
        },
      },
      (error) => logger.error({ err: error }, 'the service did not stop cleanly'),
    );
    await announce(api.localUrl);
    if (!principal.hasPassword) await announceOwnerLink(database, principal, config, api.localUrl);
  } catch (error) {
    // This error ends the process, which ends the queue and the listener. The data folder must be released explicitly.
    await database.close();
    throw error;
  }
}

async function announceOwnerLink(
  database: Database,
  principal: Principal,
  config: Config,
  localUrl: string,
): Promise<void> {
  const link = await createPrincipalResetLink({ database, config }, principal, localUrl);
  process.stdout.write(
    `To set the password of ${principal.email}, open this link. It works once, until ${link.expiresAt}:\n${link.url}\n`,
  );
}

function announceLinkCommand(command: string | null): void {
  if (command === null) return;
  process.stdout.write(
    `The Owner has no password yet. To make a link for it, run this with the MEMORY_API_TOKEN of the service:\n${command}\n`,
  );
}

/**
 * Runs the API and the worker as two processes on PostgreSQL. If one ends, the other drains and this process exits
 * with 1. The worker starts after the API listens, so that a fault that affects both is reported only once. It stops when
 * the API closes, because the last searches need it for the vectors of their queries.
 */
function startProcesses({ drainSeconds }: Config): void {
  const children: ChildProcess[] = [];
  const running = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;
  let wanted = true;
  const drain = async (signal: NodeJS.Signals) => {
    wanted = false;
    const left = children.filter(running);
    for (const child of left) child.kill(signal);
    await Promise.all(left.map((child) => once(child, 'exit')));
  };
  const start = (file: string) => {
    const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, file)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    children.push(child);
    child.on('exit', () => {
      if (wanted) void drain('SIGTERM').then(() => process.exit(1));
    });
    return child;
  };
  const api = start('api/main.ts').on('message', (message) => {
    const { listening, linkCommand } = message as { listening?: string; linkCommand?: string | null };
    if (listening === undefined || !wanted) return;
    start('worker/main.ts');
    void announce(listening).then(() => announceLinkCommand(linkCommand ?? null));
  });
  const announceStop = () => {
    wanted = false;
    if (running(api)) api.kill('SIGTERM');
  };
  forwardLevelSwitch(children);
  // SIGINT, because this process has waited already, or is not to wait.
  const close = () => drain('SIGINT');
  closeOnSignal({ announce: announceStop, waitMs: drainSeconds * 1000, close }, failStartup);
}

exitOnSignal();
try {
  loadEnvironmentFile();
  const read = () => readConfig(process.env);
  if (asksForCheck(process.argv.slice(2))) {
    process.exit((await checkSetup(read, [checkBackend, checkModel, checkAddress])) ? 0 : 1);
  }
  const config = read();
  if (config.databaseUrl === null) await startEmbedded(config);
  else startProcesses(config);
} catch (error) {
  failStartup(error);
}
