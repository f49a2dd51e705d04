import { writeZip, type ZipMember } from '../../../support/zip-writer.ts';

/* The smallest presentations that are valid, to be filled by a test. */

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A shape with paragraphs, which are XML. */
export const shape = (paragraphs: readonly string[], placeholder = '') =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder === '' ? '' : `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs
    .map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`;

/** Slides: what is on them, and their relations. */
type Slides = readonly { tree: string; relations?: string; attributes?: string }[];

/** A relation of a slide to another part. */
export const relation = (id: string, type: string, target: string, mode = '') =>
  `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"${mode}/>`;
const relationsFile = (name: string, content: string): ZipMember => ({
  name,
  content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${content}</Relationships>`,
});

/** The files of a presentation: the slides are shown in the opposite order of their parts. */
export function presentationMembers(slides: Slides, more: readonly ZipMember[] = []): ZipMember[] {
  const namespaces = `xmlns:a="a" xmlns:p="p" xmlns:r="${RELATIONS}" xmlns:mc="mc"`;
  const order = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${slides.length - index}"/>`);
  return [
    relationsFile('_rels/.rels', relation('rId1', 'officeDocument', 'ppt/presentation.xml')),
    {
      name: 'ppt/presentation.xml',
      content: `<p:presentation ${namespaces}><p:sldIdLst>${order.join('')}</p:sldIdLst></p:presentation>`,
    },
    relationsFile(
      'ppt/_rels/presentation.xml.rels',
      slides.map((_, index) => relation(`rId${index + 1}`, 'slide', `slides/slide${index + 1}.xml`)).join(''),
    ),
    ...slides.flatMap(({ tree, relations = '', attributes = '' }, index) => [
      {
        name: `ppt/slides/slide${index + 1}.xml`,
        content: `<p:sld ${namespaces}${attributes}><p:cSld><p:spTree>${tree}</p:spTree></p:cSld></p:sld>`,
      },
      relationsFile(`ppt/slides/_rels/slide${index + 1}.xml.rels`, relations),
    ]),
    ...more,
  ];
}

/** A presentation. */
export const writePptx = (...given: Parameters<typeof presentationMembers>) =>
  writeZip(presentationMembers(...given));
