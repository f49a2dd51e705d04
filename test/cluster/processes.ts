import { untilReply } from '../faults/load/client.ts';
import type { Caller } from '../support/client/client.ts';
import { callerAt } from '../support/client/remote.ts';
import { freePorts, logLines, type ServiceProcess, startMain } from '../support/needs/process.ts';

/** An API process, and where it answers. */
export interface RunningApi {
  readonly url: string;
  readonly process: ServiceProcess;
  /** Asks it. */
  readonly owner: Caller;
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
  return { url, process, owner: callerAt(url) };
}

/** Starts a worker and waits until it takes jobs. */
export async function startWorker(env: Record<string, string>): Promise<ServiceProcess> {
  const process = startMain('worker/main.ts', { env });
  await process.line(/"msg":"working"/);
  return process;
}

const WARNING = 40;
/** Every new service warns of the one, and with the packages of Debian of the other. */
const USUAL = /^(?:the Owner has no password yet|pgvector \S+ can corrupt)/;
/** What a process has logged as a warning or an error, except what is usual here. */
export const complaints = (process: ServiceProcess): string[] =>
  logLines(process)
    .filter(({ level, msg }) => Number(level) >= WARNING && !USUAL.test(String(msg)))
    .map(({ level, msg, err }) => `${String(level)} ${String(msg)} ${JSON.stringify(err ?? {})}`);

/** Imports a text. Returns the import when it is over. */
export async function importText({ url, owner }: RunningApi, filename: string, signal: AbortSignal) {
  const { imports } = await owner.api.importFiles({ items: [{ filename, title: filename, text: filename }] });
  const id = imports[0]?.id ?? '';
  const isOver = (json: unknown) => ['completed', 'failed'].includes((json as { state: string }).state);
  await untilReply(
    url,
    `/v1/memory/imports/${id}`,
    signal,
    (reply) => reply.status === 200 && isOver(reply.json),
  );
  return owner.api.getImport(id);
}
