import { type Static, Type } from 'typebox';
import { getImport, listImports } from '../../../core/imports/queries.ts';
import { unreadWords } from '../../../shared/formats/unread-words.ts';
import { parseId } from '../../../shared/ids.ts';
import { Text } from '../../../shared/schemas/common.ts';
import { Import } from '../../../shared/schemas/imports.ts';
import { countFitting, countJsonTokens, cutToJson, NOTE, NOTE_TOKENS, noteOf } from '../text.ts';
import { MAX_ANSWER_TOKENS, pick, READS, teamTool } from '../tool.ts';

const MAX_LISTED = 50;
/** Begins an id that continues the list after an import. */
const AFTER = 'after:';
/** The most tokens of the message of an error, and of what was not read. */
const MAX_MESSAGE = 300;

const {
  id,
  filename,
  title,
  layer,
  clientId,
  state,
  progress,
  attempts,
  error,
  sourceId,
  createdAt,
  updatedAt,
} = Import.properties;
const LISTED = {
  id,
  filename,
  title,
  layer,
  clientId,
  state,
  progress,
  attempts,
  error,
  sourceId,
  createdAt,
  updatedAt,
};
const ListedImport = Type.Object({
  ...LISTED,
  unread: Type.Optional(
    Type.String({
      description: 'what could not be read of the file, in words; absent if all of it was read',
    }),
  ),
  encoding: Type.Optional(
    Type.String({
      description: 'encoding in which its text was read; absent if that is UTF-8 or the format says it',
    }),
  ),
});
type ListedImport = Static<typeof ListedImport>;

/** Returns the state of imports. */
export const importStatus = teamTool({
  name: 'import_status',
  title: 'State of imports',
  description:
    'Returns the imports that you can reach, newest first, with their state and, if one failed, the reason. With `id`, ' +
    'returns one import. `unread` tells what of a file is not in its source. Files are imported with the terminal client or the API.',
  permission: 'memory:read',
  annotations: READS,
  input: {
    id: Type.Optional(
      Text(100, 'of one import, or an id that the note of an answer gives to continue the list'),
    ),
  },
  output: { imports: Type.Array(ListedImport), ...NOTE },
  run: async ({ deps, scope }, { id: given }) => {
    const text = given?.trim();
    if (text !== undefined && !text.startsWith(AFTER)) {
      return { imports: [toListed(await getImport(deps, scope, parseId(text)))] };
    }
    const after = text === undefined ? null : parseId(text.slice(AFTER.length));
    const part = { limit: MAX_LISTED + 1, after };
    const found = await listImports(deps, scope, part, { state: null, clientId: undefined });
    const listed = found.slice(0, MAX_LISTED).map(toListed);
    const room = MAX_ANSWER_TOKENS - NOTE_TOKENS - countJsonTokens({ imports: [] });
    const imports = listed.slice(0, countFitting(listed, room));
    const last = imports.at(-1);
    return {
      imports,
      ...noteOf(
        last !== undefined &&
          imports.length < found.length &&
          `There are older imports: call import_status with the id ${AFTER}${last.id} to continue.`,
      ),
    };
  },
});

function toListed(found: Import): ListedImport {
  const listed = pick(LISTED, found);
  const { error } = listed;
  const { encoding } = found;
  const unread = unreadWords(found.unread);
  return {
    ...listed,
    error: error && { ...error, message: cutToJson(error.message, MAX_MESSAGE) },
    ...(unread !== '' && { unread: cutToJson(unread, MAX_MESSAGE) }),
    ...(encoding !== null && { encoding }),
  };
}
