import { MemoryVersion } from '../../../shared/schemas/library.ts';
import { readList } from '../../client/read-list.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { bold, dim } from '../../terminal/output.ts';
import { day } from '../../terminal/times.ts';
import { visible } from './review-text.ts';

/** How the changes of a text are marked. */
const MARKS = { equal: ['', ''], insert: ['{+', '+}'], delete: ['[-', '-]'] } as const;

/** The lines that show a version. */
function versionLines({ version, title, createdAt, changes }: MemoryVersion): string[] {
  const marked = changes.map(({ op, text }) => `${MARKS[op][0]}${text}${MARKS[op][1]}`).join('');
  return [
    bold(visible(title)),
    dim(`version ${version}, ${day(createdAt)}`),
    ...marked.replaceAll('\r\n', '\n').split('\n').map(visible),
    '',
  ];
}

export const versions: Command<typeof TEAM_OPTIONS> = {
  section: 'memory',
  summary: 'show the texts that a memory has had',
  about: `Shows every text that a memory has had, newest first. What a version inserted is marked {+so+}, and what it
deleted [-so-]. restore publishes one of them again.`,
  options: TEAM_OPTIONS,
  operand: { name: 'memory' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const { service } = await signedInToTeam(values);
    const path = `/v1/memory/memories/${encodeURIComponent(operand)}/versions`;
    const items = await readList(service, path, MemoryVersion);
    return { text: items.flatMap(versionLines).join('\n').trimEnd(), data: { items } };
  },
};
