import { type Extraction, type Extractor, type Extractors, FileFault } from './extraction.ts';
import { MailParts } from './mail/attachments.ts';
import { readMboxMessages } from './mail/mbox.ts';
import type { MailMessage } from './mail/message.ts';
import { parseMime } from './mail/mime.ts';
import { toMailMessage } from './mail/mime-message.ts';
import { addMailboxMessage, addMessage } from './mail/nested-messages.ts';
import { readOutlookMessage } from './mail/outlook.ts';
import { isSavedPage, readSavedPage } from './mail/saved-page.ts';
import { documentDay } from './properties/days.ts';
import { oneLine } from './text.ts';

/*
 * The readers of mails. Each is made with the readers of all formats, which read the attachments: the registry has both, and a
 * reader that imported the registry would import itself.
 */

/**
 * The text of one message and of its attachments.
 * @throws FileFault `locked`, `too_deep`, `too_many_chunks`
 */
async function extractMessage(message: MailMessage, extractors: Extractors): Promise<Extraction> {
  if (message.isEncrypted) {
    throw new FileFault('locked', 'The e-mail is encrypted: save it decrypted and import it again.');
  }
  const { markdown, encoding } = await message.readBody();
  const out = new MailParts(extractors);
  await addMessage(out, message, markdown);
  const title = oneLine(message.head.subject);
  const date = documentDay('mail', new Date(message.head.date));
  return { title: title === '' ? null : title, date, ...out.extraction, encoding };
}

/**
 * A saved e-mail. Its attachments are parts of their own. Programs declare its type for saved pages too.
 * @throws FileFault `invalid_email`, `locked`, `too_deep`, `too_many_chunks`
 */
export function emailExtractor(extractors: Extractors): Extractor {
  return async (content) => {
    const message = await parseMime(content);
    return isSavedPage(message) ? readSavedPage(message) : extractMessage(toMailMessage(message), extractors);
  };
}

/**
 * A message that Outlook saved (`.msg`), like an e-mail.
 * @throws FileFault `corrupt`, `locked`, `too_deep`, `too_many_chunks`
 */
export function outlookExtractor(extractors: Extractors): Extractor {
  return async (content) => extractMessage(readOutlookMessage(content), extractors);
}

/**
 * Reads a mailbox file: each message is a part, and so are its attachments. If a message is encrypted or cannot be read, its
 * part says so.
 * @throws FileFault `invalid_mbox`, `too_many_chunks`
 */
export function mboxExtractor(extractors: Extractors): Extractor {
  return async (content, report) => {
    const out = new MailParts(extractors);
    let count = 0;
    for (const message of readMboxMessages(content)) {
      count += 1;
      await addMailboxMessage(out, message.content);
      report(message.share);
    }
    if (count === 0) {
      throw new FileFault(
        'invalid_mbox',
        'The file is not a mailbox: it does not begin with a line "From …" and the headers of a message.',
      );
    }
    return { title: null, ...out.extraction };
  };
}
