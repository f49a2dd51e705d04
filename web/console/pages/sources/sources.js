import { html } from '../../html.js';
import { SourceList } from './list.js';
import { SourceRecord } from './record.js';

/**
 * The pages at /sources and /sources/{id}.
 * @param {import('../../section.d.ts').PageProps} props
 */
export const Page = (props) =>
  props.record === null
    ? html`<${SourceList} ...${props} />`
    : html`<${SourceRecord} ...${props} id=${props.record} />`;
