import { emailExtractor, mboxExtractor, outlookExtractor } from '../../../../worker/extract/mail.ts';
import { EXTRACTORS } from '../../../../worker/extract/registry.ts';

/* The readers of mails, with the readers of all formats for their attachments. */

export const extractEmail = emailExtractor(EXTRACTORS);
export const extractMbox = mboxExtractor(EXTRACTORS);
export const extractOutlookMessage = outlookExtractor(EXTRACTORS);
