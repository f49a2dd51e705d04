import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { assertCanListen, checkAddress, startApi } from './api/server.ts';
import { createPrincipalResetLink } from './core/accounts/links.ts';
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
import { asksForCheck, checkSetup, type OwnerAccess, startReport } from './shared/settings/start-report.ts';
import { startTracing } from './shared/tracing/start-tracing.ts';
import { checkModel } from './worker/embedder/check-model.ts';
import { checkMail } from './worker/mail/check-mail.ts';
import { startWorker } from './worker/worker.ts';

/** Prints where the service is and what it does, on standard output, for the person who started it. */
function announce(config: Config, url: string, owner: OwnerAccess): void {
  process.stdout.write(`${startReport(config, url, owner).join('\n')}\n`);
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
    announce(config, api.localUrl, await ownerAccess(database, principal, config, api.localUrl));
  } catch (error) {
    // This error ends the process, which ends the queue and the listener. The data folder must be released explicitly.
    await database.close();
    throw error;
  }
}

async function ownerAccess(
  database: Database,
  principal: Principal,
  config: Config,
  localUrl: string,
): Promise<OwnerAccess> {
  if (principal.hasPassword) return { hasPassword: true };
  const { url, expiresAt } = await createPrincipalResetLink({ database, config }, principal, localUrl);
  return { email: principal.email, url, expiresAt };
}

/**
 * Runs the API and the worker as two processes on PostgreSQL. If one ends, the other drains and this process exits
 * with 1. The worker starts after the API listens, so that a fault that affects both is reported only once. It stops when
 * the API closes, because the last searches need it for the vectors of their queries.
 */
function startProcesses(config: Config): void {
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
    const hasPassword = linkCommand === undefined || linkCommand === null;
    announce(config, listening, hasPassword ? { hasPassword } : { command: linkCommand });
  });
  const announceStop = () => {
    wanted = false;
    if (running(api)) api.kill('SIGTERM');
  };
  forwardLevelSwitch(children);
  // SIGINT, because this process has waited already, or is not to wait.
  const close = () => drain('SIGINT');
  closeOnSignal({ announce: announceStop, waitMs: config.drainSeconds * 1000, close }, failStartup);
}

exitOnSignal();
// The service goes on when nobody reads what it prints. The logger handles its own output.
process.stdout.on('error', () => undefined);
try {
  loadEnvironmentFile();
  const read = () => readConfig(process.env);
  if (asksForCheck(process.argv.slice(2))) {
    process.exit((await checkSetup(read, [checkBackend, checkModel, checkMail, checkAddress])) ? 0 : 1);
  }
  const config = read();
  if (config.databaseUrl === null) await startEmbedded(config);
  else startProcesses(config);
} catch (error) {
  failStartup(error);
}
