import { get, untilReply } from '../faults/load/client.ts';
import { freePorts, logLines, type ServiceProcess, startMain } from '../support/needs/process.ts';

/** An API process, and where it answers. */
export interface RunningApi {
  readonly url: string;
  readonly process: ServiceProcess;
}

/** Starts an API and waits until it is ready. */
export async function startApi(env: Record<string, string>, signal: AbortSignal): Promise<RunningApi> {
  const [port] = await freePorts(1);
  const process = startMain('api/main.ts', {
    env: { MEMORY_API_HOST: '127.0.0.1', ...env, MEMORY_API_PORT: String(port) },
  });
  const url = `http://127.0.0.1:${port}`;
  await process.line(/"msg":"listening"/);
  await untilReply(url, '/readyz', signal);
  return { url, process };
}

/** Starts a worker and waits until it takes jobs. */
export async function startWorker(env: Record<string, string>): Promise<ServiceProcess> {
  const process = startMain('worker/main.ts', { env });
  await process.line(/"msg":"working"/);
  return process;
}

const WARNING = 40;
/** Every new service warns of it. */
const NO_PASSWORD = 'the Owner has no password yet';
/** What a process has logged as a warning or an error, except about the password that no test sets. */
export const complaints = (process: ServiceProcess): string[] =>
  logLines(process)
    .filter(({ level, msg }) => Number(level) >= WARNING && !String(msg).startsWith(NO_PASSWORD))
    .map(({ level, msg, err }) => `${String(level)} ${String(msg)} ${JSON.stringify(err ?? {})}`);

/** Waits until an import is over, and gives its state. */
export async function stateOfImport(url: string, id: string, signal: AbortSignal): Promise<string> {
  const isOver = (json: unknown) => ['completed', 'failed'].includes((json as { state: string }).state);
  await untilReply(
    url,
    `/v1/memory/imports/${id}`,
    signal,
    ({ status, json }) => status === 200 && isOver(json),
  );
  return ((await get(url, `/v1/memory/imports/${id}`)).json as { state: string }).state;
}
