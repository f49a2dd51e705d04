import { oneLine, plainTextOf } from '../../text.ts';
import { type Attributes, readXml } from '../xml.ts';
import type { ZipArchive } from '../zip-archive.ts';
import { type StoryContext, StoryReader } from './story.ts';
import { valueOf } from './values.ts';

const NOTES = new Set(['footnote', 'endnote', 'comment']);

/** What a comment begins with. */
function commentLabel(attributes: Attributes): string {
  const author = oneLine(valueOf(attributes, 'author') ?? '');
  return author === '' ? 'Comment: ' : `Comment by ${author}: `;
}

/**
 * Reads the footnotes, endnotes or comments of a document: their texts by their identifiers. Those without text are left out.
 * @throws FileFault like `readXml`
 */
export async function readNotes(
  archive: ZipArchive,
  part: string,
  context: StoryContext,
): Promise<Map<string, string>> {
  const notes = new Map<string, string>();
  let reader = new StoryReader(context);
  let open = { id: '', label: '' };
  await readXml(archive, part, {
    open: (name, attributes) => {
      if (!NOTES.has(name)) reader.open(name, attributes);
      else {
        reader = new StoryReader(context);
        open = {
          id: valueOf(attributes, 'id') ?? '',
          label: name === 'comment' ? commentLabel(attributes) : '',
        };
      }
    },
    text: (piece) => reader.text(piece),
    close: (name) => {
      if (!NOTES.has(name)) {
        reader.close(name);
        return;
      }
      const text = reader.takeBlocks().map(plainTextOf).join('\n').trim();
      if (text !== '') notes.set(open.id, open.label + text);
    },
  });
  return notes;
}
