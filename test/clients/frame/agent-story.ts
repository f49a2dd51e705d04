import assert from 'node:assert/strict';
import type { OfferedTool } from '../model/protocol.ts';
import { isToolOfService, type ScriptedModel, startModel, type WantedCall } from '../model/scripted-model.ts';
import type { Place } from './guide.ts';
import type { Program } from './programs.ts';
import { testsOf } from './results.ts';
import { type Ended, openRoom, type Room } from './room.ts';
import { type ListeningService, TOOLS } from './service.ts';
import { hasFound, partOf, valueOf } from './story.ts';

/** A program that lets a model call the tools. */
export interface AgentProgram {
  /** The name that people give it. */
  name: string;
  program: Program;
  /** Whether the guide connects it. */
  inGuide: boolean;
  /** Connects it with the service, as the guide says, and with the model. Returns what its environment needs. */
  prepare: (room: Room, place: Place, model: string) => Promise<Record<string, string>>;
  /** The command that lets it answer a prompt once. */
  command: string;
  /** A command that shows the state of the connection, if that above does not. */
  status?: string;
  /** What it says when its token was revoked; null if it says nothing, and only lacks the tools. */
  refusal: RegExp | null;
}

/** A run of an agent. */
export interface AgentRun extends Ended {
  model: ScriptedModel;
  room: Room;
  env: Record<string, string>;
  /** The names of the service's tools that the model was offered. */
  offered: string[];
  /** The results of all calls. */
  results: string[];
}

/** The tools of the service among those that a model was offered. */
const toolsOf = (offered: readonly OfferedTool[]) =>
  TOOLS.filter((name) => offered.some((tool) => isToolOfService(tool, name)));

/** What the person asks. The model follows its script. */
const PROMPT = 'What does the team know about the harbour?';

/** Lets an agent answer a prompt, for which its model makes these calls. */
export async function runAgent(
  { program, prepare, command }: AgentProgram,
  place: Place,
  calls: readonly WantedCall[],
): Promise<AgentRun> {
  const model = await startModel(calls);
  const room = await openRoom(program);
  const env = { PROMPT, AGENT_TOKEN: place.token, ...(await prepare(room, place, model.url)) };
  const ended = await room.run(command, env);
  const offered = toolsOf(model.asked.flatMap(({ tools }) => tools));
  const [results = []] = model.asked
    .map((asked) => asked.results)
    .sort((one, other) => other.length - one.length);
  return { ...ended, model, room, env, offered, results };
}

const idOf = (results: readonly string[]) => valueOf(results[0] ?? '')['id'];

/** Runs an agent, and asserts that its model got as many results as it has made calls. */
async function completed(agent: AgentProgram, place: Place, calls: readonly WantedCall[]): Promise<AgentRun> {
  const run = await runAgent(agent, place, calls);
  assert.equal(run.results.length, calls.length, run.output);
  assert.equal(run.code, 0, run.output);
  return run;
}

/** Defines the tests of programs that let a model call the tools. */
export function testAgents(
  kind: string,
  agents: readonly AgentProgram[],
  { mcp, newToken, revokedToken }: ListeningService,
): void {
  for (const agent of agents) {
    const { name } = agent;
    const define = testsOf(kind, name, agent.program);

    define('lists', 'offers its model the tools', async () => {
      const { offered, output } = await completed(agent, { mcp, token: await newToken() }, []);
      assert.deepEqual(offered, TOOLS, output);
      return agent.inGuide ? 'yes, as in the guide' : 'yes';
    });

    define('searches, remembers', 'remembers a text and finds it', async () => {
      const text = `The heron that ${name} has seen nests on the crane.`;
      const { results } = await completed(agent, { mcp, token: await newToken() }, [
        { tool: 'remember', args: () => ({ text }) },
        { tool: 'search', args: () => ({ query: `heron ${name} nests`, limit: 1 }) },
      ]);
      const [remembered = '', found = ''] = results;
      assert.equal(valueOf(remembered)['status'], 'created');
      assert.ok(hasFound(found, text), found);
    });

    define('forgets, takes back', 'forgets a text and takes it back', async () => {
      const text = `The otter that ${name} has seen sleeps under the pier.`;
      const search = { tool: 'search', args: () => ({ query: `otter ${name} sleeps`, limit: 1 }) };
      const { results } = await completed(agent, { mcp, token: await newToken() }, [
        { tool: 'remember', args: () => ({ text }) },
        { tool: 'forget', args: (before) => ({ id: idOf(before) }) },
        search,
        { tool: 'forget', args: (before) => ({ id: idOf(before), undo: true }) },
        search,
      ]);
      const [, forgotten = '', gone = '', restored = '', back = ''] = results;
      assert.equal(valueOf(forgotten)['status'], 'archived');
      assert.equal(hasFound(gone, text), false);
      assert.equal(valueOf(restored)['status'], 'restored');
      assert.ok(hasFound(back, text), back);
    });

    define('revoked token', 'says why a revoked token is refused', async () => {
      const run = await runAgent(agent, { mcp, token: await revokedToken() }, []);
      assert.deepEqual(run.offered, []);
      const { output } = agent.status === undefined ? run : await run.room.run(agent.status, run.env);
      if (agent.refusal !== null) return partOf(output, agent.refusal);
      assert.doesNotMatch(output, /revoked|401|[Uu]nauthorized/);
      return 'no tools; it prints nothing about it';
    });
  }
}
