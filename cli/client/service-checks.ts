import { setTimeout as pause } from 'node:timers/promises';
import type { SessionInfo } from '../../shared/schemas/accounts.ts';
import { Health } from '../../shared/schemas/status.ts';
import type { SelectedTeam } from '../../shared/schemas/teams.ts';
import { shellWord } from '../hooks/hook-options.ts';
import { VERSION } from '../program/version.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { PROGRAM } from '../terminal/program.ts';
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

/** The result of a check of `doctor`. */
export interface Check {
  name: string;
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  /** What to do; null if nothing is wrong. */
  remedy: string | null;
  /** What the checked program printed. */
  output?: string;
}

/** A check that found nothing wrong. */
export const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail, remedy: null });

/** A check that found something that does not stop commands. */
export const warning = (name: string, detail: string, remedy: string): Check => ({
  name,
  state: 'warning',
  detail,
  remedy,
});

const TIMEOUT_MS = 10_000;
/** Tokens and links expire at times of the service, so that a clock that is further off misleads. */
const MAX_CLOCK_SECONDS = 60;

const message = (error: unknown) => {
  if (error instanceof CommandError) return error.message;
  throw error;
};

/** How far the clock of this computer is from that of the service. */
async function checkClock(url: string): Promise<Check> {
  const name = 'Clock';
  const began = Date.now();
  const response = await fetch(`${url}/v1/health`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => null);
  const there = Date.parse(response?.headers.get('date') ?? '');
  const here = (began + Date.now()) / 2;
  if (Number.isNaN(there)) {
    const detail = 'the service does not tell its time';
    return { name, state: 'warning', detail, remedy: 'check the proxy in front of the service' };
  }
  // The header has whole seconds.
  const seconds = Math.round((here - there) / 1000);
  if (Math.abs(seconds) <= MAX_CLOCK_SECONDS)
    return { name, state: 'ok', detail: 'as that of the service', remedy: null };
  return {
    name,
    state: 'warning',
    detail: `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of the service`,
    remedy: 'set the clock of this computer, or of the service, by a time server',
  };
}

/** Whether the service answers at this address and its database works, and the clocks agree. */
export async function checkAddress(url: string): Promise<Check[]> {
  const name = 'Address';
  try {
    const { backend, commit } = await connect(url, null).get('/v1/health', Health, { timeoutMs: TIMEOUT_MS });
    const built = commit === null ? '' : `, commit ${oneLine(commit.slice(0, 12))}`;
    const address: Check = { name, state: 'ok', detail: `${url} answers (${backend}${built})`, remedy: null };
    return [address, await checkClock(url)];
  } catch (error) {
    const remedy = 'start the service, or name its address with --url or MEMORY_API_PUBLIC_URL';
    return [{ name, state: 'failed', detail: message(error), remedy }];
  }
}

/** Whether this program works with the version of the service. */
export async function checkVersion(url: string): Promise<Check> {
  const name = 'Version';
  try {
    const { version } = await connect(url, null).get('/v1/health', Health, { timeoutMs: TIMEOUT_MS });
    const detail = `program ${VERSION}, service ${oneLine(version)}`;
    if (compareVersions(VERSION, version) === 'fits') return ok(name, detail);
    return warning(name, detail, `install the version of the service with ${installAdvice(url)}`);
  } catch (error) {
    return warning(name, message(error), 'run doctor again when the service answers');
  }
}

/** Whether the caller can write in a Team. */
export function checkWrites({ state, access }: SelectedTeam, { permissions }: SessionInfo): Check {
  const name = 'Writing';
  if (state === 'archived')
    return warning(name, 'the Team is archived', 'ask an Owner of the Company to restore it');
  if (access === 'read')
    return warning(name, 'you can only read in this Team', 'ask an Owner of the Company for Full access');
  if (permissions !== undefined && !permissions.includes('memory:write')) {
    return warning(
      name,
      'the agent token does not permit writing',
      `create one with ${PROGRAM} token create <name> --permission memory:write`,
    );
  }
  return ok(name, `you can write in the Team (access ${access})`);
}
