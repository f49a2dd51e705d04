import { parseRecord } from '../client/private-file.ts';
import { CommandError } from '../terminal/command-error.ts';

/** What an agent sends to a hook. Both agents use the same names. A field that is missing or has another type is ''. */
export interface HookInput {
  sessionId: string;
  transcriptPath: string;
  cwd: string;
  prompt: string;
}

/** More than any prompt. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/**
 * Reads the JSON object that an agent sends on standard input.
 * @throws CommandError
 */
export async function readHookInput(): Promise<HookInput> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES) throw new CommandError('standard input is too long for a hook');
    chunks.push(chunk);
  }
  const record = parseRecord(Buffer.concat(chunks).toString('utf8'));
  if (record === null) throw new CommandError('standard input: expected the JSON object of a hook');
  const text = (name: string) => (typeof record[name] === 'string' ? record[name] : '');
  return {
    sessionId: text('session_id'),
    transcriptPath: text('transcript_path'),
    cwd: text('cwd'),
    prompt: text('prompt'),
  };
}
