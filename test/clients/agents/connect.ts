import assert from 'node:assert/strict';
import { commandFor, type Place } from '../frame/guide.ts';
import type { Room } from '../frame/room.ts';

/** Connects a program by its command in the guide. */
export async function connectByCommand(
  name: string,
  room: Room,
  place: Place,
  env: Record<string, string> = {},
): Promise<void> {
  const { code, output } = await room.run(commandFor(name, place), { AGENT_TOKEN: place.token, ...env });
  assert.equal(code, 0, output);
}
