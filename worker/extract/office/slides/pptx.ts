import { type Extractor, FileFault } from '../../extraction.ts';
import type { Block } from '../../text/markdown-blocks.ts';
import { mismatchFault } from '../package/kinds.ts';
import { type OfficePackage, openOffice, readProperties, relationsOf } from '../package/ooxml.ts';
import { readXml } from '../package/xml-events.ts';
import type { ZipArchive } from '../package/zip-archive.ts';
import { type Slide, SlideParts } from './slide-text.ts';
import { readShown, readSlideComments } from './slide-xml.ts';

const missingSlideFault = () =>
  new FileFault('corrupt', 'The file is damaged: a slide is missing. Send it again from a copy that opens.');

/** The paths of the slides in the order of the presentation. */
async function slidePaths({ archive, main }: OfficePackage): Promise<string[]> {
  const relations = new Map((await relationsOf(archive, main)).map((each) => [each.id, each]));
  const paths: string[] = [];
  let root: string | null = null;
  await readXml(archive, main, {
    open: (name, attributes) => {
      root ??= name;
      if (name !== 'sldId') return;
      // The number of the slide has no prefix; the reference to its part has one.
      const [, id] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? [];
      // The list of the sections repeats the numbers, without references.
      if (id === undefined) return;
      const relation = relations.get(id);
      if (relation?.type !== 'slide') throw missingSlideFault();
      paths.push(relation.target);
    },
  });
  if (root !== 'presentation') throw mismatchFault('PPTX', null);
  return paths;
}

/** Reads a slide with what belongs to it. A part that several slides name is read once. */
async function readSlide(archive: ZipArchive, path: string, seen: Set<string>): Promise<Slide> {
  const notes: Block[] = [];
  const comments: string[] = [];
  const isNew = (part: string) => !seen.has(part) && seen.add(part).size > 0;
  if (!archive.names.has(path)) throw missingSlideFault();
  if (!isNew(path)) return { title: '', blocks: [], notes, comments };
  const { title, blocks } = await readShown(archive, path);
  for (const { type, target } of await relationsOf(archive, path)) {
    if (!['diagramData', 'notesSlide', 'comments'].includes(type) || !isNew(target)) continue;
    if (type === 'comments') comments.push(...(await readSlideComments(archive, target)));
    else (type === 'notesSlide' ? notes : blocks).push(...(await readShown(archive, target)).blocks);
  }
  return { title, blocks, notes, comments };
}

/** Presentations of PowerPoint: each slide a part, with its notes and comments, hidden slides too. */
export const extractPptx: Extractor = async (content, report) => {
  const office = await openOffice(content, 'PPTX');
  const properties = await readProperties(office.archive);
  const paths = await slidePaths(office);
  const slides = new SlideParts();
  const seen = new Set<string>();
  for (const [index, path] of paths.entries()) {
    slides.add(await readSlide(office.archive, path, seen));
    report((index + 1) / paths.length);
  }
  return { ...properties, parts: slides.parts };
};
