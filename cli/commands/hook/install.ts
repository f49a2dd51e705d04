import { SelectedTeam } from '../../../shared/schemas/identity.ts';
import { findClient } from '../../client/find-team.ts';
import { ALL_LAYERS } from '../../client/layers.ts';
import { connectionWords, signedInToTeam } from '../../client/signed-in.ts';
import { AGENT_NAMES, AGENTS, type Agent } from '../../hooks/agents.ts';
import { RECALL_OPTIONS } from '../../hooks/hook-options.ts';
import { changeHooksFile } from '../../hooks/setup/hooks-file.ts';
import { hooksOf, MANIFESTS, withoutStaging } from '../../hooks/setup/manifests.ts';
import { assertNotInOtherPlace, hooksFile, PLACE_OPTIONS } from '../../hooks/setup/setup-options.ts';
import { type Command, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';

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
