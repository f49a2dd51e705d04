import type { SelectedTeam, SessionInfo } from '../../shared/schemas/identity.ts';
import { Health } from '../../shared/schemas/status.ts';
import { VERSION } from '../program/version.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { PROGRAM } from '../terminal/program.ts';
import { connect } from './service-client.ts';
import { compareVersions, installAdvice } from './version-check.ts';

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
