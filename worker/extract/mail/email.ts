import { dayOf } from '../../../shared/text/fields.ts';
import { type Extractor, FileFault } from '../extraction.ts';
import { joinBlocks, oneLine } from '../text/markdown-text.ts';
import { emailBody, emailHead, isEncrypted, parseEmail } from './email-message.ts';

/**
 * A saved e-mail.
 * @throws FileFault `invalid_email`, `locked`, `too_deep`
 */
export const extractEmail: Extractor = async (content) => {
  const email = await parseEmail(content);
  if (isEncrypted(email)) {
    throw new FileFault('locked', 'The e-mail is encrypted: save it decrypted and import it again.');
  }
  const title = oneLine(email.subject ?? '');
  const text = joinBlocks([emailHead(email), await emailBody(email)]);
  const date = dayOf(new Date(email.date ?? ''));
  return { title: title === '' ? null : title, date, parts: [{ text, place: null }] };
};
