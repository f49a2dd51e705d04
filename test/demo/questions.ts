import type { Document } from './documents.ts';

/** A question, and what it is meant to show. */
export interface Question {
  text: string;
  shows: string | null;
}

/** What the shipped samples answer. */
export const SAMPLE_QUESTIONS: readonly Question[] = [
  {
    text: 'A customer sees PGW-4012 at the checkout, what do I have to do?',
    shows: 'an error code inside a question',
  },
  { text: 'Wer bestellt die neuen Regale für die Paletten?', shows: 'German' },
  { text: '门禁卡丢了要打哪个电话？', shows: 'Chinese, which has no blanks between words' },
  { text: 'ลาป่วยสามวันต้องใช้อะไร', shows: 'Thai, likewise' },
  { text: 'почему принтеры не печатали этикетки', shows: 'Russian, words inflected otherwise' },
  { text: '¿Qué pasa si el enlace de acceso caduca?', shows: 'Spanish' },
  {
    text: 'How long are copies of the order data retained, and who tests restoring them?',
    shows: 'a paraphrase, where several documents share words',
  },
];

/** Questions for documents that no one has read: their own names. */
export function questionsAbout(documents: readonly Document[]): Question[] {
  return documents.slice(0, 3).map(({ name }) => ({
    text:
      name
        .replace(/\.[^.]+$/, '')
        .replaceAll(/[\W_]+/gu, ' ')
        .trim() || name,
    shows: 'a document by its name; put questions of your own with --ask',
  }));
}
