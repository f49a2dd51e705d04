import { setTimeout as pause } from 'node:timers/promises';
import { Health } from '../../shared/schemas/status.ts';
import { shellWord } from '../hooks/own-command.ts';
import { VERSION } from '../program/version.ts';
import { parseRecord, readPrivateFile, writePrivateFile } from './private-file.ts';
import { versionsPath } from './profiles.ts';
import { connect, onConnect, seenVersion } from './service-client.ts';

const INTERVAL_MS = 24 * 60 * 60 * 1000;
/** The longest wait at the end of a command for a version that it did not ask for. */
const MAX_WAIT_MS = 1000;
/** How many services the file lists. */
const MAX_SERVICES = 100;

/** The first two numbers of a version. */
function majorAndMinor(version: string): [major: number, minor: number] | null {
  const [, major, minor] = /^(\d{1,6})\.(\d{1,6})\./.exec(version) ?? [];
  return major === undefined || minor === undefined ? null : [Number(major), Number(minor)];
}

/** How this program is against a service: it works up to one minor version apart. */
export function compareVersions(own: string, service: string): 'fits' | 'older' | 'newer' {
  const [mine, theirs] = [majorAndMinor(own), majorAndMinor(service)];
  if (mine === null || theirs === null) return 'fits';
  const [majors, minors] = [mine[0] - theirs[0], mine[1] - theirs[1]];
  if (majors === 0 && Math.abs(minors) <= 1) return 'fits';
  return (majors === 0 ? minors : majors) < 0 ? 'older' : 'newer';
}

/** Whether the bytes of an address can be changed on their way. */
function isUnencrypted({ protocol, hostname }: URL): boolean {
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  return protocol === 'http:' && !isLoopback;
}

/** How to install the version of this program that fits a service. */
export function installAdvice(url: string): string {
  const install = (address: string) => `npm install -g ${shellWord(`${address}/cli.tgz`)}`;
  const address = new URL(url);
  if (!isUnencrypted(address)) return install(url);
  const path = address.pathname === '/' ? '' : address.pathname;
  const secure = install(`https://${address.hostname}${path}`);
  return `${secure}, or, only where the service has no https, ${install(url)}`;
}

/** What a person has to know about the versions; null if they fit. */
export function versionNotice(url: string, service: string, own = VERSION): string | null {
  const how = compareVersions(own, service);
  if (how === 'fits') return null;
  return `this program has version ${own}, which is ${how} than ${service} of the service at ${url}: install that one with ${installAdvice(url)}`;
}

/** When each service was last asked, by its address. */
async function readChecks(): Promise<Record<string, unknown>> {
  const text = await readPrivateFile(versionsPath(), 'the times of checks');
  return (text === null ? null : parseRecord(text)) ?? {};
}

async function isDue(url: string): Promise<boolean> {
  const last = Date.parse(String((await readChecks())[url]));
  const age = Date.now() - last;
  return !(age >= 0 && age < INTERVAL_MS);
}

async function recordCheck(url: string): Promise<void> {
  const { [url]: _, ...others } = await readChecks();
  const kept = Object.entries(others).slice(-(MAX_SERVICES - 1));
  const checks = { ...Object.fromEntries(kept), [url]: new Date().toISOString() };
  await writePrivateFile(versionsPath(), checks, 'the times of checks');
}

/** The version of a service, if it was not asked for within a day. It is asked for until the signal is aborted. */
async function askIfDue(
  url: string,
  signal: AbortSignal,
): Promise<{ version: Promise<string | null> } | null> {
  if (!(await isDue(url))) return null;
  const answer = connect(url, null).get('/v1/health', Health, { timeoutMs: INTERVAL_MS, signal });
  return {
    version: answer.then(
      ({ version }) => version,
      () => null,
    ),
  };
}

/**
 * Compares the version of this program with that of the service that a command uses, at most once a day and while the
 * command runs.
 * @returns a function for the end of the command, which returns what the person has to know, or null. It never fails
 */
export function watchVersion(): () => Promise<string | null> {
  let used: { url: string; asked: ReturnType<typeof askIfDue> } | null = null;
  const end = new AbortController();
  onConnect((url) => {
    if (used !== null) return;
    // Set first, because asking connects too.
    used = { url, asked: Promise.resolve(null) };
    used.asked = askIfDue(url, end.signal);
    used.asked.catch(() => {});
  });
  return async () => {
    const { url, asked } = used ?? {};
    if (url === undefined) return null;
    try {
      const asking = await asked;
      if (asking == null) return null;
      const late = new AbortController();
      const wait = pause(MAX_WAIT_MS, null, { signal: late.signal }).catch(() => null);
      const version = seenVersion(url) ?? (await Promise.race([asking.version, wait]));
      late.abort();
      // Without a record, the next command would ask and tell again.
      await recordCheck(url);
      return version === null ? null : versionNotice(url, version);
    } catch {
      return null;
    } finally {
      // The process would wait for an answer that is still open.
      end.abort();
    }
  };
}
