import { type Extractor, FileFault } from '../extraction.ts';
import { joinBlocks } from '../text/markdown-text.ts';
import { emailBody, emailHead, isEncrypted, parseEmail } from './email-message.ts';
import { readMbox } from './mbox-messages.ts';

const UNREADABLE = '(This message cannot be read.)';

/** The result of `read`, or `instead` if it throws a FileFault: one bad message must not prevent the others. */
async function orElse<T>(read: () => Promise<T>, instead: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FileFault) return instead;
    throw error;
  }
}

async function messageText(content: Uint8Array): Promise<string> {
  const email = await orElse(() => parseEmail(content), null);
  if (email === null) return UNREADABLE;
  const body = isEncrypted(email)
    ? '(This message is encrypted.)'
    : await orElse(() => emailBody(email), UNREADABLE);
  return joinBlocks([emailHead(email), body]);
}

/**
 * Reads a mailbox file: each message is a part. If a message is encrypted or cannot be read, its part says so.
 * @throws FileFault `invalid_mbox`
 */
export const extractMbox: Extractor = async (content, report) => {
  const parts = [];
  for (const message of readMbox(content)) {
    parts.push({ text: await messageText(message.content), place: null });
    report(message.share);
  }
  if (parts.length === 0) {
    throw new FileFault(
      'invalid_mbox',
      'The file is not a mailbox: it does not begin with a line "From …" and the headers of a message.',
    );
  }
  return { title: null, parts };
};
