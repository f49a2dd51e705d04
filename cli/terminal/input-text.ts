import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { CommandError } from './command-error.ts';
import { invocationFolder } from './invocation-folder.ts';
import { atTerminal } from './prompt.ts';

/** The operand that means standard input. */
const STANDARD_INPUT = '-';

/** A text that a command was given. */
export interface InputText {
  /** The name of the file; null for standard input. */
  filename: string | null;
  text: string;
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Reads a text from a file, or from standard input if the operand is `-` or was left out.
 * @throws CommandError if it cannot be read, is blank, or is not UTF-8 text
 */
export async function readInputText(operand: string): Promise<InputText> {
  const isStandard = operand === '' || operand === STANDARD_INPUT;
  if (operand === '' && atTerminal())
    throw new CommandError('name a file, or send the text on standard input (see --help)');
  const name = isStandard ? 'standard input' : operand;
  const reading = isStandard ? readStandardInput() : readFile(resolve(invocationFolder(), operand));
  const bytes = await reading.catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${name} cannot be read (${error.code})`);
  });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${name} is not UTF-8 text: import reads other formats`);
  }
  if (text.trim() === '') throw new CommandError(`${name} contains no text`);
  return { filename: isStandard ? null : basename(operand), text };
}
