import { checkHeartbeatFiles } from './heartbeat.ts';

/*
 * Exits with 0 if the worker in this container runs its jobs, else with 1, and prints one line. For health checks: it needs
 * no setting, and asks no database.
 */
const { isHealthy, text } = checkHeartbeatFiles();
process.stdout.write(`${text}\n`);
process.exitCode = isHealthy ? 0 : 1;
