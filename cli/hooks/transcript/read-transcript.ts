import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Fields, parseRecord } from '../../client/private-file.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { withoutRecall } from '../recall/recall-block.ts';
import { claudeCodeReader } from './claude-code.ts';
import { codexReader } from './codex.ts';
import { hasText, type Message, textField } from './record.ts';

/** What was said in a session, and the forms of the records that are not known. */
export interface Transcript {
  messages: Message[];
  unknownForms: string[];
}

/** The time of a record in ISO 8601; null if it has none. */
function timeOf({ timestamp }: Fields): string | null {
  const time = Date.parse(textField(timestamp));
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** The form of a line that is not JSON, such as one of a file that was compressed. */
const NO_JSON = 'no JSON';

/**
 * Reads the messages of a transcript, JSON Lines of Claude Code or Codex, without what hooks have added. Neither agent
 * promises its format, so a record of another form is left out, and its form is reported if it contains text, or if
 * nothing else in the file is a message. The list of messages only grows while a session goes on.
 * @throws CommandError if the file cannot be read
 */
export async function readTranscript(path: string): Promise<Transcript> {
  const messages: Message[] = [];
  const withText = new Set<string>();
  const others = new Set<string>();
  const codex = codexReader();
  const add = (said: readonly Message[]) => {
    for (const message of said) {
      const text = withoutRecall(message.text).trim();
      if (text !== '') messages.push({ ...message, text });
    }
  };
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      const record = parseRecord(line);
      if (record === null) {
        if (line.trim() !== '') others.add(NO_JSON);
        continue;
      }
      const reader = 'payload' in record ? codex : claudeCodeReader;
      const { messages: said, unknownForm } = reader.read(record, timeOf(record));
      if (unknownForm !== null) (hasText(record) ? withText : others).add(unknownForm);
      add(said);
    }
    add(codex.end());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CommandError(`the transcript cannot be read (${code}): ${path}`);
  }
  return { messages, unknownForms: [...withText, ...(messages.length === 0 ? others : [])] };
}
