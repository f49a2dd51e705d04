import { SelectedTeam } from '../../shared/schemas/teams.ts';
import { ALL_LAYERS, connectionWords, findClient, signedInToTeam } from '../client/signed-in.ts';
import { assertNotInOtherPlace, hooksFile, PLACE_OPTIONS } from '../hooks/check-hooks.ts';
import {
  AGENT_NAMES,
  AGENTS,
  type Agent,
  HOOK_NOTES,
  RECALL_OPTIONS,
  readHookInput,
} from '../hooks/hook-options.ts';
import { changeHooksFile, hooksOf, MANIFESTS, withoutStaging } from '../hooks/installed-hooks.ts';
import { projectName, recallForProject, recallForPrompt } from '../hooks/recall.ts';
import { runHook } from '../hooks/run-hook.ts';
import { runStageHook, STAGE_NOTES, STAGE_OPTIONS } from '../hooks/staging.ts';
import { type Command, TEAM_OPTIONS } from '../program/command.ts';
import { oneLine } from '../terminal/columns.ts';

const options = {
  ...PLACE_OPTIONS,
  client: {
    ...RECALL_OPTIONS.client,
    help: `${RECALL_OPTIONS.client.help}. With one client, sessions are staged in its layer; with ${ALL_LAYERS}, none is staged`,
  },
  ...TEAM_OPTIONS,
} as const;

export const hookInstall: Command<typeof options> = {
  section: 'agent',
  summary: 'install the hooks in a coding agent',
  about: `Adds the hooks to the settings of a coding agent (${AGENT_NAMES}), and prints what was written. Hooks of
other programs stay. A second run replaces the first. The hooks use the service, the credential, the Team and the client
of this command. It is refused if the other place, of --user and --project, already has these hooks.`,
  options,
  operand: { name: 'agent', choices: AGENTS },
  notes: `The credential is MEMORY_API_TOKEN from the environment, otherwise the session that login saved; with a
profile, it is the session of the profile. The hooks look for it in the same place each time, and it is not written into
the settings: a session by the name of its profile, and a token in MEMORY_API_TOKEN where the agent runs. An agent token with memory:read and memory:write is enough for them.`,
  ignoresEnvironmentFile: true,
  async run(values, operand) {
    const agent = operand as Agent;
    const file = await hooksFile(agent, values);
    await assertNotInOtherPlace(agent, values);
    const signedIn = await signedInToTeam(values);
    const { service, url, source } = signedIn;
    const team = await service.get('/v1/team', SelectedTeam);
    const client =
      values.client === undefined || values.client === ALL_LAYERS
        ? values.client
        : await findClient(service, values.client);
    const words = [
      ...connectionWords(signedIn),
      '--team',
      team.id,
      ...(client === undefined ? [] : ['--client', client]),
    ];
    const all = hooksOf(agent, words);
    // A session can be staged in only one layer. The Team layer would show the clients to the whole Team.
    const groups = client === ALL_LAYERS ? withoutStaging(all) : all;
    await changeHooksFile(file, groups);
    const hooks = Object.fromEntries(
      Object.entries(groups).map(([event, list]) => [
        event,
        list.flatMap((group) => group.hooks)[0]?.command,
      ]),
    );
    const { name, advice } = MANIFESTS[agent];
    const credential =
      source === 'session'
        ? 'They use the session that login saved. It ends if it is not used for some time.'
        : 'They use MEMORY_API_TOKEN, which must be set where the agent runs.';
    return {
      text: [
        `Installed in ${file}, for the Team ${oneLine(team.name)} at ${url}:`,
        ...Object.entries(hooks).map(([event, command]) => `  ${event.padEnd(16)}  ${command}`),
        credential,
        `${name}: ${advice}`,
      ].join('\n'),
      data: { agent, file, url, teamId: team.id, hooks },
    };
  },
};

export const hookUninstall: Command<typeof PLACE_OPTIONS> = {
  section: 'agent',
  summary: 'remove the hooks from a coding agent',
  about: `Removes the hooks that hook install has added to the settings of a coding agent (${AGENT_NAMES}). Everything
else in the settings stays.`,
  options: PLACE_OPTIONS,
  operand: { name: 'agent', choices: AGENTS },
  ignoresEnvironmentFile: true,
  async run(values, operand) {
    const agent = operand as Agent;
    const file = await hooksFile(agent, values);
    const removed = await changeHooksFile(file, {});
    return {
      text: removed ? `Removed the hooks from ${file}.` : `${file} has no hooks of this program.`,
      data: { agent, file, removed },
    };
  },
};

export const hookPrompt: Command<typeof RECALL_OPTIONS> = {
  section: 'agent',
  summary: 'print what the Team has stored about a prompt',
  about: `Prints up to three passages about the prompt, with their titles and the command that shows more of each: at
most 2,000 bytes, within 1.5 seconds, and nothing if no passage has enough words in common with the prompt. For the hook
UserPromptSubmit of a coding agent.`,
  options: RECALL_OPTIONS,
  notes: HOOK_NOTES,
  ignoresEnvironmentFile: true,
  run: (values) =>
    runHook({ agent: values.agent, hook: 'prompt' }, async (timeoutMs) =>
      recallForPrompt(values, (await readHookInput()).prompt, timeoutMs),
    ),
};

export const hookSessionStart: Command<typeof RECALL_OPTIONS> = {
  section: 'agent',
  summary: 'print what the Team has stored about the project of a session',
  about: `Prints up to three passages that contain the name of the project, which is the name of the folder with the
repository: at most 2,000 bytes, within 1.5 seconds, and nothing if no passage contains it. For the hook SessionStart of
a coding agent. If a hook of the agent has not worked for a day, a line says so, once.`,
  options: RECALL_OPTIONS,
  notes: HOOK_NOTES,
  ignoresEnvironmentFile: true,
  run: (values) =>
    runHook({ agent: values.agent, hook: 'session-start', tellsFailures: true }, async (timeoutMs) => {
      const { cwd } = await readHookInput();
      const project = await projectName(cwd === '' ? process.cwd() : cwd);
      return project === null ? '' : recallForProject(values, project, timeoutMs);
    }),
};

export const hookSessionEnd: Command<typeof STAGE_OPTIONS> = {
  section: 'agent',
  summary: 'stage the rest of a session',
  about: `Stages what was said since the last capture of a session, however short it is. A session with less than 200
characters in all is left out. For the hook SessionEnd of a coding agent.

${STAGE_NOTES} If it was resumed, what is new is staged.`,
  options: STAGE_OPTIONS,
  notes: HOOK_NOTES,
  ignoresEnvironmentFile: true,
  run: (values) => runStageHook(values, true),
};

export const hookTurnEnd: Command<typeof STAGE_OPTIONS> = {
  section: 'agent',
  summary: 'stage what is new in a session that continues',
  about: `Stages what was said since the last capture of a session, so that a session that is killed loses nothing before
its last turn. What has less than 200 characters is staged with the next turns. For the hooks Stop and PreCompact of a
coding agent.

${STAGE_NOTES}`,
  options: STAGE_OPTIONS,
  notes: HOOK_NOTES,
  ignoresEnvironmentFile: true,
  run: (values) => runStageHook(values, false),
};
