/** The package brings no types of its own. */
declare module 'html-encoding-sniffer' {
  /** The name of the encoding by byte order mark, XML declaration or `meta` element, else the default. */
  export default function htmlEncodingSniffer(
    content: Uint8Array,
    options?: { defaultEncoding?: string; xml?: boolean; maxPrescanBytes?: number },
  ): string;
}
