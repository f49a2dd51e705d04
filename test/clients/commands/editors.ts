import { writeFileOf } from '../frame/guide.ts';
import { openRoom } from '../frame/room.ts';
import type { CallerProgram } from '../frame/story.ts';
import { callerIn } from './mcporter.ts';

/** An editor by its file. The tests have no editor: mcporter reads the files of editors too. */
const editor = (name: string, file: string): CallerProgram => ({
  name: `${name}, its file read by mcporter`,
  program: 'mcporter',
  inGuide: true,
  refusal: /auth required/,
  open: async (place) => {
    const room = await openRoom('mcporter');
    await writeFileOf(file, room, place);
    return callerIn(room, place);
  },
});

export const editors: CallerProgram[] = [
  editor('Cursor', '.cursor/mcp.json'),
  editor('VS Code', '.vscode/mcp.json'),
];
