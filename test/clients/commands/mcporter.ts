import { commandFor, type Place } from '../frame/guide.ts';
import { openRoom, type Room } from '../frame/room.ts';
import type { CallerProgram, ToolCaller } from '../frame/story.ts';

interface Listed {
  status: string;
  tools?: { name: string }[];
}

/** What mcporter does with the servers that it finds in a room: its own, and those of editors. */
export function callerIn(room: Room, { token }: Place): ToolCaller {
  const run = async (command: string, env: Record<string, string> = {}) => {
    const { code, stdout, output } = await room.run(command, { AGENT_TOKEN: token, ...env });
    if (code !== 0) throw new Error(output);
    return { stdout, output };
  };
  return {
    list: async () => {
      const { stdout, output } = await run('mcporter list team-memory --json');
      const { status, tools } = JSON.parse(stdout) as Listed;
      if (status !== 'ok' || tools === undefined) throw new Error(output);
      return tools.map(({ name }) => name);
    },
    call: async (tool, args) => {
      const call = `mcporter call team-memory.${tool} --args "$ARGS" --output json`;
      return (await run(call, { ARGS: JSON.stringify(args) })).stdout;
    },
  };
}

export const mcporter: CallerProgram = {
  name: 'mcporter',
  program: 'mcporter',
  inGuide: true,
  refusal: /auth required/,
  open: async (place) => {
    const room = await openRoom('mcporter');
    const { code, output } = await room.run(commandFor('mcporter', place), { AGENT_TOKEN: place.token });
    if (code !== 0) throw new Error(output);
    return callerIn(room, place);
  },
};
