import { basename } from 'node:path';

const VARIABLE = 'STALLS_MONITOR';

/** The environment of a process that is monitored: the name of its main file, and the port for the figures. */
export function monitoredBy(main: string, port: number): Record<string, string> {
  return { [VARIABLE]: `${main}:${port}` };
}

/** The port of this process; null if it is another one, such as a child of the one that is monitored. */
export function readSetting(): number | null {
  const [main, port] = (process.env[VARIABLE] ?? '').split(':');
  return main !== undefined && basename(process.argv[1] ?? '') === basename(main) ? Number(port) : null;
}
