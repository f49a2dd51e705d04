import { commandFor, type Place } from '../frame/guide.ts';
import { openRoom, type Room } from '../frame/room.ts';
import { type CallerProgram, REVOKED } from '../frame/story.ts';

/** The end of the guide's command, which the tests replace by other methods. */
const LISTS = '--method tools/list';

async function printed(
  room: Room,
  command: string,
  place: Place,
  args: Record<string, string> = {},
): Promise<string> {
  const { code, stdout, output } = await room.run(command, { AGENT_TOKEN: place.token, ...args });
  if (code !== 0) throw new Error(output);
  return stdout;
}

/** The inspector of the protocol, as a command. */
export const inspector: CallerProgram = {
  name: 'MCP Inspector',
  program: 'inspector',
  inGuide: true,
  refusal: REVOKED,
  open: async (place) => {
    const room = await openRoom('inspector');
    const command = commandFor('MCP Inspector', place);
    return {
      list: async () => {
        const { tools } = JSON.parse(await printed(room, command, place)) as { tools: { name: string }[] };
        return tools.map(({ name }) => name);
      },
      call: (tool, args) => {
        const words = Object.keys(args).map((name, index) => `"${name}=$ARG_${index}"`);
        const values = Object.values(args).map((value, index) => [`ARG_${index}`, String(value)] as const);
        const call = `--method tools/call --tool-name ${tool} --tool-arg ${words.join(' ')}`;
        return printed(room, command.replace(LISTS, call), place, Object.fromEntries(values));
      },
    };
  },
};
