import { SessionInfo } from '../../shared/schemas/accounts.ts';
import { Status } from '../../shared/schemas/status.ts';
import { SelectedTeam } from '../../shared/schemas/teams.ts';
import {
  chosenProfile,
  type Profile,
  profileOption,
  readProfileSettings,
  readSession,
} from '../client/profiles.ts';
import { programName } from '../client/run-command.ts';
import {
  type Check,
  checkAddress,
  checkVersion,
  checkWrites,
  ok,
  warning,
} from '../client/service-checks.ts';
import { connect } from '../client/service-client.ts';
import { serviceUrl } from '../client/settings.ts';
import { type Access, connectToTeam, findAccess } from '../client/signed-in.ts';
import { checkHooks } from '../hooks/check-hooks.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS, type Values } from '../program/command.ts';
import { cell, oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { bold, counted } from '../terminal/output.ts';
import { PROGRAM } from '../terminal/program.ts';
import { hanging } from '../terminal/table.ts';

type Given = Values<typeof TEAM_OPTIONS>;

type Attempt<Value> = { value: Value } | { fault: Check };

/** Runs a check. An error of it is its result. */
async function attempt<Value>(
  name: string,
  remedy: string,
  check: () => Promise<Value>,
): Promise<Attempt<Value>> {
  try {
    return { value: await check() };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { fault: { name, state: 'failed', detail: error.message, remedy } };
  }
}

async function checkVectors({ embedder }: Status, profile: Profile): Promise<Check> {
  const name = 'Vectors';
  if (embedder.problem !== undefined)
    return warning(name, embedder.problem, 'searches use only keywords until the operator has corrected it');
  if (embedder.serverModeEnabled) return ok(name, `the service makes them with ${embedder.model}`);
  const { embedWith, embeddingModel } = await readProfileSettings(profile);
  if (embedWith !== undefined && embeddingModel !== embedder.model) {
    const models = `${programName(embedWith)} makes vectors of ${embeddingModel ?? 'an unknown model'}, not of ${embedder.model}`;
    return warning(
      name,
      `${models}, so that searches fail`,
      `name a command for ${oneLine(embedder.model)} with ${PROGRAM} profile set${profileOption(profile)} --embed-with`,
    );
  }
  if (embedWith !== undefined) return ok(name, `those of queries are made with: ${programName(embedWith)}`);
  return warning(
    name,
    'searches use only keywords, because nothing makes the vectors of queries',
    `set MEMORY_API_SERVER_EMBEDDINGS=1 for the service, or name a command with ${PROGRAM} profile set --embed-with`,
  );
}

function checkWorker({ health }: Status): Check {
  const name = 'Worker';
  if (health.worker) return ok(name, 'imports and other jobs are running');
  return warning(
    name,
    'no worker is running, so that imports wait',
    'start one: npm start, or npm run worker for PostgreSQL',
  );
}

/** Checks the Team, and the caller's rights there. */
async function checkTeam(access: Access, given: Given, session: SessionInfo): Promise<Check[]> {
  const remedy = `choose a Team with --team or ${PROGRAM} team use; ${PROGRAM} team list shows yours`;
  const selected = await attempt('Team', remedy, async () => {
    const service = await connectToTeam(access, given.team);
    return { service, team: await service.get('/v1/team', SelectedTeam) };
  });
  if ('fault' in selected) return [selected.fault];
  const { service, team } = selected.value;
  const found = [ok('Team', `${oneLine(team.name)} (${team.id})`), checkWrites(team, session)];
  const status = await attempt('Status', 'ask for a token that permits memory:read', () =>
    service.get('/v1/memory/status', Status),
  );
  if ('fault' in status) return [...found, status.fault];
  return [...found, await checkVectors(status.value, access.profile), checkWorker(status.value)];
}

/**
 * The address to check when no credential can be found; null if it would be that of a session which is missing or cannot
 * be read, so that another service would be checked.
 */
async function addressWithoutCredential({ url, profile: given }: Given): Promise<string | null> {
  if (url !== undefined) return serviceUrl(url);
  const profile = chosenProfile(given);
  const session = await readSession(profile);
  if (session === null && profile !== null) return null;
  return serviceUrl(undefined, session?.url);
}

const signInRemedy = ({ profile }: Given) =>
  profile === undefined
    ? `sign in with ${PROGRAM} login, or set MEMORY_API_TOKEN`
    : `sign in with ${PROGRAM} login --profile ${profile}, or leave --profile out and set MEMORY_API_TOKEN`;

/** Checks the service, the credential and the Team. */
async function checkAccess(given: Given, found: Attempt<Access>): Promise<Check[]> {
  const fault = 'fault' in found ? [found.fault] : [];
  const url =
    'value' in found
      ? found.value.url
      : await addressWithoutCredential(given).catch((error: unknown) => {
          if (!(error instanceof CommandError)) throw error;
          return null;
        });
  if (url === null) return fault;
  const address = await checkAddress(url);
  if (address.some(({ state }) => state === 'failed')) return [...address, ...fault];
  const checks = [...address, await checkVersion(url), ...fault];
  if ('fault' in found) return checks;
  const { credential } = found.value;
  const service = connect(url, credential);
  const session = await attempt('Credential', signInRemedy(given), () =>
    service.get('/v1/auth/session', SessionInfo),
  );
  if ('fault' in session) return [...checks, session.fault];
  const { user, agentToken } = session.value;
  const token = agentToken === undefined ? '' : ` with the agent token ${oneLine(agentToken.name)}`;
  const by = credential.source === 'session' ? 'the saved session' : credential.source;
  const who = `${oneLine(user.name)} <${oneLine(user.email)}>${token}, by ${by}`;
  return [...checks, ok('Credential', who), ...(await checkTeam(found.value, given, session.value))];
}

const NAME_COLUMNS = 12;
const STATE_COLUMNS = 9;

async function runChecks(given: Given): Promise<Check[]> {
  const access = await attempt('Credential', signInRemedy(given), () => findAccess(given));
  const checks = await checkAccess(given, access);
  return [...checks, ...(await checkHooks('value' in access ? access.value.url : null))];
}

function checkLines({ name, state, detail, remedy, output }: Check): string[] {
  const shown = state === 'ok' ? cell(state, STATE_COLUMNS) : bold(cell(state, STATE_COLUMNS));
  const indent = ' '.repeat(NAME_COLUMNS + STATE_COLUMNS);
  return [
    ...hanging(cell(name, NAME_COLUMNS) + shown, oneLine(detail)),
    ...(remedy === null ? [] : hanging(`${indent}→ `, oneLine(remedy))),
    ...(output?.split('\n').map((text) => `${indent}${text}`.trimEnd()) ?? []),
  ];
}

export const doctor: Command<typeof TEAM_OPTIONS> = {
  section: 'computer',
  summary: 'check what commands need, and say how to correct what is wrong',
  about: `Checks what commands need, and prints a line for each check: the address and the clock, the versions, the
credential, the Team, the right to write, the vectors of queries, the worker, and the hooks that are installed in coding
agents. Each hook is run once as its agent runs it, and what it prints is shown; nothing is staged. What is wrong has a
second line that says how to correct it. The exit code is 1 if a check failed; warnings do not count.`,
  options: TEAM_OPTIONS,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const checks = await runChecks(values);
    const failed = checks.filter(({ state }) => state === 'failed').length;
    return {
      text: checks.flatMap(checkLines).join('\n'),
      data: { checks },
      ...(failed === 0 ? {} : { failure: new CommandError(`${counted(failed, 'check')} failed`) }),
    };
  },
};
